/// An input from a user's terminal.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// A break: the line was low for longer than one character.
  case breakCondition
  /// The other end of the line has disconnected.
  case hangUp
}

/// The location of a terminal. The permissions of its user depend on the location.
package enum ConsoleReach: Hashable, Sendable {
  /// A terminal on this machine whose user is root, or the user of the daemon.
  case local
  /// A terminal at the other end of a cable, a radio link or a modem. Its user is unknown.
  case remote
}

/// A line with a user's terminal at its other end.
///
/// Guaranteed: input is delivered in order and without repetition. If the port is lost, the last input is `hangUp`.
/// Output is sent in order. Not guaranteed: that a user is present, or reads the output.
package protocol ConsolePort: Sendable {
  /// The name that messages use for the port, for example `/dev/ttyS0`.
  var name: String { get }

  /// Opens the port, calls `opened`, and passes each input to `receive`. The function ends when the input ends, the
  /// task is cancelled, or the port fails. The caller may then call it again.
  ///
  /// - Throws: `HardwareError` if the port cannot be opened, or fails.
  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws

  /// Queues bytes. Returns false and drops the bytes if the queue is full.
  func send(_ bytes: [UInt8]) -> Bool

  /// Discards the queued bytes.
  func discardUnsent()
}
