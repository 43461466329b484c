package import Base

/// A schedule of slots: periods of at least 15 minutes in which an answer to apps stays the same.
///
/// Only the monotonic clock ends slots, because no program can set this clock, and this clock continues while the
/// daemon restarts. UTC may come from a clock that an attacker can set. UTC therefore only makes slots longer, to align
/// slots with the quarter hours or with a secret phase:
///
/// | slot | end |
/// | --- | --- |
/// | the first slot of a boot | the next aligned time; 15 minutes later if the slot has an answer |
/// | a saved slot, after a restart of the daemon | the saved instant |
/// | a saved slot with an answer, after a restart of the machine | the saved rest after the boot, at most 15 minutes |
/// | each later slot | 15 minutes after its beginning, and at most `tolerance` later |
///
/// The monotonic clock of Linux is zero at the boot. This clock stops while the machine is suspended, which makes the
/// slot longer.
package struct SlotSchedule: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// A slot from an earlier run of the daemon continues.
    case resumed
    /// A new slot has begun. `isBoundary` is true if the slot began at most 5 s after the end of the previous slot;
    /// false without a previous slot.
    case began(isBoundary: Bool)
  }

  /// The maximum extension of a slot for its alignment with UTC, in nanoseconds. A slot that begins less than this time
  /// after an aligned time is not extended.
  private static let tolerance: Int64 = 60_000_000_000
  /// The maximum duration of a slot. Only the first slot of a boot can have this duration, if an app gets an answer.
  private static let longest = Duration.nanoseconds(2 * Slot.length)

  /// The time in nanoseconds from each quarter hour of UTC to the next time at which slots should begin.
  private let phase: Int64
  /// The identifier of the present boot of the machine; empty if the identifier is unknown.
  private let boot: String
  /// The slot (a period in which an answer stays the same) from the earlier run of the daemon; an empty slot after the
  /// first call of `advance`.
  private var saved: SavedSlot
  /// The latest instant at which `advance` or `noteAnswer` was called; nil before the first call.
  private var seen: MonotonicInstant?
  /// The beginning of the present slot (a period in which an answer stays the same); nil for a first or resumed slot.
  package private(set) var begin: MonotonicInstant?
  /// The end of the present slot (a period in which an answer stays the same); nil before the first call of `advance`.
  package private(set) var end: MonotonicInstant?
  /// Whether the present slot is the first slot of a boot of the machine, and has no answer yet. An answer makes such a
  /// slot 15 minutes longer.
  private var isShort = false
  /// Whether an app may have received an answer in the present slot (a period in which an answer stays the same).
  /// Before the first call of `advance`, the value is for the saved slot.
  package private(set) var isAnswered: Bool
  /// Whether the present slot began in an earlier boot of the machine, or before the machine was suspended.
  package private(set) var isFormer: Bool

  /// Creates a schedule that can continue a saved slot (a period in which an answer stays the same).
  ///
  /// - Parameters:
  ///   - phase: The time in nanoseconds from each quarter hour of UTC to the next time at which a slot begins.
  ///   - saved: The slot that the earlier run of the daemon saved.
  ///   - boot: The identifier of the present boot of the machine. If the identifier is empty, each restart of the
  ///     daemon counts as a reboot.
  package init(phase: Int64 = 0, resuming saved: SavedSlot = SavedSlot(), boot: String) {
    self.phase = phase
    self.saved = saved
    self.boot = boot
    isAnswered = saved.isAnswered
    isFormer = saved.isFormer
  }

  /// Resumes the saved slot (a period in which an answer stays the same), or begins a slot if the present slot has
  /// ended.
  ///
  /// - Parameter utc: The date and time, with which the beginnings of slots are aligned.
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

  /// Continues the saved slot if the slot has not ended at this instant. Returns whether the slot continues.
  private mutating func resume(at instant: MonotonicInstant) -> Bool {
    let saved = saved
    self.saved = SavedSlot()
    if !boot.isEmpty, saved.boot == boot, saved.end - instant <= Self.longest {
      end = saved.end
    } else if saved.isAnswered {
      let rest = MonotonicInstant(nanoseconds: 0) + saved.rest
      guard instant < rest else { return false }
      end = rest
      isFormer = true
    }
    return end.map { instant < $0 } ?? false
  }

  /// Records that an app gets an answer in the present slot. The answer then stays the same for at least 15 minutes.
  package mutating func noteAnswer(at instant: MonotonicInstant) {
    (isAnswered, seen) = (true, instant)
    guard isShort else { return }
    end = end.map { $0 + .nanoseconds(Slot.length) }
    isShort = false
  }

  /// Records that the machine was suspended, so that an answer in the present slot may be old.
  package mutating func noteSuspension() { if isAnswered { isFormer = true } }

  /// The present slot in the form to save for a restart of the daemon or of the machine.
  package var record: SavedSlot {
    guard let end, let seen else { return saved }
    // A short slot has no answer, so after a restart another slot may begin immediately.
    guard !isShort else { return SavedSlot() }
    return SavedSlot(
      boot: boot, end: end, rest: min(max(.zero, end - seen), .nanoseconds(Slot.length)), isAnswered: isAnswered,
      isFormer: isFormer)
  }

  /// Returns the index of the slot (a period in which an answer stays the same) that contains a time, counted from
  /// 1970.
  func number(of utc: UTCTime) -> Int64 {
    let time = Self.limited(utc) - phase
    return (time - elapsed(at: utc)) / Slot.length
  }

  /// The indices of the slots whose times fit in 64-bit nanoseconds since 1970.
  static let validNumbers = Int64.min / Slot.length...Int64.max / Slot.length

  /// Returns the nanoseconds from the latest aligned time until `utc`. Slots begin at aligned times.
  private func elapsed(at utc: UTCTime) -> Int64 {
    let into = (Self.limited(utc) - phase) % Slot.length
    return into < 0 ? into + Slot.length : into
  }

  private static func limited(_ utc: UTCTime) -> Int64 { max(utc.nanosecondsSince1970, .min + 2 * Slot.length) }
}
