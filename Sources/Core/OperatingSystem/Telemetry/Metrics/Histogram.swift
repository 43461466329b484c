/// A histogram: the count of observed values in each bucket, with constant bounds.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the buckets, in ascending order. A further bucket without an upper bound holds all greater
  /// values.
  package let bounds: [Double]
  private(set) var counts: [Int]
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy(<) && bounds.allSatisfy(\.isFinite))
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  package var count: Int { counts.reduce(0, +) }

  /// Counts a value in its bucket, and adds the value to the sum. NaN is ignored.
  package mutating func observe(_ value: Double) {
    guard !value.isNaN else { return }
    var (low, high) = (0, bounds.count)
    while low < high {
      let middle = (low + high) / 2
      if value <= bounds[middle] { high = middle } else { low = middle + 1 }
    }
    counts[low] += 1
    sum += value
  }

  package mutating func observe(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    observe(Double(seconds) + Double(attoseconds) / 1e18)
  }
}
