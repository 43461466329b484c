/// What comes from a person's terminal.
package enum ConsoleInput: Hashable, Sendable {
  case bytes([UInt8])
  /// The line was held for longer than a character takes.
  case breakCondition
  /// The other end has gone.
  case hangUp
}

/// How trustworthy the place is that a port leads to.
package enum ConsoleReach: Hashable, Sendable {
  /// A terminal of the daemon's own user, or of root, on this machine.
  case local
  /// A cable, a radio, a modem: whoever is at its end.
  case remote
}

/// A line with a person's terminal at its end.
///
/// Guaranteed: input comes in order, none twice; a port that was lost says `hangUp` before it ends. Output is sent in
/// order, and nobody waits for it.
/// Not guaranteed: that anybody is there, or reads what was sent.
package protocol ConsolePort: Sendable {
  /// As in `/dev/ttyS0`, for messages to people.
  var name: String { get }

  /// Opens the port and hands over input until it ends, the surrounding task is cancelled, or it fails.
  ///
  /// `opened` is called once, when the port could be opened. A port may be run again after it ended or failed.
  /// - Throws: `HardwareError`
  func run(
    opened: @Sendable (ConsoleReach) async -> Void, _ receive: @Sendable (ConsoleInput) async -> Void
  ) async throws

  /// Hands bytes over, to be sent while the port is open.
  /// - Returns: false where too much waits already: nobody reads it. Nothing of it will be sent then.
  func send(_ bytes: [UInt8]) -> Bool

  /// Drops what was handed over and not sent yet.
  func discardUnsent()
}
