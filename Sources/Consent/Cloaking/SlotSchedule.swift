import Clocks

/// When the cloak may look at the position: once in each 15 minute slot of secret phase.
///
/// While the daemon runs the slots follow the monotonic clock alone, so no step of the wall clock, forward or backward,
/// opens one. UTC aligns the first slot of a run with those of the run before:
///
/// | first answer of a run | what happens |
/// | --- | --- |
/// | UTC in a later slot than the last evaluated | evaluated |
/// | the same slot | the stored answer |
/// | an earlier one: the clock went back, or has no date yet | the stored answer until that slot has ended by the monotonic clock |
///
/// So a false date that was believed once can freeze the answer for at most one slot of a run, and time that goes back
/// never evaluates again. (The monotonic clock of Linux stands still in suspend; the answer is then older by that much.)
/// What remains: whoever can restart the daemon *and* set the date forward gets one evaluation for each such restart.
struct SlotSchedule {
  /// Where slots begin, in nanoseconds after the quarter hours of UTC.
  private let phase: Int64
  /// When the current slot ends, once this run has begun.
  private(set) var end: MonotonicInstant?

  /// Nanoseconds in a slot.
  static let length: Int64 = 900_000_000_000
  /// Slots that a UTC time of 64 bits can be in.
  static let numbers = Int64.min / length - 1...Int64.max / length

  init(key: CloakKey) {
    phase = Int64(key.draw(.slotPhase).0 * Double(Self.length))
  }

  /// The number of the slot to evaluate now, or nil where the stored answer stands.
  ///
  /// - Parameter last: the number of the slot that was evaluated last, in this run or before it.
  mutating func open(at instant: MonotonicInstant, utc: UTCTime, last: Int64?) -> Int64? {
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

  /// The slot that a moment lies in, and the nanoseconds until it ends.
  private func position(of utc: UTCTime) -> (slot: Int64, remaining: Int64) {
    let time = max(utc.nanosecondsSince1970, .min + Self.length) - phase
    let into = ((time % Self.length) + Self.length) % Self.length
    return ((time - into) / Self.length, Self.length - into)
  }
}
