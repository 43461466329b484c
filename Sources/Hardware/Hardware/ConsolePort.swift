/// Input from a user's terminal: bytes, or a change of the connection.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// A break signal on the serial port: the signal was low for longer than one character.
  case breakCondition
  /// The terminal has disconnected.
  case hangUp
}

/// The location of a terminal. The permissions of the terminal's user depend on the location.
package enum ConsoleLocation: Hashable, Sendable {
  /// The terminal is on this machine. Its user is root, or the user under which this program runs.
  case local
  /// The terminal is at the other end of a cable, a radio link or a modem. Its user is unknown.
  case remote
}

/// A connection to a user's terminal, for example through a serial port.
///
/// Guaranteed: input is delivered in order and without repetition. If the connection is lost, the last input is
/// `hangUp`. Output is sent in order. Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name of the port in messages, for example `/dev/ttyS0`.
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

  /// Adds bytes to the output queue. Returns whether the queue had room. Without room, the function drops the bytes.
  func send(_ bytes: [UInt8]) -> Bool

  /// Removes all bytes from the output queue, without sending them.
  func discardUnsent()
}
