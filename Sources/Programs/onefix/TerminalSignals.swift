import Glibc

/// The signals that the shell sends to a full-screen program, and the signal that the system sends when the size of the
/// terminal changes.
enum TerminalSignals {
  private static let pipe = SignalPipe()

  /// A descriptor that becomes readable after a signal.
  static var descriptor: Int32 { pipe.reader }

  static func watch() {
    pipe.watch([SIGWINCH, SIGTSTP, SIGCONT], flags: 0) { TerminalSignals.pipe.record($0) }
  }

  /// Returns the received signals and removes them from the pipe.
  static func received() -> [Int32] { pipe.received() }
}
