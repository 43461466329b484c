package import Clocks

/// A limit of the rate of events, with bursts.
package struct TokenBucket: Sendable {
  private let capacity: Double
  /// Tokens per second.
  private let rate: Double
  private var tokens: Double
  private var filled: MonotonicInstant

  package init(capacity: Int = 50, perSecond rate: Double = 20, at now: MonotonicInstant) {
    self.capacity = Double(capacity)
    self.rate = rate
    self.tokens = Double(capacity)
    self.filled = now
  }

  /// Consumes a token.
  /// - Returns: false if there is none.
  package mutating func consume(at now: MonotonicInstant) -> Bool {
    fill(at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Adds the tokens of the time that has passed.
  package mutating func fill(at now: MonotonicInstant) {
    let seconds = max(0, Double((now - filled).clampedNanoseconds) / 1e9)
    tokens = min(capacity, tokens + seconds * rate)
    filled = max(filled, now)
  }

  /// The tokens that are left, from 0 to 1.
  package var share: Double { tokens / capacity }

  /// The time until there is a token, counted from the last call.
  package var wait: Duration { .seconds(max(0, 1 - tokens) / rate) }
}
