import Clocks
import GNSS

/// When an epoch was measured, as far as its receiver says.
struct Moment: Hashable, Sendable {
  private let date: UTCDate?
  private let timeOfDay: TimeOfDay?
  /// When its first byte came.
  let arrived: MonotonicInstant

  init(_ epoch: Epoch) {
    (date, timeOfDay, arrived) = (epoch.date, epoch.timeOfDay, epoch.began)
  }

  /// Seconds until another moment: by both dates and times, else by the times of day (less than half a day either way),
  /// else by this machine's clock.
  func seconds(to other: Moment) -> Double {
    let waited = (other.arrived - arrived) / .seconds(1)
    guard let from = timeOfDay, let to = other.timeOfDay else { return waited }
    let within = Double(to.nanosecondsSinceMidnight - from.nanosecondsSinceMidnight) / 1e9
    if let first = date, let second = other.date {
      return Double(second.daysSince1970 - first.daysSince1970) * 86_400 + within
    }
    // A receiver without dates that says the same time a day later.
    if waited > 43_200 { return waited }
    return within - (within / 86_400).rounded() * 86_400
  }
}
