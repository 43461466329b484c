import Authorization
import Clocks
import Disclosure
import Hardware
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// Passes the waiting disclosures to the disclosure gate, which checks every release of a location. The results go to
/// the other parts of the gateway.
extension Router {
  /// The getter is mutating, because the compiler would copy the whole router for another getter.
  var pendingDisclosures: [Action] {
    mutating get {
      authorization.sortedGrants.map(Action.serve) + deliveries.kept.map(Action.redeliver)
        + [.updateAll, .reportCrossings]
    }
  }

  // MARK: One-time fixes

  mutating func serve(_ grant: Grant, at now: ClockReading) -> [Action] {
    guard let session = sessions[grant.session], let connection = session.connection, let request = session.request,
      request.id == grant.request
    else { return [] }
    let subscription = session.subscriptions.forFix
    let once = OnceDisclosure(
      grant: grant, options: request.options, tag: request.tag, received: request.received, connection: connection,
      sid: subscription.sid, qos: subscription.qos, messageID: session.lastMessageID + 1)
    let accuracy = authorization.accuracy(of: grant.app, in: grant.session, wanted: request.options.accuracy)
    switch disclose(.once(once), at: now) {
    case .success(let receipt):
      var actions: [Action] = [.count(.disclosed(grant.app, accuracy))]
      switch receipt {
      case .delivered(let delivery):
        actions += sessions.handle(.fulfil(grant.request, isSent: true), at: now.monotonic)
        actions += deliveries.handle(.add(delivery), at: now.monotonic)
      case .kept(let delivery):
        // The client may wait for the answer to a poll.
        actions += deliveries.handle(.add(delivery), at: now.monotonic) + [.redeliver(delivery)]
      case .stored(let fix, let expires, let indicationEnd):
        actions += sessions.handle(.fulfil(grant.request, isSent: false), at: now.monotonic)
        actions += outbox.handle(
          .add(fix, grant.session, expires: expires, indicationEnd: indicationEnd), at: now.monotonic)
      case .sent(let entry):
        actions += log.handle(.close([.outcome(.sent, of: entry)]), at: now.monotonic)
        actions += sessions.handle(.fulfil(grant.request, isSent: true), at: now.monotonic)
      // The gate returns these receipts only for other requests.
      case .updated, .published, .reported: return []
      }
      actions.append(.outcome(.served))
      if let press = grant.press { actions.append(.count(.pressToFix(clock().monotonic - press.up))) }
      actions.append(
        .log(LogMessage(.gateway, .info, "disclosed", ["app": "\(grant.app)", "right": grant.right.rawValue])))
      return actions + [.event(.served(grant.request))]
    case .failure(let failure):
      guard let (error, log) = Self.error(for: failure, of: "a fix") else { return [] }
      return log + [
        .count(.withheld(error.code.slug)), .endRequest(grant.request, error), .event(.failed(grant.request)),
      ]
    }
  }

  /// Sends a fix again, or sends the fix that is kept for a client that polls.
  mutating func redeliver(_ delivery: Delivery, at now: ClockReading) -> [Action] {
    guard deliveries.contains(delivery.session, messageID: delivery.messageID),
      let connection = sessions[delivery.session]?.connection
    else { return [] }
    // A failed attempt has no consequence: the next deadline of the fix, or the next poll, causes another attempt.
    guard case .success = disclose(.redelivery(delivery, on: connection), at: now), delivery.isKept else { return [] }
    return deliveries.handle(.fetched(delivery), at: now.monotonic)
      + sessions.handle(.fulfil(delivery.request, isSent: true), at: now.monotonic)
  }

  private mutating func disclose(
    _ request: DisclosureRequest, at now: ClockReading
  ) -> Result<DisclosureReceipt, DisclosureFailure> {
    gate.disclose(request, receiver.latest, under: authorization, &indicator, &log, at: now)
  }

