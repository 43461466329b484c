import Base
import Glibc

/// A progress bar on the terminal while the program reads a large file.
struct ProgressBar {
  /// The minimum size of a file for which the bar is shown, in bytes. A smaller file is read within a moment.
  static let largeSize = 32 << 20
  private static let width = 40

  private let size: Int
  private let terminal: Int32
  private var shown: MonotonicInstant
  private let began: MonotonicInstant
  private var isShown = false

  /// Creates a progress bar. The result is nil if the file is small or of unknown size. The result is also nil if
  /// standard error is not a terminal, or if standard output is a terminal.
  /// - Parameters:
  ///   - size: The size of the file in bytes; nil if unknown.
  ///   - errors: The descriptor on which the bar is drawn.
  ///   - output: The descriptor of the result of the program.
  init?(size: Int?, at instant: MonotonicInstant, errors: Int32 = STDERR_FILENO, output: Int32 = STDOUT_FILENO) {
    guard let size, size >= ProgressBar.largeSize, isatty(errors) == 1, isatty(output) == 0 else { return nil }
    self.size = size
    terminal = errors
    began = instant
    shown = instant
  }

  mutating func advance(to done: Int, at now: MonotonicInstant) {
    guard shown.duration(to: now) >= .milliseconds(100) else { return }
    shown = now
    isShown = true
    let filled = min(ProgressBar.width, done * ProgressBar.width / size)
    let seconds = began.duration(to: now) / .seconds(1)
    let rate = Int(Double(done) / 1_000_000 / max(seconds, 0.001))
    let bar =
      "\r[" + String(repeating: "#", count: filled) + String(repeating: "-", count: ProgressBar.width - filled)
      + "] \(min(100, done * 100 / size)) %, \(done / 1_000_000) of \(size / 1_000_000) MB, \(rate) MB/s\u{1B}[K"
    write(bar, to: terminal)
  }

  mutating func clear() {
    if isShown { write("\r\u{1B}[K", to: terminal) }
    isShown = false
  }
}
