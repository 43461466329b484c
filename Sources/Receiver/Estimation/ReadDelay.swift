import Clocks

/// Finds epochs that were read late: the bus failed for a second, or this process had to wait.
///
/// The delay of an epoch is the instant of its arrival minus the time that the receiver reports. A constant part of the
/// delay is unknown, so the type compares each delay with the usual delay.
struct ReadDelay: Sendable {
  /// The delay in seconds, more than the usual delay, from which an epoch is late. On an I2C bus, an epoch waits for a
  /// read for up to 250 ms.
  private static let limit = 0.5
  /// The largest change in seconds between two delays that count as equal.
  private static let tolerance = 0.3
  /// The share of a delay that becomes usual with each epoch. So the usual delay follows the drift of the clocks.
  private static let adaption = 1.0 / 16

  private var last: Moment?
  /// The delay of the latest epoch in seconds, more than the usual delay.
  private var delay = 0.0

  /// Returns by how much an epoch arrived later than usual; zero for an epoch that was read in time.
  ///
  /// Epochs that waited for the same read have different delays. If a delay stays equal, the receiver has set its clock,
  /// and the delay becomes the usual one.
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
