import Glibc
import Synchronization

/// What a shell, and a terminal that changes its size, say to a program that draws on all of the screen.
enum TerminalSignals {
  private static let reader = Atomic<Int32>(-1)
  private static let writer = Atomic<Int32>(-1)

  /// It can be read from once a signal has come; -1 as long as nothing is watched.
  static var descriptor: Int32 { reader.load(ordering: .relaxed) }

  static func watch() {
    var ends: [Int32] = [-1, -1]
    // Where it is full, a signal is lost beside many that are alike.
    guard unsafe pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    reader.store(ends[0], ordering: .relaxed)
    writer.store(ends[1], ordering: .relaxed)
    for number in [SIGWINCH, SIGTSTP, SIGCONT] {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(TerminalSignals.writer.load(ordering: .relaxed), &byte, 1)
        errno = before
      }
      action.sa_flags = SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Those that have come.
  static func take() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    // Reads into the array's own storage, no more than it has.
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { Int32($0) }
  }
}
