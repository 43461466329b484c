package import Base

/// The load on the receiver's port (a serial port or an I2C bus). If the port is too slow, the receiver drops whole
/// NMEA sentences.
///
/// A receiver normally sends a short burst in each second. The port counts as saturated only after several seconds in
/// which the average load is near the capacity.
package struct LineLoad: Sendable {
  /// The load above which a second counts as full, as a fraction of the port's capacity.
  package static let limit = 0.9
  /// The count of successive seconds with a load near the capacity, after which the port counts as too slow.
  package static let secondsToSaturation = 5

  /// The received bytes per second in the latest complete second; nil during the first second.
  package private(set) var rate: Double?
  private var began: MonotonicInstant?
  private var bytes = 0
  private var fullSeconds = 0
  private var isReported = false

  package init() {}

  package var isSaturated: Bool { fullSeconds >= Self.secondsToSaturation }

  /// Counts received bytes. Returns true only once, when the load has been too high for several seconds.
  /// - Parameter capacity: a closure that returns the capacity of the port in bytes per second; nil if the capacity is
  ///   unknown.
  package mutating func count(_ count: Int, at now: MonotonicInstant, capacity: () -> Int?) -> Bool {
    guard let began else {
      // The first bytes are not counted, because they may have waited in a buffer for a long time.
      self.began = now
      return false
    }
    bytes += count
    let elapsed = now - began
    guard elapsed >= .seconds(1) else { return false }
    let seconds = elapsed / .seconds(1)
    let rate = Double(bytes) / seconds
    self.rate = rate
    self.began = now
    bytes = 0
    let isFull = capacity().map { rate >= Self.limit * Double($0) } ?? false
    fullSeconds = isFull ? fullSeconds + 1 : 0
    guard isSaturated, !isReported else { return false }
    isReported = true
    return true
  }
}
