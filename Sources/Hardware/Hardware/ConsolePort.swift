/// An input from a user's terminal.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// The line was low for longer than a character.
  case breakCondition
  /// The other end of the line has disconnected.
  case hangUp
}

/// The location of a port's terminal, which determines the trust in it.
package enum ConsoleReach: Hashable, Sendable {
  /// A terminal of the daemon's own user, or of root, on this machine.
  case local
  /// The other end of a cable, a radio or a modem, with an unknown user.
  case remote
}

/// A line with a user's terminal at its other end.
///
/// Guaranteed: input is delivered in order and without repetition; a lost port delivers `hangUp` before it ends. Output
/// is sent in order, and callers do not wait for it.
/// Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name of the port for messages, for example `/dev/ttyS0`.
  var name: String { get }

  /// Opens the port and delivers input until it ends, the task is cancelled, or the port fails.
  ///
  /// A port may be run again after it ended or failed.
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
  /// - Returns: False if the queue is full. The bytes are then dropped.
  func send(_ bytes: [UInt8]) -> Bool

  /// Discards the bytes that are queued and not sent yet.
  func discardUnsent()
}
