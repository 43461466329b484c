import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem
import Ports

// Serves everything that waits for a disclosure: grants, updates, deliveries, fixes for outputs, and events of regions.
extension Router {
  /// Sends all waiting fixes, updates (repeated fixes) and region events that can be sent now.
  mutating func servePending(at now: ClockReading) {
    endPassedRights(at: now)
    for grant in authorization.sortedGrants { serve(grant, at: now) }
    for delivery in disclosures.kept { redeliver(delivery, at: now) }
    let consequences = disclosures.updateAll(receiver.latest, under: authorization, to: sessions, at: now, &outputs)
    for (request, consequence) in consequences { follow(consequence, of: request, at: now) }
    reportCrossings(at: now)
  }

  /// Ends the authorizations whose time is over. Such an authorization must end before the next fix is served, also if
  /// the alarm of the gateway is late, or if a press before the end is handled after the end.
  mutating func endPassedRights(at now: ClockReading) {
    if let deadline = authorization.nextDeadline, deadline <= now.monotonic { handle(.timePassed, at: now) }
  }

  /// Sends the waiting fixes and updates (repeated fixes) of one session, and all waiting region events, if they can be
  /// sent now.
  mutating func servePending(of session: SessionID, at now: ClockReading) {
    endPassedRights(at: now)
    let grants = sessions[session].map { authorization.grants.values(of: $0.app) } ?? []
    for grant in grants where grant.session == session { serve(grant, at: now) }
    for delivery in disclosures.kept where delivery.session == session { redeliver(delivery, at: now) }
    if let updates = authorization.updates[session] { update(updates.request, at: now) }
    reportCrossings(at: now)
  }

  /// Sends the one fix of a grant (the permission for one fix), if the fix can be sent now.
  mutating func serve(_ grant: Grant, at now: ClockReading) {
    let consequence = disclosures.serve(
      grant, receiver.latest, under: authorization, to: &sessions, at: now, &outputs)
    if let consequence { follow(consequence, of: grant.request, at: now) }
  }

  /// Sends the next fix of a stream of updates (repeated fixes), if the fix can be sent now.
  mutating func update(_ request: RequestID, at now: ClockReading) {
    let consequence = disclosures.update(
      request, receiver.latest, under: authorization, to: sessions, at: now, &outputs)
    if let consequence { follow(consequence, of: request, at: now) }
  }

  /// Passes the result of an attempt to send a fix (sent, failed or illegible) to the state machine of the
  /// authorizations.
  private mutating func follow(_ consequence: Disclosures.Consequence, of request: RequestID, at now: ClockReading) {
    switch consequence {
    case .served: handle(.served(request), at: now)
    case .stored(let fix):
      lastPress.store(fix, for: request)
      handle(.served(request), at: now)
    case .failed(let error):
      end(request, error, at: now)
      handle(.failed(request), at: now)
    case .illegible(let restriction): handle(.legibilityChecked(restriction), at: now)
    }
  }

  // MARK: Deliveries and outputs

  /// Sends a fix again, or answers the command `?POLL` of a gpsd client with the waiting fix.
  mutating func redeliver(_ delivery: Delivery, at now: ClockReading) {
    disclosures.redeliver(delivery, receiver.latest, under: authorization, to: &sessions, at: now, &outputs)
  }

  /// Erases the expired one-time fixes, and sends each fix again whose acknowledgement is overdue.
  mutating func passDeliveries(at now: ClockReading) {
    let (ended, due) = disclosures.passDeliveries(to: now.monotonic, &outputs)
    endErased(ended, at: now)
    for delivery in due { redeliver(delivery, at: now) }
  }

  /// Ends requests of gpsd clients with an error, because the waiting fixes of these clients were erased.
  mutating func endErased(_ requests: [RequestID], at now: ClockReading) {
    for request in requests { end(request, LineError(.expired, "the kept fix was erased"), at: now) }
  }

  /// Sends the next waiting fix to each output (a broker, a file, a web server or a serial port) that can receive a
  /// fix.
  mutating func publish(at now: ClockReading) {
    endPassedRights(at: now)
    disclosures.publish(receiver.latest, under: authorization, at: now, &outputs)
  }

  /// Removes the expired fixes and the no longer permitted fixes for outputs (such as MQTT brokers), and sends the next
  /// fix to each output.
  mutating func passOutbox(at now: ClockReading) {
    disclosures.passOutbox(receiver.latest, under: authorization, at: now, &outputs)
  }

  // MARK: Regions