  /// Returns the error for the app and the message for the daemon's log. Returns nil if the disclosure still waits, or
  /// if the app may no longer receive the location.
  private static func error(for failure: DisclosureFailure, of object: String) -> (LineError, [Action])? {
    switch failure {
    case .pending, .revoked: return nil
    case .indicator(let remedy): return (LineError(.indicator, "the indicator cannot be shown (\(remedy))"), [])
    case .cloak(let cause):
      return (
        LineError(.internal, "the gateway cannot compute an approximate location (its log has the cause)"),
        [.log(LogMessage(.gateway, .error, "cannot compute an approximate position", ["cause": cause]))]
      )
    case .places(let cause):
      return (
        LineError(.internal, "the gateway cannot read the places (its log has the cause)"),
        [.log(LogMessage(.gateway, .error, "cannot find the place of the device", ["cause": cause]))]
      )
    case .placeless:
      return (LineError(.noFix, "this protocol has no names of places (another accuracy gives positions)"), [])
    case .store(let cause):
      return (
        LineError(.store, "the log of disclosures cannot be written (the gateway's log has the cause)"),
        [.log(LogMessage(.store, .error, "cannot disclose \(object): the log cannot be written", ["cause": cause]))]
      )
    case .encryption(let cause):
      return (
        LineError(.internal, "the gateway cannot encrypt the fix (its log has the cause)"),
        [.log(LogMessage(.broker, .error, "cannot encrypt a fix", ["cause": cause]))]
      )
    }
  }

  // MARK: Updates

  /// Serves all streams of updates. One action for each of a thousand streams would take longer.
  mutating func updateAll(at now: ClockReading) -> [Action] {
    var actions = updates.handle(.beginRound(ofAll: true), at: now.monotonic)
    for stream in updates.all { actions += update(stream, at: now) }
    return actions
  }

  mutating func update(_ stream: UpdateStream, at now: ClockReading) -> [Action] {
    guard let recipient = sessions.updateRecipient(of: stream.session) else { return [] }
    let mayOpen = updates.mayOpenInterval
    let entry = stream.entry
    let update = UpdateDisclosure(
      stream, to: recipient.connection, sids: recipient.sids, mayOpenInterval: mayOpen)
    switch disclose(.update(update), at: now) {
    case .success(.updated(let accuracy)):
      var actions: [Action] = []
      if stream.entry != entry { actions += updates.handle(.opened, at: now.monotonic) }
      if stream.nextQuarterHour != nil { actions += updates.handle(.scheduled(stream), at: now.monotonic) }
      if let accuracy {
        metrics.count(.updateSent(accuracy), at: now.monotonic)
        if recipient.isLimited { actions += sessions.handle(.updateSent(stream.session), at: now.monotonic) }
      }
      return actions + (stream.isFirstFixAwaited ? [.event(.served(stream.request))] : [])
    case .success, .failure(.revoked): return []
    case .failure(.pending):
      return mayOpen || stream.entry != nil ? [] : updates.handle(.postponed, at: now.monotonic)
    case .failure(.indicator):
      return [.event(.legibilityChecked((indicator.restriction ?? .indicatorDark).rawValue))]
    case .failure(let failure):
      guard let (error, log) = Self.error(for: failure, of: "updates") else { return [] }
      return log + [
        .count(.withheld(error.code.slug)), .closeIntervals([(stream.request, .stopped)]),
        .endRequest(stream.request, error), .event(.failed(stream.request)),
      ]
    }
  }

  // MARK: The broker outbox

  mutating func publish(_ publication: PublicationDisclosure, at now: ClockReading) -> [Action] {
    let result = disclose(.publication(publication), at: now)
    let isAllowed = !authorization.isLocked && authorization.allows(publication.fix, in: publication.session)
    return outbox.handle(.attempted(publication.fix.number, result, isAllowed: isAllowed), at: now.monotonic)
  }

  mutating func passOutbox(at now: ClockReading) {
    let authorization = authorization
    let input = BrokerOutbox.Input.timePassed(isLocked: authorization.isLocked) { authorization.allows($0, in: $1) }
    perform(outbox.handle(input, at: now.monotonic), at: now)
  }

  // MARK: Regions

