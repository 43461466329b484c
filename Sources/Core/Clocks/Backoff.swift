/// How long to wait before somebody who is away is tried again: longer each time, and by chance, so that many who lost
/// the same one do not all come back at once.
public struct Backoff: Hashable, Sendable {
  /// The longest that is waited before the first attempt.
  public var first: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }
  /// The longest that is waited before any.
  public var longest: Duration {
    didSet { self = Backoff(first: first, longest: longest) }
  }

  /// - Parameters:
  ///   - first: before the first attempt, at most; a millisecond or more. Four attempts with the usual value fall into
  ///     the gateway's five seconds of grace, within which a session goes on.
  ///   - longest: before any attempt; not less than the first.
  public init(first: Duration = .milliseconds(250), longest: Duration = .seconds(30)) {
    self.first = max(.milliseconds(1), first)
    self.longest = max(self.first, longest)
  }

  /// How long to wait before an attempt: between half and all of the first time, doubled with each attempt before it,
  /// up to the longest.
  /// - Parameters:
  ///   - attempts: how many have failed since there was a connection, 0 or more.
  ///   - chance: 0..<1, drawn anew each time.
  public func delay(after attempts: Int, chance: Double) -> Duration {
    var most = first
    for _ in 0..<min(max(0, attempts), 64) where most < longest { most *= 2 }
    most = min(most, longest)
    return most / 2 + most / 2 * min(max(0, chance), 1)
  }
}