  /// Compares the latest fix with the regions of the apps (circles), and handles an event for each region that the
  /// device has entered or left.
  mutating func watchRegions(at now: ClockReading) {
    guard let fix = receiver.latest else { return }
    let crossings = regions.compare(
      with: fix, for: watchedApps, told: Set(regions.apps.filter(isTold)), at: now.monotonic, in: &disclosures.log,
      &outputs)
    for (app, event) in crossings { handle(.regionCrossed(app, event), at: now) }
  }

  /// Sends the waiting region events (the device has entered or left a region) that can be sent now.
  mutating func reportCrossings(at now: ClockReading) {
    for crossing in regions.pending { report(crossing, at: now) }
  }

  private mutating func report(_ crossing: PendingCrossing, at now: ClockReading) {
    guard now.monotonic < crossing.expires, let region = regions.region(crossing.event.region, of: crossing.app) else {
      return regions.noteReported(crossing)
    }
    let listening = sessions.of(crossing.app).filter {
      $0.connection?.isFull == false && $0.connection?.sink?.isConnected != false
        && !$0.subscriptions.sids(region: region.id).isEmpty
    }
    // The event waits until a client of the app can receive it.
    guard !listening.isEmpty else { return }
    var isReported = false
    for session in listening {
      guard let connection = session.connection else { continue }
      guard disclosures.log.wait(of: crossing.app, isOnce: false, at: now.monotonic) == nil else {
        outputs.log(
          .regions, .warning,
          "cannot report a region's event: the app has used its entries in the log of disclosures",
          ["app": "\(crossing.app)"])
        break
      }
      let disclosure = CrossingDisclosure(
        app: crossing.app, event: crossing.event, expires: crossing.expires, region: region,
        registered: regions.registered(region.id, of: crossing.app), connection: connection,
        sids: session.subscriptions.sids(region: region.id))
      switch disclosures.report(disclosure, under: authorization, at: now, &outputs) {
      case nil:
        session.subscriptions.consume(region: region.id)
        isReported = true
      case .pending, .placeless: return
      case .revoked: return regions.noteReported(crossing)
      case .some(let failure):
        outputs.log(
          .regions, .error, "cannot report a region's event", ["app": "\(crossing.app)", "cause": failure.cause])
        return regions.noteReported(crossing)
      }
    }
    regions.noteReported(crossing)
    guard isReported else { return }
    outputs.count(.regionEvents)
    outputs.log(.regions, .info, "a region's event was reported", ["app": "\(crossing.app)"])
  }

  /// Removes the regions of an app if the app may no longer have regions.
  mutating func checkRegions(of app: AppID) {
    guard !mayHaveRegions(app) else { return }
    regions.removeAll(of: app, in: &disclosures.log, &outputs)
  }

  /// Returns whether an app may have regions: with the status "while using" or "always", or while a session has the
  /// authorization "allow once".
  func mayHaveRegions(_ app: AppID) -> Bool {
    authorization.status(of: app).allowsRegions
      || sessions.of(app).contains { authorization.visibleStatus(of: app, in: $0.id).allowsRegions }
  }

  /// The apps whose regions (circles) are compared with each fix.
  ///
  /// An app with the status "always" and full accuracy gets its region events itself, but only while the app has a
  /// session. For all other apps, only the owners (administrators) get the events.
  var watchedApps: Set<AppID> {
    mayWatchRegions ? Set(regions.apps.filter(isWatched)) : []
  }

  var areRegionsWatched: Bool { mayWatchRegions && regions.apps.contains(where: isWatched) }

  private var mayWatchRegions: Bool { dependencies.allowsRegions && !authorization.isLocked && !regions.isEmpty }

  private func isWatched(_ app: AppID) -> Bool {
    mayHaveRegions(app) && (!isTold(app) || sessions.count(of: app) > 0)
  }

  /// Returns whether an app itself gets the events of its regions.
  private func isTold(_ app: AppID) -> Bool {
    authorization.status(of: app) == .always && authorization.record(of: app).accuracy == .full
  }
}

extension AuthorizationStatus {
  /// Whether the gateway itself may make requests for an app with this status, for example for an MQTT broker (row B4
  /// of the authorization reference, implicit requests).
  var allowsImplicitRequests: Bool {
    switch self {
    case .notDetermined, .whenInUse, .always: true
    case .denied, .restricted: false
    }
  }

  var allowsRegions: Bool {
    switch self {
    case .whenInUse, .always: true
    case .notDetermined, .denied, .restricted: false
    }
  }
}
