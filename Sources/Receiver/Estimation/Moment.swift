import Base
import GNSS

/// The time of one receiver epoch (all data of one instant), on two clocks: the time that the receiver reports, and the
/// monotonic clock of this machine.
struct Moment: Hashable, Sendable {
  private let date: UTCDate?
  private let timeOfDay: TimeOfDay?
  /// The arrival time of the epoch's first byte.
  let arrived: MonotonicInstant

  init(_ epoch: Epoch) {
    (date, timeOfDay, arrived) = (epoch.date, epoch.timeOfDay, epoch.began)
  }

  /// Returns the seconds from this moment to the other moment, negative if the other moment is earlier.
  ///
  /// The difference comes from the first source that both moments have: date and time of day, the time of day (less
  /// than half a day in either direction), or the clock of this machine.
  func seconds(to other: Moment) -> Double {
    let waited = (other.arrived - arrived) / .seconds(1)
    guard let from = timeOfDay, let to = other.timeOfDay else { return waited }
    let within = Double(to.nanosecondsSinceMidnight - from.nanosecondsSinceMidnight) / 1e9
    if let first = date, let second = other.date {
      return Double(second.daysSince1970 - first.daysSince1970) * 86_400 + within
    }
    // A receiver that sends no dates reports each time of day again on the next day.
    if waited > 43_200 { return waited }
    return within - (within / 86_400).rounded() * 86_400
  }
}
