import Clocks
import Glibc

/// How far a large file has been read, on a terminal.
struct ProgressBar {
  /// Smaller files are done before anyone looks.
  static let largeSize = 32 << 20
  private static let width = 40

  private let size: Int
  private let terminal: Int32
  private var shown: MonotonicInstant
  private let began: MonotonicInstant
  private var isShown = false

  /// Nil where it is of no use: the size is unknown or small, the errors go to no terminal, or the output goes to it
  /// too.
  init?(size: Int?, at instant: MonotonicInstant, errors: Int32 = STDERR_FILENO, output: Int32 = STDOUT_FILENO) {
    guard let size, size >= ProgressBar.largeSize, isatty(errors) == 1, isatty(output) == 0 else { return nil }
    self.size = size
    terminal = errors
    began = instant
    shown = instant
  }

  /// - Parameter done: bytes of the file so far.
  mutating func advance(to done: Int, at now: MonotonicInstant) {
    guard shown.duration(to: now) >= .milliseconds(100) else { return }
    shown = now
    isShown = true
    let filled = min(ProgressBar.width, done * ProgressBar.width / size)
    let seconds = began.duration(to: now) / .seconds(1)
    let rate = Int(Double(done) / 1_000_000 / max(seconds, 0.001))
    show(
      "\r[" + String(repeating: "#", count: filled) + String(repeating: "-", count: ProgressBar.width - filled)
        + "] \(min(100, done * 100 / size)) %, \(done / 1_000_000) of \(size / 1_000_000) MB, \(rate) MB/s\u{1B}[K")
  }

  /// Leaves the terminal's line as it was.
  mutating func clear() {
    if isShown { show("\r\u{1B}[K") }
    isShown = false
  }

  private func show(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(terminal, bytes, bytes.count)
  }
}
