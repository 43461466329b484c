import Clocks

/// The state of the board's devices that only the tasks of `BoardReader` need.
struct Board {
  /// The delay before a lost device is opened again.
  static let retryTime: Duration = .seconds(1)

  /// Whether the receiver's port counts as opened. This is so after the first opening, and always if the port is opened
  /// only when a fix is needed.
  var wasReceiverOpen = false
  /// The stream that carries bytes to the receiver; nil until the port is read for the first time.
  var outgoing: AsyncStream<[UInt8]>.Continuation?
  /// The task that reads a receiver whose supply can be switched, while the supply is on.
  var reading: Task<Void, any Error>?
  /// The callers that wait until the board is ready.
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// The reason why the board can never become ready; nil if the board has not failed.
  private var failure: (any Error)?

  /// Resumes the callers that wait for the board, if the board is ready or has failed.
  /// - Parameter isReady: whether the first level of every button is known.
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

/// The outcome of a simulated press, for the caller who waits for it.
final class PressResult {
  var outcome = PressOutcome.nothing
  var release: MonotonicInstant?
}