  mutating func report(_ crossing: PendingCrossing, at now: ClockReading) -> [Action] {
    guard now.monotonic < crossing.expires, let region = regions.region(crossing.event.region, of: crossing.app) else {
      return regions.handle(.reported(crossing), at: now.monotonic)
    }
    let listening = sessions.of(crossing.app).filter {
      $0.connection?.isFull == false && $0.connection?.broker?.isConnected != false
        && !$0.subscriptions.sids(region: region.id).isEmpty
    }
    // The event waits until a client of the app can receive it.
    guard !listening.isEmpty else { return [] }
    var actions: [Action] = []
    var isReported = false
    for session in listening {
      guard let connection = session.connection else { continue }
      guard log.wait(of: crossing.app, isOnce: false, at: now.monotonic) == nil else {
        let message = "cannot report a region's event: the app has used its entries in the log of disclosures"
        actions.append(.log(LogMessage(.regions, .warning, message, ["app": "\(crossing.app)"])))
        break
      }
      let disclosure = CrossingDisclosure(
        app: crossing.app, event: crossing.event, expires: crossing.expires, region: region,
        registered: regions.registered(region.id, of: crossing.app), connection: connection,
        sids: session.subscriptions.sids(region: region.id))
      switch disclose(.crossing(disclosure), at: now) {
      case .success(let receipt):
        if case .reported(let entry) = receipt {
          actions += log.handle(.close([.outcome(.region, of: entry)]), at: now.monotonic)
        }
        actions += log.handle(.countEntry(crossing.app, isOnce: false), at: now.monotonic)
        actions += sessions.handle(.crossingSent(session.id, region: region.id), at: now.monotonic)
        isReported = true
      case .failure(.pending): return actions
      case .failure(.revoked): return actions + regions.handle(.reported(crossing), at: now.monotonic)
      case .failure(.placeless): return actions
      case .failure(let failure):
        let fields = ["app": "\(crossing.app)", "cause": failure.cause]
        actions.append(.log(LogMessage(.regions, .error, "cannot report a region's event", fields)))
        return actions + regions.handle(.reported(crossing), at: now.monotonic)
      }
    }
    actions += regions.handle(.reported(crossing), at: now.monotonic)
    guard isReported else { return actions }
    return actions + [
      .count(.regionReported),
      .log(LogMessage(.regions, .info, "a region's event was reported", ["app": "\(crossing.app)"])),
    ]
  }

  func checkRegions(of app: AppID) -> Action { .checkRegions(app, mayHave: mayHaveRegions(app)) }

  /// Returns whether an app may have regions: under a standing authorization, or while one of its sessions has the
  /// authorization "allow once".
  func mayHaveRegions(_ app: AppID) -> Bool {
    authorization.status(of: app).allowsRegions
      || sessions.of(app).contains { authorization.visibleStatus(of: app, in: $0.id).allowsRegions }
  }

  /// The apps whose regions are watched.
  ///
  /// Some apps receive the notifications about their regions themselves. Their regions are watched even without a
  /// connection, and the notification waits. For all other apps, only the owners receive the notifications.
  var watchedApps: Set<AppID> {
    mayWatchRegions ? Set(regions.apps.filter(isWatched)) : []
  }

  var areRegionsWatched: Bool { mayWatchRegions && regions.apps.contains(where: isWatched) }

  private var mayWatchRegions: Bool { dependencies.allowsRegions && !authorization.isLocked && !regions.isEmpty }

  private func isWatched(_ app: AppID) -> Bool {
    guard mayHaveRegions(app) else { return false }
    let isNotified = authorization.status(of: app) == .always && authorization.record(of: app).accuracy == .full
    return !isNotified || sessions.count(of: app) > 0
  }

  // MARK: The cloak

  /// Advances the cloak, which chooses one approximate position for each quarter of an hour (slot).
  /// - Returns: Whether a new slot has begun.
  @discardableResult
  mutating func advanceCloak(at now: ClockReading) -> Bool {
    let isWanted = authorization.areUpdatesRunning(with: .reduced)
    return gate.advanceCloak(receiver.latest, isLocked: authorization.isLocked, isWanted: isWanted, at: now)
  }
}

extension AuthorizationStatus {
  var allowsRegions: Bool {
    switch self {
    case .whenInUse, .always: true
    case .notDetermined, .denied, .restricted: false
    }
  }
}
