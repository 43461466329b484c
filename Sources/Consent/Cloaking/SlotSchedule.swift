import Clocks

/// The schedule of the cloak's evaluations. The cloak may evaluate the position once in each slot of 15 minutes. The
/// offset of the slots from the quarter hours is secret.
///
/// While the daemon runs, only the monotonic clock starts slots, so that a step of the wall clock never starts a slot.
/// UTC aligns the first slot of a run with the slots of the previous run:
///
/// | first answer of a run | result |
/// | --- | --- |
/// | UTC is in a later slot than the last evaluation | a new evaluation |
/// | UTC is in the same slot | the stored answer |
/// | UTC is in an earlier slot | the stored answer, until that slot ends according to the monotonic clock |
///
/// UTC is in an earlier slot if the wall clock went back, or if the machine has no date yet. After the start of a run,
/// a wrong date can therefore keep the stored answer valid for at most one slot. A wall clock that goes back never
/// causes an evaluation. The monotonic clock of Linux stops while the machine is suspended, so a suspension extends the
/// life of the stored answer. One weakness remains: an attacker who can restart the daemon *and* set the date forward
/// gets one evaluation for each restart.
struct SlotSchedule {
  /// The offset of slots from the quarter hours of UTC, in nanoseconds.
  private let phase: Int64
  /// The end of the current slot; nil before the first slot of this run.
  private(set) var end: MonotonicInstant?

  /// The length of a slot, in nanoseconds.
  static let length: Int64 = 900_000_000_000
  /// The valid slot numbers. They are the numbers of all slots whose times can be stored in 64-bit nanoseconds since
  /// 1970.
  static let validNumbers = Int64.min / length - 1...Int64.max / length

  init(key: CloakKey) {
    phase = Int64(key.draw(.slotPhase).0 * Double(Self.length))
  }

  /// Starts a slot if the current one has ended. Returns the number of the new slot if the cloak may evaluate the
  /// position now; nil if the stored answer stays valid.
  ///
  /// - Parameters:
  ///   - instant: The present. After the first call, only this time decides whether a slot starts.
  ///   - utc: The date and time. This time determines the number of the slot. In the first call, this time also
  ///     determines the end of the slot.
  ///   - last: The number of the slot of the last evaluation, in this run or an earlier one; nil if the cloak never
  ///     evaluated a position.
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

  /// Returns the number of the slot that contains a time, and the remaining nanoseconds of the slot.
  private func position(of utc: UTCTime) -> (slot: Int64, remaining: Int64) {
    let time = max(utc.nanosecondsSince1970, .min + Self.length) - phase
    let into = ((time % Self.length) + Self.length) % Self.length
    return ((time - into) / Self.length, Self.length - into)
  }
}
