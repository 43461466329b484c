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
  /// The seconds by which the usual delay can grow in each second. The usual delay thus follows the drift of the two
  /// clocks, and forgets a small change of the receiver's clock within minutes.
  private static let drift = 0.002

  private var last: Moment?
  /// The additional delay of the latest epoch in seconds, compared with the usual delay.
  private var delay = 0.0
  /// The additional delay in seconds after it grew by `limit` or more from one epoch to the next. Only such a jump can be
  /// a clock change of the receiver. The value is nil without a jump, or if the delay has grown further since the jump.
  private var jump: Double?

  /// Returns how much later than usual the data of one instant arrived. The result is zero if the program read the data
  /// in time.
  ///
  /// A clock change of the receiver looks like a delay, but all later data then has the same delay. In this case, the
  /// new delay becomes the usual delay. A delay that grows from epoch to epoch is no clock change: for example, the
  /// receiver sends more data than the serial line can carry, and the data waits in the receiver.
  mutating func duration(of epoch: Moment) -> Duration {
    defer { last = epoch }
    guard let last else { return .zero }
    let interval = last.seconds(to: epoch)
    let change = (epoch.arrived - last.arrived) / .seconds(1) - interval
    let isEqual = abs(change) <= Self.tolerance * min(interval, 1)
    delay = max(0, delay + change - Self.drift * max(0, interval))
    if delay < Self.limit {
      jump = nil
      return .zero
    }
    if change >= Self.limit {
      jump = delay
    } else if let before = jump {
      jump = delay < before + Self.limit ? min(before, delay) : nil
      if isEqual, jump != nil {
        (delay, jump) = (0, nil)
        return .zero
      }
    }
    return .seconds(delay)
  }
}
