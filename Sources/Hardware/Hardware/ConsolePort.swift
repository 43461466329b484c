/// Input from a user's terminal: bytes, a break signal, or the loss of the connection.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// A break signal on the serial port: the signal was low for longer than one character.
  case breakCondition
  case hangUp
}

/// The place of a terminal, which determines the permissions of its user.
package enum ConsoleLocation: Hashable, Sendable {
  /// The terminal is on this machine. The user of the terminal is root, or the user under which this program runs.
  case local
  /// The terminal is at the other end of a cable, a radio link or a modem. The user of the terminal is unknown.
  case remote
}

/// A connection to a user's terminal, for example through a serial port.
///
/// Guaranteed: input arrives in order and without repetition. If the connection is lost, the last input is `hangUp`.
/// The port sends output in order. Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name of the port in error messages and the log, for example `/dev/ttyS0`.
  var name: String { get }

  /// Opens the port, calls `opened`, and passes each input to `receive`.
  ///
  /// The function returns or throws when the terminal has disconnected, and returns when the task is cancelled. The
  /// caller may then call the function again.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable (ConsoleLocation) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws

  /// Adds bytes to the output queue. Returns whether the queue had room. If the queue is full, the function drops the
  /// bytes.
  func send(_ bytes: [UInt8]) -> Bool

  func discardUnsent()
}
