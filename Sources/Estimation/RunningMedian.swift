/// The median of the latest values, in storage of its own: adding allocates nothing.
struct RunningMedian: Sendable {
  private static let capacity = 31
  /// In order of arrival; the next goes to `next`.
  private var latest = InlineArray<31, Double>(repeating: 0)
  /// The same values in order of size.
  private var sorted = InlineArray<31, Double>(repeating: 0)
  private(set) var count = 0
  private var next = 0

  /// Nil before the first.
  var value: Double? { count == 0 ? nil : sorted[count / 2] }
  /// One in ten is below it.
  var lowerDecile: Double? { count == 0 ? nil : sorted[count / 10] }

  /// Ignores what is not a number.
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
