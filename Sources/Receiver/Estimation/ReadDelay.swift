import Base

/// A detector of epochs (all data of one instant) that the program read late, for example because the I2C bus failed
/// for a second.
///
/// The delay of an epoch is its arrival time minus the time that the receiver reports. The delay contains an unknown
/// constant, so the detector compares each delay with the usual delay.
struct ReadDelay: Sendable {
  /// The minimum additional delay, in seconds, of data that the program read late. (Additional means: more than usual.)
  /// On an I2C bus, data waits for up to 250 ms before the program reads it.
  private static let limit = 0.5
  /// The maximum difference in seconds between the delays of two successive epochs that count as equal.
  private static let tolerance = 0.3
  /// The fraction of the additional delay by which each measurement changes the usual delay. The usual delay thus
  /// follows the drift of the two clocks.
  private static let adaption = 1.0 / 16

  private var last: Moment?
  /// The additional delay of the latest epoch in seconds, compared with the usual delay.
  private var delay = 0.0

  /// Returns how much later than usual the data of one instant arrived. The result is zero if the program read the data
  /// in time.
  ///
  /// A clock change of the receiver looks like a delay, but all later data then has the same delay. In this case, the
  /// new delay becomes the usual delay.
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
