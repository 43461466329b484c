import CLinux
import Glibc
package import Hardware
import OperatingSystem

/// What is at the other end of a serial port.
package enum SerialUse: Hashable, Sendable {
  case receiver
  /// A person's terminal; with a modem between, a lost carrier is the end.
  case console(isModem: Bool)
  /// A program that speaks in lines; with a modem between, a lost carrier is the end.
  case lines(isModem: Bool)
}

/// An open serial port that is claimed and set up. Its end is the release.
package final class SerialDevice: Sendable {
  package let path: String
  private let use: SerialUse
  private let descriptor: Int32
  /// For programs that look for lock files only.
  private let lock: SerialLock?

  /// - Parameter speed: bits per second.
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

  /// Gives the port back to others; it stays open until the last copy of the descriptor is closed.
  package func release(flushes: Bool = true) {
    // The last close would wait for what was not sent.
    if flushes { flushOutput() }
    // A port that has gone has nothing left to give back.
    _ = onefix_serial_release(descriptor)
  }

  /// A second descriptor of the same open port, which belongs to the caller.
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
          .unsuitable, "configure", path, cause: "it does not do \(speed) baud, 8N1, without flow control",
          remedy: use == .receiver ? "try another speed, as in uart:\(path):9600" : "try another speed, as in 9600")
      }
      throw SerialDevice.refusal("configure", path, -result, use)
    }
  }

  /// Drops what was received and not read: half a sentence, or one of long ago.
  package func flushInput() {
    // Where it fails, the checksum of the first sentence does the same.
    _ = onefix_serial_flush_input(descriptor)
  }

  /// Drops what was written and not sent.
  package func flushOutput() {
    // A port that has gone sends nothing more.
    _ = onefix_serial_flush_output(descriptor)
  }

  /// Bytes that were written and not sent; none where the device does not tell.
  var unsent: Int { Int(max(0, onefix_serial_unsent(descriptor))) }

  /// Whether the device is still there: its other end has not hung up, and nobody has taken it away.
  var isThere: Bool { onefix_serial_is_there(descriptor) == 1 }

  /// Whether it is a pseudo-terminal of this process's user or of root: nobody else can be at its other end.
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
        remedy: "is another program holding it, such as gpsd or a serial console? see fuser \(path)")
    case EACCES, EPERM:
      HardwareError(
        .notPermitted, operation, path, cause: cause, remedy: "add the user to the group dialout, or run as its owner")
    case ENOTTY, EISDIR:
      HardwareError(
        .unsuitable, operation, path, cause: "it is no serial port",
        remedy: use == .receiver
          ? "name a tty, as in uart:/dev/ttyS0; a recorded log is read with replay:\(path)"
          : "name a tty, as in /dev/ttyS0")
    default: HardwareError(.failed, operation, path, cause: cause)
    }
  }
}
