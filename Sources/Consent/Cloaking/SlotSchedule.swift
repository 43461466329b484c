import Clocks

/// The schedule of the cloak's evaluations, at most one in each slot of 15 minutes. The offset of the slots from the
/// quarter hours is secret.
///
/// While the daemon runs, only the monotonic clock starts slots. UTC aligns the first slot of a run with the slots of
/// the previous run:
///
/// | first answer of a run | result |
/// | --- | --- |
/// | UTC is in a later slot than the last evaluation | a new evaluation |
/// | UTC is in the same slot | the stored answer |
/// | UTC is in an earlier slot | the stored answer, until that slot ends according to the monotonic clock |
///
/// UTC is in an earlier slot if the wall clock went back, or if the machine has no date yet. Such a time keeps the
/// stored answer valid for at most one slot, and never causes an evaluation. A suspension of the machine extends the
/// life of the stored answer, because the monotonic clock of Linux stops. One weakness remains: an attacker who can
/// restart the daemon *and* set the date forward gets one evaluation for each restart.
struct SlotSchedule {
  /// The offset of slots from the quarter hours of UTC, in nanoseconds.
  private let phase: Int64
  /// The end of the current slot; nil before the first slot of this run.
  private(set) var end: MonotonicInstant?

  /// The numbers of all slots whose times fit in 64-bit nanoseconds since 1970.
  static let validNumbers = Int64.min / Slot.length - 1...Int64.max / Slot.length

  init(key: CloakKey) {
    phase = Int64(key.draw(.slotPhase).0 * Double(Slot.length))
  }

  /// Starts a slot if the current one has ended. Returns its number if the cloak may evaluate the position; nil if the
  /// stored answer stays valid.
  ///
  /// - Parameters:
  ///   - utc: The date and time. It determines the number of the slot. In the first call, it also determines the end of
  ///     the slot.
  ///   - last: The slot of the last evaluation in any run, if any.
  mutating func beginSlot(at instant: MonotonicInstant, utc: UTCTime, last: Int64?) -> Int64? {
    let (slot, remaining) = position(of: utc)
    guard let end else {
      self.end = instant + .nanoseconds(remaining)
      guard let last else { return slot }
      return slot > last ? slot : nil
    }
    guard instant >= end else { return nil }
    let late = (instant - end).clampedNanoseconds % Slot.length
    self.end = instant + .nanoseconds(Slot.length - late)
    return slot
  }

  /// Returns the number of the slot that contains a time, and the remaining nanoseconds of the slot.
  private func position(of utc: UTCTime) -> (slot: Int64, remaining: Int64) {
    // The margin of two slots at the beginning of the range keeps the differences below from an overflow.
    let time = max(utc.nanosecondsSince1970, .min + 2 * Slot.length) - phase
    let into = ((time % Slot.length) + Slot.length) % Slot.length
    return ((time - into) / Slot.length, Slot.length - into)
  }
}
