package import Clocks

/// Measures how full the receiver's line is. A receiver drops whole sentences that its line cannot carry.
///
/// The line is saturated after five consecutive seconds in which it was at least nine tenths full. A short burst in each
/// second is normal.
package struct LineLoad: Sendable {
  /// Of the line's capacity.
  package static let limit = 0.9
  /// Seconds in a row.
  package static let patience = 5

  /// Bytes per second over the last complete second.
  package private(set) var rate: Double?
  private var began: MonotonicInstant?
  private var bytes = 0
  private var fullSeconds = 0
  private var isReported = false

  package init() {}

  package var isSaturated: Bool { fullSeconds >= Self.patience }

  /// Counts bytes that have come.
  /// - Parameter capacity: the bytes per second that the line carries, read once a second; nil if unknown.
  /// - Returns: true once, when the line is found to be saturated.
  package mutating func count(_ count: Int, at now: MonotonicInstant, capacity: () -> Int?) -> Bool {
    guard let began else {
      // The first bytes may have waited for long.
      self.began = now
      return false
    }
    bytes += count
    let elapsed = now - began
    guard elapsed >= .seconds(1) else { return false }
    let rate = Double(bytes) / (elapsed / .seconds(1))
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
