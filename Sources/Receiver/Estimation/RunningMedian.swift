/// The median of the latest 31 values, computed incrementally.
struct RunningMedian: Sendable {
  private static let capacity = 31
  /// The latest values, at most 31, in order of arrival.
  private var latest: [Double] = []
  private var sorted: [Double] = []

  var count: Int { latest.count }
  /// The median; nil before the first value.
  var value: Double? { quantile(0.5) }

  /// Returns the value below which the fraction `share` (0..<1) of all values lies; nil before the first value.
  func quantile(_ share: Double) -> Double? { sorted.isEmpty ? nil : sorted[Int(share * Double(count))] }

  /// Adds a value, and removes the oldest of 31 earlier values. The function ignores a NaN.
  mutating func add(_ value: Double) {
    guard !value.isNaN else { return }
    if count == Self.capacity, let index = sorted.firstIndex(of: latest.removeFirst()) { sorted.remove(at: index) }
    latest.append(value)
    sorted.insert(value, at: sorted.firstIndex { $0 > value } ?? sorted.endIndex)
  }
}
