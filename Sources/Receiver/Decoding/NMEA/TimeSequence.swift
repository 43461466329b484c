/// A judge of times that go back, and of times that repeat.
///
/// A second device on the line can repeat the positions of the first one some seconds later. Its times alternate with
/// those of the first device, and its sentences are late copies. A receiver that sets its clock back continues from the
/// earlier time.
///
/// Some converters repeat a time for several seconds, while the positions change. Such positions are epochs.
struct TimeSequence: Sendable {
  /// The times in nanoseconds by which a copy is late. A receiver that begins to align its epochs with the seconds goes
  /// back by less.
  private static let delays: Range<Int64> = 500_000_000..<10_000_000_000
  /// The number of different earlier times in a row after which they are no copies.
  private static let mostCopies = 2
  /// The number of epochs without a copy after which a time that goes back is no copy.
  private static let memory = 10
  /// The largest number of epochs with one time.
  private static let mostRepetitions = 64

  private var hasCopies = false
  private var copyTime: Int64 = -1
  private var copies = 0
  private var clean = 0

  private var repetitions = 0
  private var moves = 0
  /// The number of repetitions of the latest time at which the position changed.
  private var usual = 0

  init() {}

  /// Returns whether a time is earlier than another one by the delay of a copy.
  static func isEarlier(_ time: Int64, than other: Int64) -> Bool {
    guard time >= 0, other >= 0 else { return false }
    return delays.contains(dayDifference(time, other))
  }

  /// Returns whether a time is later than another one, and not by more than the delay of a copy.
  static func follows(_ time: Int64, _ other: Int64) -> Bool {
    (1..<delays.upperBound).contains(dayDifference(other, time))
  }

  /// Handles the event that an earlier time was followed by the time before it, or by a later one.
  mutating func findCopy() {
    (hasCopies, copies, clean) = (true, 0, 0)
  }

  /// Returns whether a sentence is a late copy. The sentence would begin an epoch after the epoch with the time `last`.
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

  /// Returns whether a sentence with the time of the last epoch begins an epoch.
  ///
  /// - Parameters:
  ///   - moved: whether its position is a new one.
  ///   - isRecorded: whether the input is a recording. On a live line two devices can report the same time, so the first
  ///     repetition counts only if the sender is known to repeat its times.
  mutating func acceptsRepetition(moved: Bool, isRecorded: Bool) -> Bool {
    repetitions = min(repetitions + 1, Self.mostRepetitions)
    if moved { moves += 1 }
    if moved, isRecorded || repetitions >= 2 { return true }
    return repetitions <= usual && usual >= 2
  }

  /// Handles the beginning of an epoch with a new time.
  mutating func timeChanged() {
    if moves > 0 { usual = repetitions } else if repetitions == 0 { usual = 0 }
    (repetitions, moves) = (0, 0)
  }
}
