/// A filter for times of day that go back or repeat.
///
/// A second device on the same serial line can repeat the positions of the first device some seconds later (late
/// copies). In this case, the times of both devices alternate. If a receiver sets its clock back, its times continue
/// from the earlier time.
///
/// Some devices repeat a time for several seconds while their positions change. These positions are separate epochs (an
/// epoch is all data of one instant).
struct TimeSequence: Sendable {
  /// The range of delays, in nanoseconds, of a late copy (the repetition of a position by a second device). A smaller
  /// step back is normal for a receiver that aligns its measurements with whole seconds.
  private static let delays: Range<Int64> = 500_000_000..<10_000_000_000
  /// The maximum count of successive steps back in time that mean late copies from a second device. After more steps,
  /// the receiver has set its clock back.
  private static let mostCopies = 2
  /// The count of positions without a late copy (a repetition by a second device), after which the filter assumes that
  /// no second device exists.
  private static let memory = 10
  /// The maximum count of repetitions of one time that the filter counts.
  private static let mostRepetitions = 64

  private var hasCopies = false
  private var copyTime: Int64 = -1
  private var copies = 0
  private var clean = 0

  private var repetitions = 0
  private var moves = 0
  /// The count of repetitions that the filter expects for each time: the count for the previous time.
  private var usual = 0

  init() {}

  /// Returns whether `time` is earlier than `other` by 0.5 s to 10 s, as in a late copy from a second device. Both
  /// times are in nanoseconds since midnight, and negative if unknown.
  static func isEarlier(_ time: Int64, than other: Int64) -> Bool {
    guard time >= 0, other >= 0 else { return false }
    return delays.contains(dayDifference(time, other))
  }

  /// Returns whether `time` is later than `other` by less than 10 s. Both times are in nanoseconds since midnight.
  static func follows(_ time: Int64, _ other: Int64) -> Bool {
    (1..<delays.upperBound).contains(dayDifference(other, time))
  }

  /// Records that a second device repeats the data of the first device late.
  mutating func findCopy() {
    (hasCopies, copies, clean) = (true, 0, 0)
  }

  /// Returns whether an NMEA sentence repeats old data, because a second device sends late copies. `time` is the time
  /// of the sentence, and `last` is the time of the latest data, both in nanoseconds since midnight.
  mutating func isCopy(_ time: Int64, after last: Int64) -> Bool {
    guard hasCopies else { return false }
    guard TimeSequence.isEarlier(time, than: last) else {
      clean += 1
      if clean >= Self.memory { hasCopies = false }
      copies = 0
      return false
    }
    clean = 0
    if time != copyTime {
      copies += 1
      copyTime = time
    }
    guard copies > Self.mostCopies else { return true }
    hasCopies = false
    return false
  }

  /// Returns whether an NMEA sentence begins a new epoch (all data of one instant), although the time has not changed.
  ///
  /// - Parameters:
  ///   - moved: whether the position has changed.
  ///   - isRecorded: whether the input is a recording. In live data, two devices can report the same time, so the
  ///     filter accepts a repetition only from a device that repeats its times regularly.
  mutating func acceptsRepetition(moved: Bool, isRecorded: Bool) -> Bool {
    repetitions = min(repetitions + 1, Self.mostRepetitions)
    if moved { moves += 1 }
    if moved, isRecorded || repetitions >= 2 { return true }
    return repetitions <= usual && usual >= 2
  }

  /// Records that the receiver's time has changed.
  mutating func timeChanged() {
    if moves > 0 { usual = repetitions } else if repetitions == 0 { usual = 0 }
    (repetitions, moves) = (0, 0)
  }
}
