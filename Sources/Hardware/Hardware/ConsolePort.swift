/// An input from a user's terminal.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// A break: the line was low for longer than one character.
  case breakCondition
  /// The other end of the line has disconnected.
  case hangUp
}

/// The location of a terminal, which determines how far the gateway trusts its user.
package enum ConsoleReach: Hashable, Sendable {
  /// A terminal of the daemon's own user, or of root, on this machine.
  case local
  /// A terminal at the other end of a cable, a radio or a modem, with an unknown user.
  case remote
}

/// A line with a user's terminal at its other end.
///
/// Guaranteed: input is delivered in order and without repetition; if the port is lost, `hangUp` is the last input.
/// Output is sent in order, and callers do not wait for it.
/// Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name of the port for messages, for example `/dev/ttyS0`.
  var name: String { get }

  /// Opens the port and delivers input until it ends, the task is cancelled, or the port fails.
  ///
  /// The caller may call `run` again after it has ended or failed.
  ///
  /// - Parameters:
  ///   - opened: Called once, after the port is open.
  ///   - receive: Called for each input.
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws

  /// Queues bytes to be sent while the port is open.
  ///
  /// - Returns: False if the queue is full. In this case the bytes are dropped.
  func send(_ bytes: [UInt8]) -> Bool

  /// Discards the bytes that are queued but not sent yet.
  func discardUnsent()
}
