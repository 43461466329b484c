package import Base

/// A measurement of the load of the receiver's line. If the line is full, the receiver drops whole sentences.
///
/// A receiver normally sends a short burst in each second. A second is full if the average load is near the line's
/// capacity. The line is saturated only after several full seconds.
package struct LineLoad: Sendable {
  /// The minimum load of a full second, as a fraction of the line's capacity.
  package static let limit = 0.9
  /// The number of consecutive full seconds after which the line counts as saturated.
  package static let secondsToSaturation = 5

  /// The number of bytes per second in the last complete second; nil during the first second.
  package private(set) var rate: Double?
  private var began: MonotonicInstant?
  private var bytes = 0
  private var fullSeconds = 0
  private var isReported = false

  package init() {}

  package var isSaturated: Bool { fullSeconds >= Self.secondsToSaturation }

  /// Counts received bytes. Returns true once, when the line becomes saturated.
  /// - Parameter capacity: Returns the capacity of the line in bytes per second; nil if the capacity is unknown.
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
