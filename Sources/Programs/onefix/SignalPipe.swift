import Glibc

/// A pipe to which a signal handler writes the signals' numbers, so that `poll` can wait for signals and file
/// descriptors at once (self-pipe trick). If the pipe is full, a signal is lost.
struct SignalPipe: Sendable {
  /// The descriptor to read from, which is readable after a signal. The value is -1 if the pipe could not be created;
  /// `poll` ignores -1.
  let reader: Int32
  private let writer: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // After a failure, the values stay -1, and `fcntl` has no effect.
    _ = unsafe pipe(&ends)
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Installs a signal handler. The handler uses the pipe, so the pipe must be initialized before the first signal.
  /// - Parameters:
  ///   - flags: The flags of `sigaction`.
  ///   - handler: The signal handler. The handler may call only `record(_:)` and async-signal-safe functions
  ///     (signal-safety(7)).
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

  /// Reads the numbers of the received signals from the pipe, at most 64.
  func received() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    // `read` writes at most `bytes.count` bytes into the array.
    let count = unsafe read(reader, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { Int32($0) }
  }
}
