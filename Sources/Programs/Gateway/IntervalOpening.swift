import Clocks

/// Limits the intervals of updates that are opened in the log at one moment. Each is a wait for the disk: an app with a
/// thousand sessions would hold up the button. The others are opened a moment later, after the events that came meanwhile.
struct IntervalOpening {
  static let mostAtOnce = 4
  private static let pause = Duration.milliseconds(1)

  /// The intervals that were opened at this moment.
  var count = 0
  /// When the others are opened; nil if there are none.
  private(set) var due: MonotonicInstant?

  /// Consumes one of the intervals of this moment.
  /// - Returns: false if there were enough.
  mutating func take(at now: MonotonicInstant) -> Bool {
    guard count < Self.mostAtOnce else {
      due = now + Self.pause
      return false
    }
    count += 1
    return true
  }
}
