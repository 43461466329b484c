package import Authorization
package import Base
import Cloaking
import LineProtocol
import Ports
import StateStore

/// The only path by which location data leaves the gateway.
///
/// Every disclosure (a release of location data to one recipient) has five steps: check the app's permission, select
/// the data, show the indicator (the LED), write a durable log entry, and send the bytes. Only the Swift module
/// `Disclosure` can read a `SealedFix`.
package struct DisclosureGate: Sendable {
  var cloak: CloakState
  package internal(set) var places: PlacesState
  /// The minimum time for which the indicator (the LED) shows that an app received a one-time fix.
  private let indicationTime: Duration
  /// Whether new log entries have the mark *simulated*, because presses of the button or positions may be simulated or
  /// recorded.
  private let isSimulated: Bool
  /// Whether an app asked for an approximate position in the present slot (a period of about 15 minutes with one
  /// approximate position).
  package internal(set) var isNodeWanted = false
  /// Whether an app asked for the name of a place in the present slot (a period of about 15 minutes with one answer for
  /// each app).
  package internal(set) var isPlaceWanted = false
  /// Whether the state on the disk may contain the approximate position of the present slot (a period of about 15
  /// minutes with one approximate position).
  var isNodeSaved: Bool
  /// The memory of the algorithm for approximate positions after the end of a slot (a period with one answer), to be
  /// saved; nil if there is nothing to save.
  var endedNode: Cloak.Memory?
  /// Whether a slot (a period in which answers about places stay the same) has ended, and the end is not saved yet.
  var isPlaceSlotOver = false
  /// The latest reading of the receiver's clock; nil if the receiver has sent no date.
  var receiverClock: ClockReading?
  private var encoded = EncodedUpdates()

  package init(
    _ cloak: CloakState, places: PlacesState, indicationTime: Duration, isSimulated: Bool
  ) {
    self.cloak = cloak
    isNodeSaved = (try? cloak.get().isEvaluated) ?? false
    self.places = places
    self.indicationTime = indicationTime
    self.isSimulated = isSimulated
  }

  /// Checks the app's permission, sends the location data to one recipient, and writes the log entry.
  ///
  /// - Parameter fix: The fix of the latest epoch (the receiver's data of one instant); nil if there is none.
  /// - Returns: The result of the disclosure, or the reason for a refusal or a wait.
  package mutating func disclose(
    _ request: DisclosureRequest, _ fix: SealedFix?, under authorization: Authorization,
    _ indicator: inout some DisclosureIndicator, _ log: inout some DisclosureLog, at now: ClockReading
  ) -> Result<DisclosureReceipt, DisclosureFailure> {
    var isShown = false
    do {
      let accuracy = try checkRight(request, authorization, at: now.monotonic)
      let data = try data(for: request, accuracy, fix, at: now)
      let indicationEnd = try showIndicator(for: request, &indicator, at: now.monotonic)
      isShown = true
      return .success(try record(data, for: request, indicationEnd, authorization, &log, at: now))
    } catch {
      // An update has not called `showUse`. So `endUse` would end the display of a one-time fix of the same app.
      if isShown, !request.isUpdate { indicator.endUse(by: request.app) }
      return .failure(DisclosureFailure(error))
    }
  }

  // MARK: Step 1: the right

  /// Returns the most precise accuracy that the app may receive in this disclosure. Throws `revoked` if the app no
  /// longer has the permission.
  private func checkRight(
    _ request: DisclosureRequest, _ authorization: Authorization, at now: MonotonicInstant
  ) throws(DisclosureFailure) -> FixAccuracy {
    guard !authorization.isLocked else { throw .revoked }
    switch request {
    case .once(let once):
      let grant = once.grant
      guard authorization.grants[grant.request] == grant, now < grant.expires else { throw .revoked }
      return authorization.accuracy(of: grant.app, in: grant.session, wanted: once.options.accuracy)
    case .redelivery(let delivery, _):
      guard now < delivery.expires, authorization.allows(delivery) else { throw .revoked }
      return delivery.accuracy
    case .update(let update):
      return try checkRight(update.stream, authorization)
    case .publication(let publication):
      guard now < publication.expires, authorization.allows(publication.fix, in: publication.session) else {
        throw .revoked
      }
      return publication.fix.accuracy
    case .crossing(let crossing):
      guard now < crossing.expires, authorization.status(of: crossing.app) == .always,
        authorization.record(of: crossing.app).accuracy == .full
      else { throw .revoked }
      return .full
    }
  }

  private func checkRight(
    _ stream: UpdateStream, _ authorization: Authorization
  ) throws(DisclosureFailure) -> FixAccuracy {
    // The result stays the same until the authorization changes.
    if let right = stream.right, right.revision == authorization.revision { return right.accuracy }
    // The number of a request is never used again.
    guard let updates = authorization.updates[stream.session], updates.request == stream.request else {
      throw .revoked
    }
    let accuracy = authorization.accuracy(of: stream.app, in: stream.session)
    stream.right = .init(revision: authorization.revision, updates: updates, accuracy: accuracy)
    return accuracy
  }

  // MARK: Step 2: the data

  enum Disclosed {
    case fix(SealedFix)
    /// An approximate fix, or a report with the name of a place. The gateway encrypts and saves the state `sealing`
    /// before the report is sent.
    case approximate(FixReport, sealing: SealedMemory)
    /// The next report of continuous updates: an approximate fix, or the name of a place. The gateway saves the state
    /// `sealing` first. The last value is the schedule of the later reports.
    case scheduled(FixReport, sealing: SealedMemory, QuarterHours)
    /// No new location data: the data were selected earlier, or the message about a region contains no position.
    case kept
  }

  private mutating func data(
    for request: DisclosureRequest, _ accuracy: FixAccuracy, _ fix: SealedFix?, at now: ClockReading
  ) throws -> Disclosed {
    guard !request.isSinkFull else { throw DisclosureFailure.pending }
    if accuracy == .place {
      guard !request.hasPositionsOnly else { throw DisclosureFailure.placeless }
      return try place(for: request, fix, at: now)
    }
    switch request {
    case .once(let once):
      // Without a press, the answer to an app with reduced accuracy must not reveal the state of the receiver. For this
      // reason, the answer is the node of the current slot. (Invariant 4)
      if accuracy == .reduced, once.grant.press == nil {
        isNodeWanted = true
        advanceCloak(fix, isLocked: false, isWanted: false, at: now)
        guard let utc = reducedUTC(fix, at: now), let node = try nodeInForce(at: utc) else {
          throw DisclosureFailure.pending
        }
        return .approximate(node.report, sealing: node.memory)
      }
      guard let fix, Self.isFresh(fix, for: once, at: now.monotonic) else { throw DisclosureFailure.pending }
      guard accuracy == .reduced else { return .fix(fix) }
      guard let reduced = try reduce(fix, at: now) else { throw DisclosureFailure.pending }
      return .approximate(reduced.report, sealing: reduced.memory)
    case .update(let update):
      if accuracy == .full {
        guard let fix, let right = update.stream.right, fix.arrived >= right.updates.notBefore,
          update.stream.isDue(fix)
        else { throw DisclosureFailure.pending }
        return .fix(fix)
      }
      var quarterHours = update.stream.quarterHours
      guard quarterHours.isDue(at: now.monotonic),
        let utc = quarterHours.advance(reducedUTC(fix, at: now), at: now.monotonic),
        let node = try nodeInForce(at: utc)
      else { throw DisclosureFailure.pending }
      return .scheduled(node.report, sealing: node.memory, quarterHours)
    case .redelivery, .publication, .crossing: return .kept
    }
  }

  /// Whether a fix is new enough for the permission of the app, and for the maximum age in the request.
  static func isFresh(_ fix: SealedFix, for once: OnceDisclosure, at now: MonotonicInstant) -> Bool {
    guard fix.arrived >= once.grant.notBefore else { return false }
    guard let maximumAge = once.options.maximumAge else { return true }
    // A fix that arrived after the release of the button, or after the request, is always fresh enough.
    return fix.arrived >= min(now - .milliseconds(maximumAge), once.grant.press?.up ?? once.received)
  }

  // MARK: Step 3: the indicator

  private func showIndicator(
    for request: DisclosureRequest, _ indicator: inout some DisclosureIndicator, at now: MonotonicInstant
  ) throws(DisclosureFailure) -> MonotonicInstant {
    var end = now + indicationTime
    var state = IndicatorState.on
    switch request {
    case .once(let once):
      // At a press, the gateway has already checked the label of the pressed button.
      if once.grant.press == nil, let remedy = indicator.labelRemedy { throw .indicator(remedy) }
    case .update: state = indicator.stateOfUpdates(at: now)
    case .publication(let publication): end = publication.indicationEnd.flatMap { now < $0 ? $0 : nil } ?? end
    case .redelivery, .crossing: break
    }
    if !request.isUpdate { state = indicator.showUse(by: request.app, until: end, at: now) }
    switch state {
    case .on: return end
    case .unseen: throw .pending
    case .dark(let remedy):
      if !request.isUpdate { indicator.endUse(by: request.app) }
      throw .indicator(remedy)
    }
  }

  // MARK: Steps 4 and 5: the durable entry, and the bytes

  private mutating func record(
    _ data: Disclosed, for request: DisclosureRequest, _ indicationEnd: MonotonicInstant,
    _ authorization: Authorization, _ log: inout some DisclosureLog, at now: ClockReading
  ) throws -> DisclosureReceipt {
    // The log entry of a one-time fix also saves the record of its app.
    let app: AppID? = if case .once = request { request.app } else { nil }
    try log.savePending(except: app)
    switch request {
    case .once(let once): return try record(data, once, indicationEnd, authorization, &log, at: now)
    case .redelivery(let delivery, let connection):
      delivery.send(on: connection, until: min(indicationEnd, delivery.expires))
      return .delivered(delivery)
    case .update(let update): return try record(data, update, authorization, &log, at: now)
    case .publication(let publication):
      var (fix, isLate) = (publication.fix, publication.isLate)
      // The content is read before the entry of a late delivery is written, because no byte of the fix is sent without
      // the content.
      guard let messages = [Publication.Message](encoded: try log.content(of: fix)) else {
        throw DisclosureFailure.revoked
      }
      if !isLate, publication.indicationEnd.map({ $0 <= now.monotonic }) ?? true {
        fix = try log.postpone(fix)
        isLate = true
      }
      publication.sink.publish(
        Publication(number: fix.number, messages: messages, life: Self.life(of: fix, until: publication.expires, now)),
        until: min(indicationEnd, publication.expires))
      return .published(fix, isLate: isLate)
    case .crossing(let crossing):
      let entry = try log.open(
        entry(of: crossing.app, .full, .always, crossing.connection), authorization.record(of: crossing.app),
        sealing: nil)
      crossing.send(until: indicationEnd, at: now)
      return .reported(entry: entry)
    }
  }

  /// Returns the time for which an output may keep a fix. Below full accuracy, this time ends at the quarter hour before
  /// the exact end, or at the next one if that has passed. The exact end would reveal the instant of the press.
  private static func life(of fix: OutboxEntry, until expires: MonotonicInstant, _ now: ClockReading) -> Duration {
    let rest = expires - now.monotonic
    guard fix.accuracy != .full else { return rest }
    let life = rest - .nanoseconds(now.utc(at: expires).quarterHour.elapsed)
    return life > .zero ? life : life + .nanoseconds(Slot.length)
  }

  private func record(
    _ data: Disclosed, _ once: OnceDisclosure, _ indicationEnd: MonotonicInstant, _ authorization: Authorization,
    _ log: inout some DisclosureLog, at now: ClockReading
  ) throws -> DisclosureReceipt {
    let (report, memory): (FixReport, SealedMemory?)
    switch data {
    case .fix(let fix): (report, memory) = (fix.report(disclosed: now.monotonic, press: once.positionInstant), nil)
    case .approximate(let node, let sealing), .scheduled(let node, let sealing, _): (report, memory) = (node, sealing)
    case .kept: throw DisclosureFailure.pending
    }
    let (app, record) = (once.grant.app, authorization.record(of: once.grant.app))
    let entry = entry(of: app, report.accuracy, once.grant.right, once.connection)
    if let form = once.connection.sink?.form {
      let id = once.tag.map { String($0.drop { $0 == "@" }) } ?? randomDigits()
      let fix = PublishedFix(
        report, id: id, isByPress: once.grant.press != nil, disclosed: now.utc, isClockSet: once.isClockSet)
      let expires = (once.grant.press?.up ?? once.received) + form.expires
      let kept = OutboxFix(sink: form.name, expires: now.utc(at: expires), bytes: try form.messages(fix).encoded)
      let waiting = try log.keep(kept, as: entry, record, sealing: memory)
      return .stored(waiting, expires: expires, indicationEnd: indicationEnd)
    }
    let number = try log.open(entry, record, sealing: memory)
    let json = if case .fix(let fix) = data { fix.json(report, for: once.connection.transport) } else { report.json }
    let delivery = Delivery(once, report.accuracy, entry: number, json: json, sent: now.monotonic)
    if delivery.isKept { return .kept(delivery) }
    delivery.send(on: once.connection, until: indicationEnd)
    return once.qos == 0 ? .sent(entry: number) : .delivered(delivery)
  }

  private mutating func record(
    _ data: Disclosed, _ update: UpdateDisclosure, _ authorization: Authorization, _ log: inout some DisclosureLog,
    at now: ClockReading
  ) throws -> DisclosureReceipt {
    let stream = update.stream
    switch data {
    case .fix(let fix):
      try openInterval(.full, update, authorization, &log, sealing: nil)
      stream.noteSent(fix.position, arrived: fix.arrived)
      update.send { encoded.line(of: fix, $0, for: update.connection, at: now.monotonic) }
      return .updated(accuracy: .full)
    case .scheduled(let report, let memory, let quarterHours):
      try openInterval(report.accuracy, update, authorization, &log, sealing: memory)
      stream.passQuarterHour(quarterHours)
      // The minimum distance of the updates has no effect on names of places, which have no position.
      let position = report.coordinate.map(SealedPosition.init)
      guard position.map(stream.isFar) ?? true else { return .updated(accuracy: nil) }
      stream.noteSent(position, arrived: nil)
      update.send { UpdateLine(sid: $0, json: report.json) }
      return .updated(accuracy: report.accuracy)
    case .approximate, .kept: throw DisclosureFailure.pending
    }
  }

  /// Opens one log entry for the series of continuous updates that begins, unless the series already has an entry.
  private func openInterval(
    _ accuracy: FixAccuracy, _ update: UpdateDisclosure, _ authorization: Authorization,
    _ log: inout some DisclosureLog, sealing memory: SealedMemory?
  ) throws {
    let stream = update.stream
    guard stream.entry == nil else {
      if let memory { try log.seal(memory) }
      return
    }
    guard update.mayOpenInterval, let right = stream.right?.updates.right else { throw DisclosureFailure.pending }
    let entry = entry(of: stream.app, accuracy, right, update.connection)
    stream.open(try log.openInterval(entry, authorization.record(of: stream.app), sealing: memory))
  }

  private func entry(
    of app: AppID, _ accuracy: FixAccuracy, _ right: Right, _ connection: any ClientConnection
  ) -> DisclosureEntry {
    DisclosureEntry(
      app: app, accuracy: accuracy, right: right, transport: connection.transport.rawValue, isSimulated: isSimulated)
  }
}
