import Clocks
import Glibc
import SystemClock

/// How far a large file has been read, on a terminal.
struct ProgressBar {
  /// Smaller files are done before anyone looks.
  private static let largeSize = 32 << 20
  private static let width = 40

  private let size: Int
  private var done = 0
  private var shown: MonotonicInstant
  private let began: MonotonicInstant
  private var isShown = false

  /// Nil where it is of no use: the size is unknown or small, the errors go to no terminal, or the output goes to it too.
  init?(size: Int?) {
    guard let size, size >= ProgressBar.largeSize, isatty(STDERR_FILENO) == 1, isatty(STDOUT_FILENO) == 0 else {
      return nil
    }
    self.size = size
    began = SystemClock.monotonic
    shown = began
  }

  mutating func advance(by count: Int) {
    done += count
    let now = SystemClock.monotonic
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
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
