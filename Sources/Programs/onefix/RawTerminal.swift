import Glibc
import Synchronization

/// The terminal in which this program runs, for it alone: keys come at once and unseen. Its end gives it back as it
/// was.
final class RawTerminal: Sendable {
  let descriptor: Int32
  private let saved: termios
  private let isRaw = Atomic<Bool>(false)
  private let isGivenUp = Atomic<Bool>(false)
  /// One writes at a time.
  private let turn = Mutex(())
  /// Bytes that are written at once.
  private static let portion = 256

  /// Nil where the standard input is no terminal.
  init?() {
    guard isatty(STDIN_FILENO) == 1 else { return nil }
    // Opened anew, so that what is set here is not set for others who have it, too.
    let descriptor = unsafe open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var settings = termios()
    // The pointers are good for the calls.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      close(descriptor)
      return nil
    }
    saved = settings
    self.descriptor = descriptor
    take()
  }

  deinit {
    restore()
    close(descriptor)
  }

  /// Takes it, again where it was given back.
  func take() {
    isRaw.store(true, ordering: .relaxed)
    isGivenUp.store(false, ordering: .relaxed)
    var settings = saved
    unsafe cfmakeraw(&settings)
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  /// Gives the terminal back, once.
  /// - Parameter action: `TCSADRAIN` waits until all is sent that was written.
  func restore(_ action: Int32 = TCSADRAIN) {
    guard isRaw.compareExchange(expected: true, desired: false, ordering: .relaxed).exchanged else { return }
    var settings = saved
    _ = unsafe tcsetattr(descriptor, action, &settings)
  }

  /// Rows and columns; nil where it does not say, as a serial line does not.
  var size: (rows: Int, columns: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Returns when all is with the kernel, or the terminal has gone, as the next reading will tell, or is given up.
  func write(_ bytes: [UInt8]) {
    turn.withLock { _ in
      for start in stride(from: 0, to: bytes.count, by: Self.portion) where !isGivenUp.load(ordering: .relaxed) {
        writeNow(bytes[start..<min(start + Self.portion, bytes.count)])
      }
    }
  }

  /// Takes back what the line has not taken yet, and writes the last that is to be seen, where the line is not stuck.
  func giveUp(_ bytes: [UInt8]) {
    isGivenUp.store(true, ordering: .relaxed)
    _ = tcflush(descriptor, TCOFLUSH)
    turn.withLock { _ in
      var end = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if unsafe poll(&end, 1, 500) > 0 { writeNow(bytes[...]) }
    }
  }

  private func writeNow(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      // The count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns when the line has taken what was written; at once where there is no line.
  func drain() { _ = tcdrain(descriptor) }

  /// Bits per second that the line carries; nil where it does not say.
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
