/// How long to wait before a broker is tried again: longer each time, and by chance, so that many gateways do not come all
/// at once to one that has just started.
struct BackOff: Hashable, Sendable {
  /// Seconds.
  static let shortest = 1.0
  static let longest = 60.0

  private var next = shortest

  /// The next wait: between a half and the whole of what doubles each time.
  mutating func wait(using random: inout some RandomNumberGenerator) -> Duration {
    defer { next = min(next * 2, Self.longest) }
    return .seconds(next * Double.random(in: 0.5...1, using: &random))
  }

  /// A connection has lasted.
  mutating func reset() { next = Self.shortest }
}
