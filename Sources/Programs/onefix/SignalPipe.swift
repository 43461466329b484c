import Glibc

/// A pipe into which a signal handler writes the signals. With the pipe, a thread can wait for descriptors and signals
/// together. A signal is dropped if the pipe is full.
struct SignalPipe: Sendable {
  /// The end of the pipe that becomes readable after a signal. The value is -1 if no pipe could be created, and `poll`
  /// ignores -1.
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

  /// Installs a signal handler. The static variable that holds the pipe must be initialized before the call.
  /// - Parameter handler: the signal handler. Besides `record`, it may call only the functions of signal-safety(7).
  func watch(_ signals: [Int32], flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    guard reader >= 0 else { return }
    for number in signals {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = handler
      action.sa_flags = flags | SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  func record(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(writer, &byte, 1)
    errno = before
  }

  /// Returns the received signals and removes them from the pipe.
  func received() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    // `read` writes at most `bytes.count` bytes into the array.
    let count = unsafe read(reader, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { Int32($0) }
  }
}
