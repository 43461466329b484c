import Glibc

/// The signals that a full-screen program must handle: a new size of the terminal, suspension and continuation.
enum TerminalSignals {
  private static let pipe = SignalPipe()

  static var descriptor: Int32 { pipe.reader }

  static func watch() {
    pipe.watch([SIGWINCH, SIGTSTP, SIGCONT], flags: 0) { TerminalSignals.pipe.record($0) }
  }

  static func received() -> [Int32] { pipe.received() }
}
