import Authorization
import Clocks
import Disclosure
import Hardware
import LineProtocol
import Logging
import ReceiverStream
import Telemetry

/// Passes data from the receiver's port to the pipeline, and the receiver's state to apps and owners.
extension Router {
  mutating func openReceiver(isSpeedKnown: Bool, at now: ClockReading) {
    receiver.open()
    perform([.count(.receiverOpened), .becameReady, .receiverChanged], at: now)
    perform([.log(LogMessage(.receiver, .info, "receiver open", ["receiver": dependencies.receiver.name]))], at: now)
    perform(control.handle(.opened(isSpeedKnown: isSpeedKnown), at: now.monotonic), at: now)
  }

  mutating func loseReceiver(cause: String, at now: ClockReading) {
    let isNew = receiver.condition.state != .absent || receiver.condition.cause != cause
    receiver.lose(cause: cause)
    perform(control.handle(.lost, at: now.monotonic), at: now)
    guard isNew else { return }
    perform(
      [
        .count(.receiverLost), .log(LogMessage(.receiver, .warning, "receiver absent", ["cause": cause])),
        .receiverChanged,
      ], at: now)
  }

  /// Passes data of the receiver to the decoder.
  /// - Returns: Whether the caller must call `advanceReceiver`.
  mutating func receive(_ data: ReceiverData, at now: ClockReading) -> Bool {
    // The receiver sent this data before its supply was switched off.
    guard control.isOn else { return false }
    var actions: [Action] = []
    if case .bytes(let bytes, let arrived) = data {
      actions = control.handle(.bytes(bytes.count, arrived: arrived), at: now.monotonic)
      for index in clocks.indices { clocks[index].receive(bytes.count, arrived: arrived) }
    }
    perform(actions, at: now)
    receiver.consume(data)
    return receiver.hasNews || control.needsCounts || !actions.isEmpty
  }

  /// Processes the epochs, messages and answers that are complete.
  mutating func advanceReceiver(at now: ClockReading) {
    let former = receiver.condition
    perform([.advanceReceiver], at: now)
    perform(receiver.drainNotices().map { .log(LogMessage($0)) }, at: now)
    perform(control.handle(.answers(receiver.drainReplies()), at: now.monotonic), at: now)
    if control.needsCounts { perform(control.handle(.counts(receiver.sentenceCounts), at: now.monotonic), at: now) }
    if receiver.condition != former { perform([.receiverChanged], at: now) }
  }

  mutating func passReceiver(at now: ClockReading) {
    let former = receiver.condition
    let isSilent = receiver.pass(to: now.monotonic)
    if receiver.condition != former { perform([.receiverChanged], at: now) }
    if isSilent { perform(control.handle(.silent, at: now.monotonic), at: now) }
    advanceReceiver(at: now)
    perform(control.handle(.timePassed, at: now.monotonic), at: now)
  }

  /// Processes the next complete epoch. Apps receive the fix of this epoch before the next epoch is processed.
  mutating func serveNextEpoch(at now: ClockReading) -> [Action] {
    guard receiver.advance(today: now.utc.date) else { return [] }
    var actions: [Action] = []
    if let time = receiver.time {
      for index in clocks.indices { actions += clocks[index].send(time, at: now).map(Action.log) }
    }
    if receiver.condition.state == .ready { actions.append(.count(.firstFix)) }
    if !authorization.isLocked, let fix = receiver.latest { gate.watchPlaces(fix) }
    return actions + [.servePending, .watchRegions, .advanceReceiver]
  }

  mutating func watchRegions(at now: MonotonicInstant) -> [Action] {
    guard let fix = receiver.latest else { return [] }
    return regions.handle(.fix(fix, for: watchedApps), at: now)
  }

  mutating func receiverChanged(at now: MonotonicInstant) -> [Action] {
    sessions.handle(.receiver(receiverJSON), at: now) + [.notifyOwners(.receiver, ownerReceiverJSON)]
  }

  /// The state of the receiver for apps, which may only see whether a receiver is present.
  var receiverJSON: String {
    JSONObject.text(["state": receiver.condition.state == .absent ? "absent" : "present"])
  }

  var ownerReceiverJSON: String {
    let condition = receiver.condition
    return JSONObject.text([
      "state": condition.state.rawValue, "fix": condition.mode?.name, "sats": condition.satellitesUsed,
      "hdop": condition.hdop, "dateCorrected": condition.isDateCorrected ? true : nil, "cause": condition.cause,
    ])
  }
}
