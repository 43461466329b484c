package import Clocks

/// A measurement of the load of the receiver's line. If the line is full, the receiver drops whole sentences.
///
/// The line counts as saturated if the load was at least nine tenths of the capacity in each of five consecutive
/// seconds. A short burst in each second is normal.
package struct LineLoad: Sendable {
  /// The load from which the line counts as full in one second of time. The load is a fraction of the line's capacity.
  package static let limit = 0.9
  /// The number of consecutive full seconds after which the line counts as saturated.
  package static let patience = 5

  /// The number of bytes per second in the last complete second. The value is nil before the first second has ended.
  package private(set) var rate: Double?
  private var began: MonotonicInstant?
  private var bytes = 0
  private var fullSeconds = 0
  private var isReported = false

  package init() {}

  package var isSaturated: Bool { fullSeconds >= Self.patience }

  /// Counts received bytes.
  ///
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - now: The current time.
  ///   - capacity: A function that returns the capacity of the line in bytes per second; nil if the capacity is
  ///     unknown. The object calls this function once a second.
  /// - Returns: True only once, when the line becomes saturated.
  package mutating func count(_ count: Int, at now: MonotonicInstant, capacity: () -> Int?) -> Bool {
    guard let began else {
      // The load does not include the first bytes, because these bytes may have waited in a buffer for a long time.
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
