import Base
import CLinux
import Glibc
package import Hardware
import OperatingSystem

/// The purpose of a serial port: the kind of device at its other end.
package enum SerialUse: Hashable, Sendable {
  case receiver
  /// A terminal on which an owner types. `isModem` is true if the input ends when a modem loses its carrier.
  case console(isModem: Bool)
  /// A program that sends protocol lines, for example an app. `isModem` is true if the input ends when a modem loses
  /// its carrier.
  case lines(isModem: Bool)
}

/// A serial port that is open, locked and configured. The deinitializer closes the port.
package final class SerialDevice: Sendable {
  package let path: String
  private let use: SerialUse
  private let descriptor: Int32
  /// The lock file for programs that ignore the kernel's locks; nil for a pseudo-terminal, or if no lock file can be
  /// created.
  private let lock: SerialLock?

  /// Opens a serial port, locks the port for this process, and configures the port.
  /// - Parameter speed: The speed in bits per second.
  package init(path: String, speed: Int, use: SerialUse = .receiver) throws(HardwareError) {
    let opened = unsafe onefix_serial_open(path)
    guard opened >= 0 else { throw SerialDevice.refusal("open", path, -opened, use) }
    self.path = path
    self.use = use
    self.descriptor = opened
    do { lock = try SerialLock(of: path) } catch {
      close(opened)
      throw error
    }
    let claimed = onefix_serial_claim(opened)
    guard claimed == 0 else { throw SerialDevice.refusal("open", path, -claimed, use) }
    try configure(speed: speed)
    flushInput()
  }

  deinit {
    close(descriptor)
  }

  /// Unlocks the port for other programs. The port stays open until its last file descriptor is closed.
  package func release() {
    // Unsent output would delay the last close of a descriptor. Output that was sent is not discarded, because the
    // program at the other end of a pseudo-terminal may still read it.
    if unsent > 0 { flushOutput() }
    // The call fails only if the port has disappeared, together with its lock.
    _ = onefix_serial_release(descriptor)
  }

  /// Returns a duplicate of the port's file descriptor, which the caller must close.
  func duplicate() throws(HardwareError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SerialDevice.refusal("open", path, errno, use) }
    return copy
  }

  package func configure(speed: Int) throws(HardwareError) {
    let result =
      switch use {
      case .receiver: onefix_serial_configure(descriptor, UInt32(clamping: speed))
      case .console(let isModem), .lines(let isModem):
        onefix_serial_configure_marked(descriptor, UInt32(clamping: speed), isModem ? 1 : 0)
      }
    guard result == 0 else {
      if result == -EINVAL {
        throw HardwareError(
          .unsuitable, "configure", path, cause: "\(speed) baud with 8N1 and without flow control is not supported",
          remedy: use == .receiver
            ? "try another speed, for example uart:\(path):9600" : "try another speed, for example 9600")
      }
      throw SerialDevice.refusal("configure", path, -result, use)
    }
  }

  /// Discards unread input, which may contain an old or incomplete sentence.
  package func flushInput() {
    // If the call fails, the first sentence may be incomplete. The decoder rejects an incomplete sentence.
    _ = onefix_serial_flush_input(descriptor)
  }

  /// Discards written bytes that the port has not sent yet.
  package func flushOutput() {
    // The call fails only if the port has disappeared.
    _ = onefix_serial_flush_output(descriptor)
  }

  /// Writes bytes, and blocks the calling thread until the port has sent the bytes.
  /// - Parameters:
  ///   - end: The deadline for the acceptance of the bytes. If the port has not accepted all bytes until then, the
  ///     function discards the bytes that the port has not sent, and throws an error.
  ///   - transferTime: The maximum time from the acceptance of the last byte until the port has sent all bytes. After
  ///     this time, the function does the same.
  func send(_ bytes: [UInt8], until end: MonotonicInstant, transferTime: Duration) throws(HardwareError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The pointer and the count describe the slice, so the call reads only the slice.
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      guard count == 0 || errno == EAGAIN || errno == EINTR else {
        throw HardwareError(.failed, "write to", path, cause: systemErrorText(errno))
      }
      let left = (end - SystemClock.monotonic).milliseconds
      guard left > 0 else { throw stuck("the port does not accept the bytes") }
      var polled = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
      // SAFETY: the count of 1 is the length of the array `polled`.
      _ = unsafe poll(&polled, 1, Int32(clamping: left))
    }
    // A USB gadget whose host does not read would block `tcdrain` for ever. The kernel has no event for sent bytes.
    let last = SystemClock.monotonic + transferTime
    while unsent > 0 {
      guard SystemClock.monotonic < last else { throw stuck("the port does not send the bytes") }
      usleep(1000)
    }
    // The call fails only if the port has disappeared.
    guard tcdrain(descriptor) == 0 else {
      throw HardwareError(.absent, "write to", path, cause: systemErrorText(errno))
    }
  }

  /// Discards the accepted bytes, and returns the error for a port that does not send them. The bytes must not leave
  /// later, because a caller can try again or withdraw them.
  private func stuck(_ cause: String) -> HardwareError {
    flushOutput()
    return HardwareError(.failed, "write to", path, cause: cause)
  }

  /// The count of written bytes that the port has not sent yet; 0 if the device does not report this count.
  var unsent: Int { Int(max(0, onefix_serial_unsent(descriptor))) }

  /// Whether the port still exists and the device at its other end is connected.
  var isConnected: Bool { onefix_serial_is_there(descriptor) == 1 }

  /// Whether the port is a pseudo-terminal of the user of this process or of root. No other user can then be at its
  /// other end.
  package var isOwnPseudoTerminal: Bool { onefix_serial_is_own_pseudo_terminal(descriptor) == 1 }

  private static func refusal(
    _ operation: String, _ path: String, _ number: Int32, _ use: SerialUse
  ) -> HardwareError {
    let cause = systemErrorText(number)
    return switch number {
    case ENOENT, ENOTDIR, ENXIO, ENODEV, EIO:
      HardwareError(
        .absent, operation, path, cause: cause,
        remedy: "is the \(use == .receiver ? "receiver" : "port") connected? see ls /dev/tty* /dev/serial")
    case EBUSY, EWOULDBLOCK:
      HardwareError(
        .busy, operation, path, cause: "device or resource busy",
        remedy: "is another program using it, such as gpsd or a serial console? see fuser \(path)")
    case EPERM: HardwareError(.notPermitted, operation, path, cause: cause, remedy: HardwareError.sandboxRemedy)
    case EACCES:
      HardwareError(
        .notPermitted, operation, path, cause: cause, remedy: "add the user to the group dialout, or run as its owner")
    case ENOTTY, EISDIR:
      HardwareError(
        .unsuitable, operation, path, cause: "it is not a serial port",
        remedy: use == .receiver
          ? "specify a tty, for example uart:/dev/ttyS0; to read a recorded log, use replay:\(path)"
          : "specify a tty, for example /dev/ttyS0")
    default: HardwareError(.failed, operation, path, cause: cause)
    }
  }
}
