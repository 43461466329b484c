import Authorization
import Base
import Decoding
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

  /// Discards the receiver's data from before a suspension of the machine.
  mutating func resumeReceiver(at now: ClockReading) {
    let former = receiver.condition
    receiver.resume(at: now.monotonic)
    if receiver.condition != former { reportReceiver() }
  }

  /// Passes data of the GNSS receiver to the decoder.
  /// - Returns: Whether an epoch, a reply or a log message is complete. The caller must then call
  ///   `advanceReceiver(at:)`.
  mutating func receive(_ data: ReceiverData, at now: ClockReading) -> Bool {
    receiver.take(data, at: now.monotonic, &outputs)
  }

  /// Processes the complete epochs and messages of the GNSS receiver. Apps get the fix of each epoch (all data of one
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

  /// Handles the passed deadlines of the GNSS receiver, for example for its next data.
  mutating func passReceiver(at now: ClockReading) {
    let former = receiver.condition
    receiver.pass(to: now.monotonic)
    if receiver.condition != former { reportReceiver() }
    advanceReceiver(at: now)
    receiver.passControl(to: now.monotonic, &outputs)
  }

  mutating func reportReceiver() {
    sessions.showReceiver(receiverJSON)
    owners.notify(.receiver, ownerReceiverJSON)
  }

  /// The state of the GNSS receiver as a JSON message for apps. Apps see only whether a receiver is present.
  var receiverJSON: String {
    JSONObject.text(["state": receiver.condition.state == .absent ? "absent" : "present"])
  }

  /// The state of the GNSS receiver as a JSON message for owners (administrators).
  var ownerReceiverJSON: String {
    let condition = receiver.condition
    return JSONObject.text([
      "state": condition.state.rawValue, "fix": condition.mode?.name, "sats": condition.satellitesUsed,
      "hdop": condition.hdop, "dateCorrected": condition.isDateCorrected ? true : nil, "cause": condition.cause,
    ])
  }
}
