import Glibc
import Hardware
import OperatingSystem

/// A lock file of a serial port, for example `/run/lock/LCK..ttyS0`, which minicom, pppd, ModemManager and other
/// programs respect.
///
/// Not all programs check the kernel's locks (`flock`, `TIOCEXCL`). The file contains the process id in ten columns.
/// The deinitializer removes the file. (Filesystem Hierarchy Standard 3.0, §5.9 /var/lock)
final class SerialLock: Sendable {
  private let path: String

  /// Creates the lock file. Returns nil for a pseudo-terminal, or if lock files cannot be created.
  ///
  /// - Throws: `HardwareError` if another running program has locked the port.
  init?(of device: String, in folder: String = "/run/lock") throws(HardwareError) {
    guard let name = DeviceNode(device)?.device.split(separator: "/").last, name.hasPrefix("tty"), name != "tty" else {
      return nil
    }
    let path = "\(folder)/LCK..\(name)"
    // If another program removes a stale lock file first, the next iteration creates the file.
    for _ in 0..<3 {
      do throws(SystemFailure) {
        try Self.make(path)
        // The property is set only after the file exists, because the deinitializer removes the file.
        self.path = path
        return
      } catch {
        guard error.number == EEXIST else { return nil }
      }
      if let holder = Self.holder(of: path) {
        throw HardwareError(
          .busy, "open", device, cause: "process \(holder.process) (\(holder.name)) has locked the port",
          remedy: "end that program; \(path) is its lock file")
      }
      _ = unsafe unlink(path)
    }
    return nil
  }

  deinit { _ = unsafe unlink(path) }

  /// Creates the lock file with the id of this process.
  private static func make(_ path: String) throws(SystemFailure) {
    let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    // The umask may forbid other programs to read the file.
    try? file.setMode(0o644)
    let number = "\(getpid())"
    let text = String(repeating: " ", count: max(0, 10 - number.utf8.count)) + number + "\n"
    do { try file.write(Array(text.utf8)) } catch {
      _ = unsafe unlink(path)
      throw error
    }
  }

  /// Returns the id and the name of the running process that created the lock file; nil if there is no other such
  /// process.
  private static func holder(of path: String) -> (process: pid_t, name: String)? {
    let process = pid_t(text(of: path).filter { !$0.isWhitespace }) ?? 0
    guard process > 0, process != getpid(), kill(process, 0) == 0 || errno == EPERM else { return nil }
    let name = text(of: "/proc/\(process)/comm").filter { !$0.isNewline }
    return (process, name.isEmpty ? "unknown" : name)
  }

  private static func text(of path: String) -> String {
    // The file may be a pipe without a writer, so it is opened without blocking.
    let bytes = try? OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY).read(atMost: 64)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}
