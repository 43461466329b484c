package import Clocks

/// The schedule of the slots of the cloak or of the places. Each slot lasts at least 15 minutes of the monotonic clock.
///
/// No program can set the monotonic clock, and it continues while the daemon restarts. So this clock alone ends slots.
/// UTC comes from the receiver or from the clock of the machine, which an attacker may set. So UTC only makes slots
/// longer, to align them with the quarter hours or with a secret phase:
///
/// | slot | end |
/// | --- | --- |
/// | the first slot of a boot | the next aligned time; 15 minutes later if the slot has an answer |
/// | a saved slot, after a restart of the daemon | the saved instant |
/// | a saved slot with an answer, after a restart of the machine | the saved rest after the boot, at most 15 minutes |
/// | each later slot | 15 minutes after its beginning, and at most `tolerance` later |
///
/// The monotonic clock of Linux is zero at the boot. It stops while the machine is suspended, which makes the slot longer.
package struct SlotSchedule: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// The saved slot continues.
    case resumed
    /// - isBoundary: Whether the slot began now. A slot can also be found late, or at the start of the daemon.
    case began(isBoundary: Bool)
  }

  /// The maximum time by which alignment makes a slot longer, and the maximum time by which a slot may begin late without
  /// being aligned again, in nanoseconds.
  private static let tolerance: Int64 = 60_000_000_000
  /// The maximum length of a slot: the first slot of a boot, with an answer.
  private static let longest = Duration.nanoseconds(2 * Slot.length)

  /// The offset of the slots from the quarter hours of UTC, in nanoseconds.
  private let phase: Int64
  /// The identifier of the present boot of the machine; empty if it is unknown.
  private let boot: String
  /// The slot of the earlier run; no answer after it was resumed or has ended.
  private var saved: SavedSlot
  /// The latest instant of which the schedule knows.
  private var seen: MonotonicInstant?
  /// The beginning of the present slot, if the slot began at a boundary in this run.
  package private(set) var begin: MonotonicInstant?
  /// The end of the present slot; nil before the first call of `advance`.
  package private(set) var end: MonotonicInstant?
  /// Whether the present slot is the first one of a boot, and has no answer yet.
  private var isShort = false
  /// Whether an answer of the present slot may be on the disk or have been sent. Until the first call of `advance`, this
  /// applies to the saved slot.
  package private(set) var isAnswered: Bool
  /// Whether the present slot began in an earlier boot of the machine.
  package private(set) var isFormer: Bool

  /// - Parameters:
  ///   - phase: The offset of the slots from the quarter hours of UTC, in nanoseconds.
  ///   - saved: The slot of the earlier run.
  ///   - boot: The identifier of the present boot. If it is empty, each restart counts as a restart of the machine.
  package init(phase: Int64 = 0, resuming saved: SavedSlot = SavedSlot(), boot: String) {
    self.phase = phase
    self.saved = saved
    self.boot = boot
    isAnswered = saved.isAnswered
    isFormer = saved.isFormer
  }

  /// Resumes the saved slot, or begins a slot if the present one has ended.
  ///
  /// - Parameter utc: The date and time, which align the slots.
  /// - Returns: Nil if the present slot continues.
  package mutating func advance(to instant: MonotonicInstant, utc: UTCTime) -> Change? {
    seen = instant
    if end == nil, resume(at: instant) { return .resumed }
    if let end, instant < end { return nil }
    let isBoundary: Bool
    if let end {
      let late = (instant - end).clampedNanoseconds
      let begin = instant - .nanoseconds(late % Slot.length)
      let delay = elapsed(at: ClockReading(monotonic: instant, utc: utc).utc(at: begin))
      let alignment = delay <= Self.tolerance ? 0 : min(Slot.length - delay, Self.tolerance)
      self.begin = begin
      self.end = begin + .nanoseconds(Slot.length + alignment)
      isBoundary = .nanoseconds(late) <= Slot.boundaryTolerance
    } else {
      end = instant + .nanoseconds(Slot.length - elapsed(at: utc))
      isBoundary = false
    }
    (isShort, isAnswered, isFormer) = (begin == nil, false, false)
    return .began(isBoundary: isBoundary)
  }

  /// Resumes the saved slot. Returns whether it continues.
  private mutating func resume(at instant: MonotonicInstant) -> Bool {
    let saved = saved
    self.saved = SavedSlot()
    if !boot.isEmpty, saved.boot == boot, saved.end - instant <= Self.longest + .nanoseconds(Self.tolerance) {
      end = saved.end
    } else if saved.isAnswered {
      let rest = MonotonicInstant(nanoseconds: 0) + saved.rest
      guard instant < rest else { return false }
      end = rest
      isFormer = true
    }
    return end.map { instant < $0 } ?? false
  }

  /// Records that the present slot has an answer, which must stay until 15 minutes are over.
  package mutating func noteAnswer(at instant: MonotonicInstant) {
    (isAnswered, seen) = (true, instant)
    guard isShort else { return }
    end = end.map { $0 + .nanoseconds(Slot.length) }
    isShort = false
  }

  /// The present slot as it survives a restart.
  package var record: SavedSlot {
    guard let end, let seen else { return saved }
    // A short slot has no answer, so after a restart another slot may begin at once.
    guard !isShort else { return SavedSlot() }
    return SavedSlot(
      boot: boot, end: end, rest: min(max(.zero, end - seen), .nanoseconds(Slot.length)), isAnswered: isAnswered,
      isFormer: isFormer)
  }

  /// Returns the number of the slot that contains a time, counted from 1970. It tells how old an answer is.
  func number(of utc: UTCTime) -> Int64 {
    let time = Self.limited(utc) - phase
    return (time - elapsed(at: utc)) / Slot.length
  }

  /// The numbers of all slots whose times fit in 64-bit nanoseconds since 1970.
  static let validNumbers = Int64.min / Slot.length - 1...Int64.max / Slot.length

  /// Returns the nanoseconds since the last aligned time.
  private func elapsed(at utc: UTCTime) -> Int64 {
    let into = (Self.limited(utc) - phase) % Slot.length
    return into < 0 ? into + Slot.length : into
  }

  /// Returns the nanoseconds since 1970. The margin of two slots at the beginning of the range keeps the differences
  /// from an overflow.
  private static func limited(_ utc: UTCTime) -> Int64 { max(utc.nanosecondsSince1970, .min + 2 * Slot.length) }
}
