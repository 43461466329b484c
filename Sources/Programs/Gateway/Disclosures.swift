import Authorization
import Base
import Disclosure
import Hardware
import LineProtocol
import Logging
import OperatingSystem
import StateStore

/// Sends fixes to apps, files and servers. Before each fix, `DisclosureGate` checks that the app is authorized, that
/// the indicator LED is on, and that the log contains an entry for the fix.
struct Disclosures {
  private var gate: DisclosureGate
  var indicator: Indicator
  var log: LogKeeper
  private var deliveries = DeliveryQueue()
  private var updates = UpdateScheduler()
  var outbox: Outbox

  init(_ gate: DisclosureGate, _ indicator: Indicator, _ log: LogKeeper, _ outbox: Outbox) {
    self.gate = gate
    self.indicator = indicator
    self.log = log
    self.outbox = outbox
  }

  private mutating func disclose(
    _ request: DisclosureRequest, _ fix: SealedFix?, under authorization: Authorization, at now: ClockReading
  ) -> Result<DisclosureReceipt, DisclosureFailure> {
    gate.disclose(request, fix, under: authorization, &indicator, &log, at: now)
  }

  // MARK: One-time fixes

  /// Sends the one fix of a grant (the permission for one fix), if the fix can be sent now.
  /// - Returns: The result; nil if the fix must still wait, or if the grant is no longer valid.
  mutating func serve(
    _ grant: Grant, _ fix: SealedFix?, under authorization: Authorization, to sessions: inout SessionTable,
    at now: ClockReading, _ outputs: inout Outputs
  ) -> Consequence? {
    guard let session = sessions[grant.session], let connection = session.connection, let request = session.request,
      request.id == grant.request
    else { return nil }
    let subscription = session.subscriptions.forFix
    let once = OnceDisclosure(
      grant: grant, options: request.options, tag: request.tag, received: request.received, connection: connection,
      sid: subscription.sid, qos: subscription.qos, messageID: session.lastMessageID + 1,
      isClockSet: log.upkeep.clockFault(at: now, received: nil) == nil)
    let receipt: DisclosureReceipt
    switch disclose(.once(once), fix, under: authorization, at: now) {
    case .success(let success): receipt = success
    case .failure(let failure): return Self.error(for: failure, of: "a fix", &outputs).map(Consequence.failed)
    }
    let accuracy = authorization.accuracy(of: grant.app, in: grant.session, wanted: request.options.accuracy)
    outputs.count(.disclosures, of: grant.app, accuracy.rawValue)
    if let press = grant.press { outputs.note(.pressToFix(log.now.monotonic - press.up)) }
    outputs.log(.gateway, .info, "disclosed", ["app": "\(grant.app)", "right": grant.right.rawValue])
    switch receipt {
    case .delivered(let delivery):
      sessions.fulfil(grant.request, isSent: true)
      deliveries.add(delivery)
    case .kept(let delivery):
      deliveries.add(delivery)
      // The client may wait for the answer to a poll.
      redeliver(delivery, fix, under: authorization, to: &sessions, at: now, &outputs)
    case .stored(let entry, let expires, let indicationEnd):
      sessions.fulfil(grant.request, isSent: false)
      outbox.add(entry, grant.session, expires: expires, indicationEnd: indicationEnd)
      publish(fix, under: authorization, at: now, &outputs)
      return .stored(entry.number)
    case .sent(let entry):
      log.close([.outcome(.sent, of: entry)], &outputs)
      sessions.fulfil(grant.request, isSent: true)
    // The gate returns these receipts only for other requests.
    case .updated, .published, .reported: return nil
    }
    return .served
  }

  /// Returns the error reply to an app to which a fix could not be sent, and logs the cause.
  /// - Parameter object: The name of the unsent data in the log message, as in `a fix`.
  /// - Returns: The error; nil if the fix must only wait, or if the app is no longer authorized.
  private static func error(
    for failure: DisclosureFailure, of object: String, _ outputs: inout Outputs
  ) -> LineError? {
    let error: LineError
    switch failure {
    case .pending, .revoked: return nil
    case .indicator(let remedy): error = LineError(.indicator, "the indicator cannot be shown (\(remedy))")
    case .cloak(let cause):
      error = LineError(.internal, "the gateway cannot compute an approximate location (its log has the cause)")
      outputs.log(.gateway, .error, "cannot compute an approximate position", ["cause": cause])
    case .places(let cause):
      error = LineError(.internal, "the gateway cannot read the places (its log has the cause)")
      outputs.log(.gateway, .error, "cannot find the place of the device", ["cause": cause])
    case .placeless:
      error = LineError(.noFix, "this protocol has no names of places (another accuracy gives positions)")
    case .store(let cause):
      error = LineError(.store, "the log of disclosures cannot be written (the gateway's log has the cause)")
      outputs.log(.store, .error, "cannot disclose \(object): the log cannot be written", ["cause": cause])
    case .encryption(let cause):
      error = LineError(.internal, "the gateway cannot encrypt the fix (its log has the cause)")
      outputs.log(.broker, .error, "cannot encrypt a fix", ["cause": cause])
    }
    outputs.count(.withheld, error.code.slug)
    return error
  }

