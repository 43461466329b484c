/// The state of the devices on the board: the receiver, the buttons and the indicator LED. Only the tasks of
/// `BoardReader` use this state.
struct Board {
  /// The time from the failure of a device until the next attempt to open the device.
  static let retryTime: Duration = .seconds(1)

  /// Whether the serial port of the receiver was opened at least once. Always true if the board can switch the power of
  /// the receiver.
  var wasReceiverOpen = false
  /// The task that reads the receiver; nil while the power of the receiver is off. Always nil on a board that cannot
  /// switch this power.
  var reading: Task<Void, any Error>?
  /// The continuations of the callers that wait until the board is ready.
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// The error after which the board can never become ready; nil if there was no such error.
  private var failure: (any Error)?

  /// Resumes the waiting callers if the board is ready or has failed.
  mutating func announce(isReady: Bool) {
    guard failure != nil || isReady && wasReceiverOpen else { return }
    for caller in waiting { if let failure { caller.resume(throwing: failure) } else { caller.resume() } }
    waiting = []
  }

  /// Records an error after which the board can never become ready. The waiting callers throw this error.
  mutating func fail(_ error: any Error) {
    failure = error
    announce(isReady: false)
  }
}
