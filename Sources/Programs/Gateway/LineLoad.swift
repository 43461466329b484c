import Clocks

/// How full the receiver's line is: what does not fit the receiver drops, and whole sentences with it.
///
/// The line is saturated when it was filled to nine tenths and more for five seconds on end; a burst in each second is none.
struct LineLoad {
  /// Of what the line carries.
  static let limit = 0.9
  /// Seconds on end.
  static let patience = 5

  /// Bytes per second over the last second that is complete.
  private(set) var rate: Double?
  private var began: MonotonicInstant?
  private var bytes = 0
  private var fullSeconds = 0
  private var isTold = false

  var isSaturated: Bool { fullSeconds >= Self.patience }

  /// Takes bytes that have come; true once, when the line is found to be saturated.
  /// - Parameter capacity: bytes per second that the line carries, asked for once a second; nil where that is not known.
  mutating func take(_ count: Int, at now: MonotonicInstant, capacity: () -> Int?) -> Bool {
    guard let began else {
      // What came first may have waited for long.
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
    guard isSaturated, !isTold else { return false }
    isTold = true
    return true
  }
}
