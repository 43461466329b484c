package import Base

/// A token bucket: a rate limit that permits bursts. Each event takes one token, and tokens are added at a constant
/// rate.
package struct TokenBucket: Sendable {
  private let capacity: Double
  /// The count of tokens that are added in a second.
  private let rate: Double
  private var tokens: Double
  private var filled: MonotonicInstant

  package init(capacity: Int = 50, perSecond rate: Double = 20, at now: MonotonicInstant) {
    self.capacity = Double(capacity)
    self.rate = rate
    self.tokens = Double(capacity)
    self.filled = now
  }

  /// Takes a token for one event. Returns false if no token is left, so that the event must be refused.
  package mutating func consume(at now: MonotonicInstant) -> Bool {
    fill(at: now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Adds the tokens for the time since the previous call of `fill` or `consume`.
  package mutating func fill(at now: MonotonicInstant) {
    let seconds = max(0, Double((now - filled).clampedNanoseconds) / 1e9)
    tokens = min(capacity, tokens + seconds * rate)
    filled = max(filled, now)
  }

  /// The fraction of the tokens that is left, in 0...1.
  package var share: Double { tokens / capacity }

  /// The time from the latest call of `fill` or `consume` until at least one token is available.
  package var wait: Duration { .seconds(max(0, 1 - tokens) / rate) }
}
