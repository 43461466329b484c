/// The delays between connection attempts: random, with exponential growth. So the clients of a service do not all
/// reconnect at the same time.
public struct Backoff: Hashable, Sendable {
  /// The maximum delay before the first attempt.
  public var first: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }
  /// The maximum delay before any attempt.
  public var longest: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }

  /// Creates a backoff. With the default values, a client makes four attempts within five seconds. The gateway keeps a
  /// session for five seconds after a lost connection, so the client can resume the session.
  ///
  /// - Parameters:
  ///   - first: The maximum delay before the first attempt, at least 1 ms.
  ///   - longest: The maximum delay before any attempt, not less than `first`.
  public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(30)) {
    self.first = max(.milliseconds(1), first)
    self.longest = max(self.first, longest)
  }

  /// Returns a random delay between half the maximum and the maximum. The maximum is `first`, doubled for each failed
  /// attempt, but never more than `longest`.
  ///
  /// - Parameters:
  ///   - attempts: The count of failed attempts since the last connection, 0 or more.
  ///   - chance: A new random number for each call, 0..<1.
  public func delay(after attempts: Int, chance: Double) -> Duration {
    let most = maximumDelay(after: attempts)
    return most / 2 + most / 2 * min(max(0, chance), 1)
  }

  /// Returns the maximum delay before the next attempt. If a service has few clients, its clients can wait exactly this
  /// long.
  ///
  /// - Parameter attempts: The count of failed attempts. A negative number counts as 0.
  package func maximumDelay(after attempts: Int) -> Duration {
    var most = first
    for _ in 0..<min(max(0, attempts), 64) where most < longest { most *= 2 }
    return min(most, longest)
  }
}
