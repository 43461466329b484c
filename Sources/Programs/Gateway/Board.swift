import Clocks

/// The state of the board's devices that only the reading tasks need.
struct Board {
  /// The delay before a lost device is opened again.
  static let retryTime: Duration = .seconds(1)

  /// Whether the receiver's port was ever opened, or need not be open yet.
  var wasReceiverOpen = false
  /// Bytes for the receiver, while its port is open.
  var outgoing: AsyncStream<[UInt8]>.Continuation?
  /// Reads a receiver whose supply is switched on.
  var reading: Task<Void, any Error>?
  /// The callers that wait until the board is ready.
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// The reason why the board can never become ready.
  private var failure: (any Error)?

  /// Resumes the callers that wait, if the board is ready or has failed.
  /// - Parameter isReady: whether the level of every button is known.
  mutating func announce(isReady: Bool) {
    guard failure != nil || isReady && wasReceiverOpen else { return }
    for caller in waiting { if let failure { caller.resume(throwing: failure) } else { caller.resume() } }
    waiting = []
  }

  mutating func fail(_ error: any Error) {
    failure = error
    announce(isReady: false)
  }
}

/// The outcome of a simulated press.
final class PressResult {
  var outcome = PressOutcome.nothing
  var release: MonotonicInstant?
}
