/// The delays before new connection attempts after a failure: random, with exponential growth. The random part prevents
/// all clients of a service from reconnecting at the same time.
public struct Backoff: Hashable, Sendable {
  /// The maximum delay before the first new connection attempt.
  public var first: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }
  /// The limit of the delay before every connection attempt.
  public var longest: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }

  /// Creates a backoff. With the default values, a client makes four connection attempts within five seconds. In this
  /// time, the client can resume its session, because the gateway keeps the session for five seconds.
  ///
  /// - Parameters:
  ///   - first: The maximum delay before the first attempt, at least 1 ms.
  ///   - longest: The limit of the delay before every attempt, not less than `first`.
  public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(30)) {
    self.first = max(.milliseconds(1), first)
    self.longest = max(self.first, longest)
  }

  /// Returns the delay before the next connection attempt: a random duration between half of a maximum and the maximum.
  /// The maximum is `first`, doubled for each failed attempt, but never more than `longest`.
  ///
  /// - Parameters:
  ///   - attempts: The count of failed attempts since the last connection, 0 or more.
  ///   - chance: A new random number for each call, 0..<1.
  public func delay(after attempts: Int, chance: Double) -> Duration {
    let most = maximumDelay(after: attempts)
    return most / 2 + most / 2 * min(max(0, chance), 1)
  }

  /// Returns the maximum delay before the next connection attempt. Clients of a service with few clients can use this
  /// value instead of the random delay.
  ///
  /// - Parameter attempts: The count of failed attempts. A negative number counts as 0.
  package func maximumDelay(after attempts: Int) -> Duration {
    var most = first
    for _ in 0..<min(max(0, attempts), 64) where most < longest { most *= 2 }
    return min(most, longest)
  }
}
