import Authorization
import Base
import Decoding
import Disclosure
import Hardware
import LineProtocol

// Serves the fixes of the receiver, and passes the receiver's state to apps and owners.
extension Router {
  mutating func openReceiver(isSpeedKnown: Bool, at now: ClockReading) {
    receiver.open(isSpeedKnown: isSpeedKnown, at: now.monotonic, &outputs)
    reportReceiver()
  }

  mutating func loseReceiver(cause: String, at now: ClockReading) {
    let former = receiver.condition
    receiver.lose(cause: cause, &outputs)
    if receiver.condition != former { reportReceiver() }
  }

  /// Passes data of the receiver to the decoder.
  /// - Returns: Whether the caller must call `advanceReceiver(at:)`, because an epoch, a reply or a log message is
  ///   complete.
  mutating func receive(_ data: ReceiverData, at now: ClockReading) -> Bool {
    receiver.take(data, at: now.monotonic, &outputs)
  }

  /// Processes the complete epochs and messages of the receiver. Apps get the fix of each epoch (all data of one
  /// instant) before the next epoch is processed.
  mutating func advanceReceiver(at now: ClockReading) {
    let former = receiver.condition
    while receiver.advance(at: now, &outputs) {
      if !authorization.isLocked, let fix = receiver.latest { disclosures.watchPlaces(fix) }
      servePending(at: now)
      watchRegions(at: now)
    }
    receiver.takeAnswers(at: now.monotonic, &outputs)
    if receiver.condition != former { reportReceiver() }
  }

  /// Handles the deadlines of the receiver that have passed.
  mutating func passReceiver(at now: ClockReading) {
    let former = receiver.condition
    receiver.pass(to: now.monotonic)
    if receiver.condition != former { reportReceiver() }
    advanceReceiver(at: now)
    receiver.passControl(to: now.monotonic, &outputs)
  }

  /// Sends the state of the receiver to apps and owners.
  mutating func reportReceiver() {
    sessions.showReceiver(receiverJSON)
    owners.notify(.receiver, ownerReceiverJSON)
  }

  /// The state of the receiver as JSON for apps. An app sees only whether a receiver is present.
  var receiverJSON: String {
    JSONObject.text(["state": receiver.condition.state == .absent ? "absent" : "present"])
  }

  /// The state of the GNSS receiver as JSON, for owners of the gateway.
  var ownerReceiverJSON: String {
    let condition = receiver.condition
    return JSONObject.text([
      "state": condition.state.rawValue, "fix": condition.mode?.name, "sats": condition.satellitesUsed,
      "hdop": condition.hdop, "dateCorrected": condition.isDateCorrected ? true : nil, "cause": condition.cause,
    ])
  }
}
