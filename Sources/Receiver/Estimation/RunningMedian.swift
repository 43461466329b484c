/// The median of the latest 31 values. A new value needs no memory allocation.
struct RunningMedian: Sendable {
  private static let capacity = 31
  /// The values in order of arrival. The next value replaces the value at `next`.
  private var latest = InlineArray<31, Double>(repeating: 0)
  /// The values in ascending order.
  private var sorted = InlineArray<31, Double>(repeating: 0)
  private(set) var count = 0
  private var next = 0

  /// The median; nil before the first value.
  var value: Double? { count == 0 ? nil : sorted[count / 2] }

  /// Returns a quantile: the value below which the fraction `share` of the values lies. The range of `share` is 0..<1.
  /// The result is nil before the first value.
  func quantile(_ share: Double) -> Double? {
    count == 0 ? nil : sorted[min(count - 1, Int(share * Double(count)))]
  }

  /// Adds a value and drops the oldest value. The function ignores NaN.
  mutating func add(_ value: Double) {
    guard !value.isNaN else { return }
    if count == Self.capacity { remove(latest[next]) }
    latest[next] = value
    next = (next + 1) % Self.capacity
    var place = count
    while place > 0, sorted[place - 1] > value {
      sorted[place] = sorted[place - 1]
      place -= 1
    }
    sorted[place] = value
    count += 1
  }

  private mutating func remove(_ value: Double) {
    var place = 0
    while sorted[place] != value { place += 1 }
    while place < count - 1 {
      sorted[place] = sorted[place + 1]
      place += 1
    }
    count -= 1
  }
}