  // MARK: Deliveries

  /// The one-time fixes that wait until their gpsd clients send the command `?POLL`.
  var kept: [Delivery] { deliveries.kept }

  /// Sends a fix again, or answers the command `?POLL` of a gpsd client with the waiting fix.
  mutating func redeliver(
    _ delivery: Delivery, _ fix: SealedFix?, under authorization: Authorization, to sessions: inout SessionTable,
    at now: ClockReading, _ outputs: inout Outputs
  ) {
    guard deliveries.contains(delivery.session, messageID: delivery.messageID),
      let connection = sessions[delivery.session]?.connection
    else { return }
    // A failed attempt has no consequence: the next deadline of the fix, or the next poll, causes another attempt.
    guard case .success = disclose(.redelivery(delivery, on: connection), fix, under: authorization, at: now),
      delivery.isKept
    else { return }
    deliveries.fetch(delivery)
    close([delivery], .sent, &outputs)
    sessions.fulfil(delivery.request, isSent: true)
  }

  /// Returns the unacknowledged fixes of a client that has reconnected. The caller sends these fixes again.
  mutating func resume(_ session: SessionID) -> [Delivery] { deliveries.resume(session) }

  /// Writes to the disclosure log (the log of fixes sent to apps) that the client has acknowledged a fix.
  /// - Returns: Whether such a fix was waiting for its acknowledgement.
  mutating func acknowledge(_ session: SessionID, messageID: Int, _ outputs: inout Outputs) -> Bool {
    guard let delivery = deliveries.acknowledge(session, messageID: messageID) else { return false }
    close([delivery], .acknowledged, &outputs)
    return true
  }

  /// Erases one-time fixes that were not acknowledged, or that wait for the command `?POLL` of a gpsd client. The
  /// disclosure log then has the outcome `erased` only for the fixes that wait for `?POLL`: no byte of them was sent.
  /// - Returns: The requests of the gpsd clients. These requests end without a fix.
  mutating func erase(_ range: DeliveryQueue.Range, _ outputs: inout Outputs) -> [RequestID] {
    let erased = deliveries.erase(range)
    log.close(erased.map { .outcome($0.isKept ? .erased : .lost, of: $0.entry) }, &outputs)
    return erased.filter(\.isKept).map(\.request)
  }

  /// Erases the expired one-time fixes.
  /// - Returns: The requests of gpsd clients that end because their fix has expired, and the fixes without an
  ///   acknowledgement that must be sent again now.
  mutating func passDeliveries(
    to now: MonotonicInstant, _ outputs: inout Outputs
  ) -> (ended: [RequestID], due: [Delivery]) {
    let (expired, due) = deliveries.pass(to: now)
    close(expired, .expired, &outputs)
    return (expired.filter(\.isKept).map(\.request), due)
  }

  private mutating func close(_ closed: [Delivery], _ outcome: DisclosureOutcome, _ outputs: inout Outputs) {
    log.close(closed.map { .outcome(outcome, of: $0.entry) }, &outputs)
  }

  // MARK: Updates

  mutating func begin(_ stream: UpdateStream) { updates.add(stream) }

  /// Removes the stream of updates (repeated fixes) of a request, if the request has one.
  /// - Returns: Whether at least one fix of the stream was sent.
  mutating func endUpdates(_ request: RequestID) -> Bool {
    defer { updates.remove(request) }
    return updates[request].map { $0.count > 0 } ?? false
  }

  /// Returns whether a stream of updates (repeated fixes) is due now, even without a new fix of the GNSS receiver.
  func areUpdatesDue(at now: MonotonicInstant) -> Bool { updates.isDue(at: now) }

  /// Sends the next fix of one stream of updates (repeated fixes), if a fix is due.
  /// - Returns: The result; nil if the stream continues without a change.
  mutating func update(
    _ request: RequestID, _ fix: SealedFix?, under authorization: Authorization, to sessions: SessionTable,
    at now: ClockReading, _ outputs: inout Outputs
  ) -> Consequence? {
    guard let stream = updates[request] else { return nil }
    updates.beginRound(ofAll: false)
    return update(stream, fix, under: authorization, to: sessions, at: now, &outputs)
  }

