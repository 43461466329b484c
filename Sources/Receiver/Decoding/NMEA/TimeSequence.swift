/// A filter for times of day that go back or repeat.
///
/// A second device on the same serial line can repeat the positions of the first device some seconds later. Its times
/// alternate with those of the first device, and its NMEA sentences are late copies. A receiver that sets its clock
/// back continues from the earlier time.
///
/// Some devices repeat a time for several seconds while the positions change. These positions are separate epochs (an
/// epoch is all data of one instant).
struct TimeSequence: Sendable {
  /// The range in nanoseconds by which a late copy is older. A receiver that aligns its measurements with whole seconds
  /// goes back by less than this range.
  private static let delays: Range<Int64> = 500_000_000..<10_000_000_000
  /// The maximum count of successive earlier times that count as copies. With more earlier times, the receiver has set
  /// its clock back.
  private static let mostCopies = 2
  /// The count of positions without a late copy, after which the device that sends copies counts as absent.
  private static let memory = 10
  /// The maximum count of successive positions with the same time.
  private static let mostRepetitions = 64

  private var hasCopies = false
  private var copyTime: Int64 = -1
  private var copies = 0
  private var clean = 0

  private var repetitions = 0
  private var moves = 0
  /// How often the latest time occurred again while the position changed. The next times are expected to occur as
  /// often.
  private var usual = 0

  init() {}

  /// Returns whether a time is earlier than another time, by a difference that is typical of a late copy. Both times
  /// are in nanoseconds since midnight; a negative time is unknown.
  static func isEarlier(_ time: Int64, than other: Int64) -> Bool {
    guard time >= 0, other >= 0 else { return false }
    return delays.contains(dayDifference(time, other))
  }

  /// Returns whether a time is later than another time, by less than 10 s. Both times are in nanoseconds since
  /// midnight.
  static func follows(_ time: Int64, _ other: Int64) -> Bool {
    (1..<delays.upperBound).contains(dayDifference(other, time))
  }

  /// Records that a second device sends late copies. The caller has seen a time go back and then continue from the time
  /// before.
  mutating func findCopy() {
    (hasCopies, copies, clean) = (true, 0, 0)
  }

  /// Returns whether an NMEA sentence is a late copy from a second device. `time` is the time of the sentence, and
  /// `last` is the time of the latest data, both in nanoseconds since midnight.
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

  /// Returns whether an NMEA sentence with the same time as the latest data begins a new epoch (all data of one
  /// instant).
  ///
  /// - Parameters:
  ///   - moved: whether the position of the sentence differs from the latest position.
  ///   - isRecorded: whether the input is a recording. In live data, two devices can report the same time, so the first
  ///     repetition counts only if the device is known to repeat its times.
  mutating func acceptsRepetition(moved: Bool, isRecorded: Bool) -> Bool {
    repetitions = min(repetitions + 1, Self.mostRepetitions)
    if moved { moves += 1 }
    if moved, isRecorded || repetitions >= 2 { return true }
    return repetitions <= usual && usual >= 2
  }

  /// Records that the device has sent a new time.
  mutating func timeChanged() {
    if moves > 0 { usual = repetitions } else if repetitions == 0 { usual = 0 }
    (repetitions, moves) = (0, 0)
  }
}
