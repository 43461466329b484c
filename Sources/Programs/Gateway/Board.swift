/// The state of the board's devices. Only the tasks of `BoardReader` use this state.
struct Board {
  /// The time from the failure of a device until the next attempt to open the device.
  static let retryTime: Duration = .seconds(1)

  /// Whether the receiver's port was opened at least once. Always true on a board that can switch the receiver's
  /// supply.
  var wasReceiverOpen = false
  /// The task that reads the receiver. It exists only on a board that can switch the receiver's supply, and only while
  /// the supply is on.
  var reading: Task<Void, any Error>?
  /// The callers that wait until the board is ready.
  var waiting: [CheckedContinuation<Void, any Error>] = []
  /// The reason why the board can never become ready; nil if the board has not failed.
  private var failure: (any Error)?

  /// Resumes the waiting callers if the board is ready or has failed.
  mutating func announce(isReady: Bool) {
    guard failure != nil || isReady && wasReceiverOpen else { return }
    for caller in waiting { if let failure { caller.resume(throwing: failure) } else { caller.resume() } }
    waiting = []
  }

  /// Notes that the board can never become ready, and resumes the waiting callers with the error.
  mutating func fail(_ error: any Error) {
    failure = error
    announce(isReady: false)
  }
}