  /// Sends the next fix of every stream of updates (repeated fixes).
  /// - Returns: The requests with a result: the first fix was sent, or the updates must end or stop.
  mutating func updateAll(
    _ fix: SealedFix?, under authorization: Authorization, to sessions: SessionTable, at now: ClockReading,
    _ outputs: inout Outputs
  ) -> [(request: RequestID, consequence: Consequence)] {
    updates.beginRound(ofAll: true)
    var consequences: [(RequestID, Consequence)] = []
    for stream in updates.all {
      let consequence = update(stream, fix, under: authorization, to: sessions, at: now, &outputs)
      if let consequence { consequences.append((stream.request, consequence)) }
    }
    return consequences
  }

  private mutating func update(
    _ stream: UpdateStream, _ fix: SealedFix?, under authorization: Authorization, to sessions: SessionTable,
    at now: ClockReading, _ outputs: inout Outputs
  ) -> Consequence? {
    guard let session = sessions[stream.session], let connection = session.connection else { return nil }
    let mayOpen = updates.mayOpenInterval
    let entry = stream.entry
    let update = UpdateDisclosure(
      stream, to: connection, sids: session.subscriptions.updateSIDs, mayOpenInterval: mayOpen)
    switch disclose(.update(update), fix, under: authorization, at: now) {
    case .success(.updated(let accuracy)):
      if stream.entry != entry { updates.noteOpenedInterval() }
      if stream.nextQuarterHour != nil { updates.schedule(stream) }
      if let accuracy {
        outputs.count(.updates, accuracy.rawValue)
        session.subscriptions.consumeUpdate()
      }
      return stream.isFirstFixAwaited ? .served : nil
    case .success, .failure(.revoked): return nil
    case .failure(.pending):
      if !mayOpen, stream.entry == nil { updates.postponeInterval(at: now.monotonic) }
      return nil
    case .failure(.indicator): return .illegible((indicator.restriction ?? .indicatorDark).rawValue)
    case .failure(let failure):
      guard let error = Self.error(for: failure, of: "updates", &outputs) else { return nil }
      closeIntervals([(stream.request, .stopped)], &outputs)
      return .failed(error)
    }
  }

  /// Writes the ends of several streams of updates (repeated fixes) to the disclosure log (the log of fixes sent to
  /// apps), in one transaction.
  mutating func closeIntervals(_ ends: [(request: RequestID, end: IntervalEnd)], _ outputs: inout Outputs) {
    var events: [LogEntry.Event] = []
    for (request, end) in ends {
      guard let stream = updates[request], let entry = stream.entry else { continue }
      stream.close()
      events.append(.end(end, fixes: stream.count, of: entry))
    }
    log.close(events, &outputs)
  }

  // MARK: Outputs

  /// Sends the next waiting fix to each output (a broker, a file, a web server or a serial port) that can take one.
  mutating func publish(
    _ fix: SealedFix?, under authorization: Authorization, at now: ClockReading, _ outputs: inout Outputs
  ) {
    var isNextDue = true
    while isNextDue {
      isNextDue = false
      for publication in outbox.due {
        switch disclose(.publication(publication), fix, under: authorization, at: now) {
        case .success(.published(let published, let isLate)): outbox.notePublished(published, isLate: isLate)
        case .success, .failure(.pending), .failure(.placeless): break
        case .failure(.revoked):
          let isAllowed =
            !authorization.isLocked && authorization.allows(publication.fix, in: publication.session)
          settle(outbox.remove(publication.fix, isAllowed: isAllowed), at: now, &outputs)
          isNextDue = true
        case .failure(let failure):
          outbox.postpone(publication.fix, cause: failure.cause, at: now.monotonic, &outputs)
        }
      }
    }
  }

  /// Removes the fixes that wait for outputs (such as MQTT brokers): those of one app, or of all apps if `app` is nil.
  mutating func withdraw(_ app: AppID?, at now: ClockReading, _ outputs: inout Outputs) {
    settle(outbox.withdraw(app), at: now, &outputs)
  }

  /// Records that an output (such as an MQTT broker) has acknowledged or refused a fix, and sends the next waiting fix.
  /// - Parameter publication: The number of the fix in the outbox (the queue of fixes for outputs).
  mutating func settle(
    _ publication: Int64, _ outcome: DisclosureOutcome, _ fix: SealedFix?, under authorization: Authorization,
    at now: ClockReading,
    _ outputs: inout Outputs
  ) {
    settle(outbox.settle(publication, outcome, &outputs), at: now, &outputs)
    publish(fix, under: authorization, at: now, &outputs)
  }

  /// Removes fixes for outputs that are expired or no longer permitted, and sends the next fix to each output.
  mutating func passOutbox(
    _ fix: SealedFix?, under authorization: Authorization, at now: ClockReading, _ outputs: inout Outputs
  ) {
    let settled = outbox.pass(to: now.monotonic, isLocked: authorization.isLocked, &outputs) {
      authorization.allows($0, in: $1)
    }
    settle(settled, at: now, &outputs)
    publish(fix, under: authorization, at: now, &outputs)
  }

