import Clocks

/// The schedule of evaluations: the cloak may evaluate the position once in each 15 minute slot. The phase is secret.
///
/// While the daemon runs, slots follow only the monotonic clock, so a step of the wall clock never starts a slot. UTC
/// aligns the first slot of a run with the slots of the previous run:
///
/// | first answer of a run | result |
/// | --- | --- |
/// | UTC is in a later slot than the last evaluation | a new evaluation |
/// | UTC is in the same slot | the stored answer |
/// | UTC is in an earlier slot (clock went back, no date yet) | the stored answer until that slot ends by the monotonic clock |
///
/// A wrong date that was accepted once can therefore freeze the answer for at most one slot of a run, and a clock that
/// goes back never causes an evaluation. (The monotonic clock of Linux stops in suspend; the answer is then older by
/// that time.) One weakness remains: an attacker who can restart the daemon *and* set the date forward gets one
/// evaluation per restart.
struct SlotSchedule {
  /// The offset of slots from the quarter hours of UTC, in nanoseconds.
  private let phase: Int64
  /// The end of the current slot; nil before the first slot of this run.
  private(set) var end: MonotonicInstant?

  /// The length of a slot, in nanoseconds.
  static let length: Int64 = 900_000_000_000
  /// The numbers of all slots that a 64-bit UTC time can be in.
  static let validNumbers = Int64.min / length - 1...Int64.max / length

  init(key: CloakKey) {
    phase = Int64(key.draw(.slotPhase).0 * Double(Self.length))
  }

  /// Starts a slot if it is due, and returns its number if the cloak may evaluate now; nil if the stored answer stays.
  ///
  /// - Parameters:
  ///   - instant: The present. After the first call only this time starts slots.
  ///   - utc: The date and time; it gives the slot's number, and in the first call its end.
  ///   - last: The number of the slot of the last evaluation, in this run or before it; nil if there was none.
  mutating func beginSlot(at instant: MonotonicInstant, utc: UTCTime, last: Int64?) -> Int64? {
    let (slot, remaining) = position(of: utc)
    guard let end else {
      self.end = instant + .nanoseconds(remaining)
      guard let last else { return slot }
      return slot > last ? slot : nil
    }
    guard instant >= end else { return nil }
    let late = (instant - end).clampedNanoseconds % Self.length
    self.end = instant + .nanoseconds(Self.length - late)
    return slot
  }

  /// Returns the slot that contains a time, and the nanoseconds until it ends.
  private func position(of utc: UTCTime) -> (slot: Int64, remaining: Int64) {
    let time = max(utc.nanosecondsSince1970, .min + Self.length) - phase
    let into = ((time % Self.length) + Self.length) % Self.length
    return ((time - into) / Self.length, Self.length - into)
  }
}
