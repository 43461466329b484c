import Base

/// A detector of epochs that were read late, for example because the I2C bus failed for a second, or because this
/// process had to wait.
///
/// The delay of an epoch is the instant of its arrival minus the time that the receiver reports. The delay contains an
/// unknown constant, so the type compares each delay with the usual delay.
struct ReadDelay: Sendable {
  /// The minimum additional delay in seconds of a late epoch. (The additional delay is the delay minus the usual
  /// delay.) On an I2C bus, an epoch waits for a read for up to 250 ms.
  private static let limit = 0.5
  /// The largest change in seconds between two delays that count as equal.
  private static let tolerance = 0.3
  /// The fraction of the additional delay that each epoch adds to the usual delay. So the usual delay adapts to the
  /// drift of the clocks.
  private static let adaption = 1.0 / 16

  private var last: Moment?
  /// The additional delay of the latest epoch in seconds: its delay minus the usual delay.
  private var delay = 0.0

  /// Returns the duration by which an epoch arrived later than usual; zero if the epoch was read in time.
  ///
  /// Epochs that waited for the same read have different delays. If successive late epochs have equal delays, the
  /// receiver has set its clock, and the new delay becomes the usual delay.
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
