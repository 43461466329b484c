import Clocks

/// State that belongs to the devices of the board. Only the tasks of `BoardReader` use this state.
struct Board {
  /// The delay before a lost device is opened again.
  static let retryTime: Duration = .seconds(1)

  /// Whether the receiver's port was opened at least once. If the port is opened only when a fix is needed, the value
  /// is true from the start.
  var wasReceiverOpen = false
  /// The stream that carries bytes to the receiver; nil until the port is read for the first time.
  var outgoing: AsyncStream<[UInt8]>.Continuation?
  /// The task that reads the receiver. The task exists only if the receiver's power supply can be switched, and only
  /// while the supply is on.
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

/// The outcome of a simulated press. The caller that started the press waits for this outcome.
final class PressResult {
  var outcome = PressOutcome.nothing
  var release: MonotonicInstant?
}
