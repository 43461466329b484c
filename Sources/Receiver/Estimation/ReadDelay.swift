import Base

/// A detector of receiver epochs (an epoch is all data of one instant) that the program read late, for example because
/// the I2C bus failed for a second, or because the process had to wait.
///
/// The delay of an epoch is its arrival time minus the time that the receiver reports. The delay contains an unknown
/// constant, so the type compares each delay with the usual delay.
struct ReadDelay: Sendable {
  /// The minimum additional delay of a late epoch in seconds. (The additional delay is the delay minus the usual
  /// delay.) On an I2C bus, an epoch waits for up to 250 ms before the program reads it.
  private static let limit = 0.5
  /// The largest difference in seconds between two delays that count as equal.
  private static let tolerance = 0.3
  /// The fraction of the additional delay by which each epoch adapts the usual delay. The adaptation follows the drift
  /// of the two clocks.
  private static let adaption = 1.0 / 16

  private var last: Moment?
  /// The delay of the latest epoch minus the usual delay, in seconds.
  private var delay = 0.0

  /// Returns the time by which an epoch arrived later than usual; zero if the program read the epoch in time.
  ///
  /// If successive late epochs have equal delays, the receiver has set its clock. The new delay then becomes the usual
  /// delay. Epochs that really waited for the same read have different delays.
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
