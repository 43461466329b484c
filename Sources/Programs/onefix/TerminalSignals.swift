import Glibc

/// What a shell, and a terminal that changes its size, say to a program that draws on all of the screen.
enum TerminalSignals {
  private static let pipe = SignalPipe()

  /// It can be read from once a signal has come.
  static var descriptor: Int32 { pipe.reader }

  static func watch() {
    pipe.watch([SIGWINCH, SIGTSTP, SIGCONT], flags: 0) { TerminalSignals.pipe.note($0) }
  }

  /// Those that have come.
  static func take() -> [Int32] { pipe.take() }
}
