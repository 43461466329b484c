/// The median of the latest 31 values, computed incrementally.
struct RunningMedian: Sendable {
  private static let capacity = 31
  /// The latest values in order of arrival, at most 31. The array `sorted` contains the same values in ascending order.
  private var latest: [Double] = []
  private var sorted: [Double] = []

  var count: Int { latest.count }
  /// The median; nil before the first value.
  var value: Double? { quantile(0.5) }

  /// Returns a quantile: the value below which the fraction `share` (0..<1) of all values lies. Returns nil before the
  /// first value.
  func quantile(_ share: Double) -> Double? { sorted.isEmpty ? nil : sorted[Int(share * Double(count))] }

  /// Adds a value, and drops the oldest value if there are already 31 values. A NaN is ignored.
  mutating func add(_ value: Double) {
    guard !value.isNaN else { return }
    if count == Self.capacity, let index = sorted.firstIndex(of: latest.removeFirst()) { sorted.remove(at: index) }
    latest.append(value)
    sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.endIndex)
  }
}
