/// An input from a user's terminal.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// A break: the signal of the serial port was low for longer than one character.
  case breakCondition
  /// The terminal at the other end of the connection has disconnected.
  case hangUp
}

/// The location of a terminal. The permissions of the terminal's user depend on the location.
package enum ConsoleReach: Hashable, Sendable {
  /// A terminal on this machine whose user is root, or the user of the daemon.
  case local
  /// A terminal at the other end of a cable, a radio link or a modem. The user of the terminal is unknown.
  case remote
}

/// A connection to a user's terminal, for example through a serial port.
///
/// Guaranteed: input is delivered in order and without repetition. If the port is lost, the last input is `hangUp`.
/// Output is sent in order. Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name that messages use for the port, for example `/dev/ttyS0`.
  var name: String { get }

  /// Opens the port, calls `opened`, and passes each input to `receive`. The function returns or throws when the
  /// terminal has disconnected, and returns when the task is cancelled. The caller may call the function again after
  /// the function has returned or thrown.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws

  /// Adds bytes to the output queue. Returns whether the queue had room; if not, the bytes are dropped.
  func send(_ bytes: [UInt8]) -> Bool

  /// Discards the bytes in the output queue.
  func discardUnsent()
}
