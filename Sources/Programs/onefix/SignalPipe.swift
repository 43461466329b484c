import Glibc

/// Both ends of a pipe into which signals are written as they come: who waits for descriptors waits for signals, too.
/// Where it is full, a signal is lost beside many that are alike.
struct SignalPipe: Sendable {
  /// It can be read from once a signal has come. -1, which `poll` passes over, where there is no pipe to be had.
  let reader: Int32
  private let writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Has signals handled, which must do nothing but what signal-safety(7) allows, as `note` does. The pipe is there
  /// before.
  func watch(_ signals: [Int32], flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    guard reader >= 0 else { return }
    for number in signals {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = handler
      action.sa_flags = flags | SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Writes a signal down.
  func note(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(writer, &byte, 1)
    errno = before
  }

  /// Those that have come.
  func take() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    // Reads into the array's own storage, no more than it has.
    let count = unsafe read(reader, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { Int32($0) }
  }
}
