import Base

/// A detector of receiver epochs (an epoch is all data of one instant) that the program read late, for example because
/// the I2C bus failed for a second, or because the process had to wait.
///
/// The delay of an epoch is its arrival time minus the time that the receiver reports. The delay contains an unknown
/// constant, so the type compares each delay with the usual delay.
struct ReadDelay: Sendable {
  /// The additional delay in seconds from which data counts as late. (The additional delay is the delay minus the usual
  /// delay.) On an I2C bus, data waits for up to 250 ms before the program reads it.
  private static let limit = 0.5
  /// The largest difference in seconds between two delays that count as equal.
  private static let tolerance = 0.3
  /// The fraction of the additional delay by which each measurement changes the usual delay. The usual delay thus
  /// follows the drift of the two clocks.
  private static let adaption = 1.0 / 16

  private var last: Moment?
  /// The delay of the latest data minus the usual delay, in seconds.
  private var delay = 0.0

  /// Returns the time by which the data of one instant arrived later than usual; zero if the program read the data in
  /// time.
  ///
  /// If successive late data has equal delays, the receiver has set its clock, and the new delay becomes the usual
  /// delay. Data that really waited for the same read has different delays.
  mutating func duration(of epoch: Moment) -> Duration {
    defer { last = epoch }
    guard let last else { return .zero }
    let interval = last.seconds(to: epoch)
    let change = (epoch.arrived - last.arrived) / .seconds(1) - interval
    let isEqual = abs(change) <= Self.tolerance * min(interval, 1)
    delay = delay >= Self.limit && isEqual ? 0 : max(0, delay + change)
    guard delay < Self.limit else { return .seconds(delay) }
    delay -= delay * Self.adaption
    return .zero
  }
}
