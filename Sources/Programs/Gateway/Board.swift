/// The state of the start of the board: the GNSS receiver, and the callers that wait until the board is ready.
struct Board {
  /// The time after a failure of a device until the gateway opens the device again.
  static let retryTime: Duration = .seconds(1)

  /// Whether the serial port of the GNSS receiver was opened at least once. Always true on a board that can switch the
  /// power of the receiver, because the port is then opened only when an app needs a fix.
  var wasReceiverOpen = false
  /// The task that reads the GNSS receiver; nil while the power of the receiver is off, and on a board that cannot
  /// switch this power.
  var reading: Task<Void, any Error>?
  /// The continuations of the callers that wait until the board is ready.
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// The error with which the start of the board failed; nil if there was no such error.
  private var failure: (any Error)?

  /// Resumes the waiting callers if the board is ready, or if the start of the board has failed.
  mutating func announce(isReady: Bool) {
    guard failure != nil || isReady && wasReceiverOpen else { return }
    for caller in waiting { if let failure { caller.resume(throwing: failure) } else { caller.resume() } }
    waiting = []
  }

  /// Stores the error with which the start of the board failed. The waiting callers throw this error.
  mutating func fail(_ error: any Error) {
    failure = error
    announce(isReady: false)
  }
}
