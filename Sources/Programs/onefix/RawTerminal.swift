import Glibc
import Synchronization

/// The terminal of this program in raw mode: the program gets each key immediately, and keys are not shown. The
/// deinitializer restores the terminal's former mode.
final class RawTerminal: Sendable {
  let descriptor: Int32
  private let saved: termios
  private let isRaw = Atomic<Bool>(false)
  private let isAbandoned = Atomic<Bool>(false)
  private let writeLock = Mutex(())
  private static let maximumWrite = 256

  /// Opens the terminal on standard input, and enables raw mode. The result is nil if standard input is not a terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    // Other processes share the open file description of standard input. A new description keeps changes of the
    // terminal's settings away from these processes.
    var descriptor = unsafe open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // After `su`, the terminal still belongs to the former user, and this user may not open the terminal again.
    if descriptor < 0 { descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) }
    guard descriptor >= 0 else { return nil }
    var settings = termios()
    // The pointers that the C functions receive are valid during the calls.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      close(descriptor)
      return nil
    }
    saved = settings
    self.descriptor = descriptor
    enableRawMode()
  }

  deinit {
    restore()
    close(descriptor)
  }

  func enableRawMode() {
    isRaw.store(true, ordering: .relaxed)
    isAbandoned.store(false, ordering: .relaxed)
    var settings = saved
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  /// Restores the terminal's mode from before raw mode. Further calls have no effect.
  /// - Parameter action: An action of `tcsetattr`. `TCSADRAIN` first waits until all output is sent.
  func restore(_ action: Int32 = TCSADRAIN) {
    guard isRaw.compareExchange(expected: true, desired: false, ordering: .relaxed).exchanged else { return }
    var settings = saved
    _ = unsafe tcsetattr(descriptor, action, &settings)
  }

  /// The size of the terminal in characters; nil if unknown, for example on a serial port.
  var size: (rows: Int, columns: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes bytes, and returns after the kernel has accepted all bytes. The function also returns if the terminal is
  /// closed, and after `abandonOutput(_:)`.
  func write(_ bytes: [UInt8]) {
    writeLock.withLock { _ in
      for start in stride(from: 0, to: bytes.count, by: Self.maximumWrite) where !isAbandoned.load(ordering: .relaxed) {
        writeNow(bytes[start..<min(start + Self.maximumWrite, bytes.count)])
      }
    }
  }

  /// Discards output that is not sent yet, and ends all calls of `write(_:)`.
  /// - Parameter bytes: The last bytes, which are written if the terminal accepts them within 500 ms.
  func abandonOutput(_ bytes: [UInt8]) {
    isAbandoned.store(true, ordering: .relaxed)
    _ = tcflush(descriptor, TCOFLUSH)
    writeLock.withLock { _ in
      var end = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if unsafe poll(&end, 1, 500) > 0 { writeNow(bytes[...]) }
    }
  }

  private func writeNow(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      // The count that `write` receives is the size of the buffer.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits until a serial port has sent all output. For any other terminal, the function returns immediately.
  func drain() { _ = tcdrain(descriptor) }

  /// The baud rate of the terminal's serial port, in bits per second; nil if unknown.
  var speed: Int? {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    let speeds: [speed_t: Int] = [
      speed_t(B300): 300, speed_t(B1200): 1200, speed_t(B2400): 2400, speed_t(B4800): 4800, speed_t(B9600): 9600,
      speed_t(B19200): 19_200, speed_t(B38400): 38_400, speed_t(B57600): 57_600, speed_t(B115200): 115_200,
    ]
    return unsafe speeds[cfgetospeed(&settings)]
  }
}
