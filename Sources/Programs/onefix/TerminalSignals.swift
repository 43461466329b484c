import Glibc

/// The signals that a full-screen program receives: from the shell, and from a terminal whose size changes.
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