  private mutating func settle(
    _ settlements: [Outbox.Settlement], at now: ClockReading, _ outputs: inout Outputs
  ) {
    for (fix, outcome) in settlements { log.settle(fix, outcome, at: now.monotonic, &outputs) }
    outputs.settlements += settlements
  }

  // MARK: Regions

  /// Sends a region event (the device has entered or left a circle) to one session.
  /// - Returns: The reason why the event was not sent; nil if the event was sent.
  mutating func report(
    _ crossing: CrossingDisclosure, under authorization: Authorization, at now: ClockReading,
    _ outputs: inout Outputs
  ) -> DisclosureFailure? {
    switch disclose(.crossing(crossing), nil, under: authorization, at: now) {
    case .success(let receipt):
      if case .reported(let entry) = receipt { log.close([.outcome(.region, of: entry)], &outputs) }
      log.countEntry(of: crossing.app, isOnce: false, at: now.monotonic, &outputs)
      return nil
    case .failure(let failure): return failure
    }
  }

  // MARK: Slots and places

  /// Begins a new time slot of 15 minutes if the last slot is over. In each slot, an app with the accuracy `reduced`
  /// gets one approximate position, and an app with the accuracy `place` gets one name of a place.
  /// - Returns: `isNodeNew` is true if a new slot for positions has begun, and `isPlaceNew` is true if a new slot for
  ///   names has begun.
  mutating func advanceSlots(
    _ fix: SealedFix?, under authorization: Authorization, at now: ClockReading
  ) -> (isNodeNew: Bool, isPlaceNew: Bool) {
    func isWanted(_ accuracy: FixAccuracy) -> Bool { authorization.areUpdatesRunning(with: accuracy) }
    let isLocked = authorization.isLocked
    return (
      gate.advanceCloak(fix, isLocked: isLocked, isWanted: isWanted(.reduced), at: now),
      gate.advancePlaces(fix, isLocked: isLocked, isWanted: isWanted(.place), at: now)
    )
  }

  /// Saves how much of the present time slot has passed. In each slot of 15 minutes, an app gets one approximate
  /// position. If the write fails, the slot lasts longer after a restart of the machine.
  mutating func saveSlots(isStopping: Bool = false, _ outputs: inout Outputs) {
    for memory in gate.drainSlots(isStopping: isStopping) {
      do { try log.seal(memory) } catch {
        outputs.log(.store, .warning, "cannot save the end of a slot", ["cause": "\(error)"])
      }
    }
  }

  /// Records that the machine was suspended: the present approximate position and the present names of places may be
  /// old.
  mutating func noteSuspension(at now: ClockReading) { gate.noteSuspension(at: now) }

  /// Compares a fix with the named places of the owner (administrator), to find the place in which the device is.
  mutating func watchPlaces(_ fix: SealedFix) { gate.watchPlaces(fix) }

  var places: PlacesState { gate.places }

  /// Replaces the named places. A change that lets an app learn more must be saved before this call.
  mutating func adopt(_ places: SealedPlaces) { gate.adopt(places) }

  /// Replaces the named places, and saves them. No app may learn more from the new places, because the change is in
  /// force even if the write fails.
  mutating func revoke(_ places: SealedPlaces, at now: ClockReading, _ outputs: inout Outputs) {
    gate.adopt(places)
    log.revoke(value: SealedPlaces.name, to: places.encoded, at: now.monotonic, &outputs)
  }

  // MARK: Time

  /// Whether the GNSS receiver must run. An app uses the location, a pressed button will give a fix, or an approximate
  /// position or place must be chosen.
  var isReceiverWanted: Bool {
    indicator.isUsed || indicator.isButtonReady || gate.isNodeWanted || gate.isPlaceWanted
  }

  /// Returns the next deadlines, each with the name of its part of the gateway. A deadline is nil if the part has none.
  func deadlines(after now: MonotonicInstant) -> [6 of (MonotonicInstant?, String)] {
    [
      (indicator.nextDeadline(after: now), "indicator"), (updates.nextDeadline(after: now), "updates"),
      (deliveries.nextDeadline, "delivery"), (outbox.nextDeadline, "outbox"), (gate.nextDeadline, "slot"),
      (log.nextDeadline, "log"),
    ]
  }

  /// Ends all updates (repeated fixes), and writes all unsaved changes. The gateway calls this function when the
  /// gateway stops.
  mutating func stop(
    _ fix: SealedFix?, under authorization: Authorization, at now: ClockReading, _ outputs: inout Outputs
  ) {
    closeIntervals(updates.all.map { ($0.request, .shutdown) }, &outputs)
    log.savePending(at: now.monotonic, &outputs)
    _ = advanceSlots(fix, under: authorization, at: now)
    saveSlots(isStopping: true, &outputs)
  }
}
