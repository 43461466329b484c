import Glibc
import Hardware

/// A lock file in `/run/lock`, which programs that use serial ports have respected since UUCP: minicom, pppd,
/// ModemManager and others leave a port alone that has one. Its end removes it.
///
/// The file `LCK..ttyS0` holds the process number, ten columns wide. (Filesystem Hierarchy Standard 3.0, §5.9
/// /var/lock) It comes beside the kernel's own means (`flock`, `TIOCEXCL`), which those programs do not all look at.
final class SerialLock: Sendable {
  private let path: String

  /// Nil for a device that has no name of a port (a pseudo-terminal), and where lock files may not be made.
  /// - Throws: `HardwareError` where another program that runs has the port.
  init?(of device: String, in folder: String = "/run/lock") throws(HardwareError) {
    let resolved = unsafe realpath(device, nil)
    defer { unsafe free(resolved) }
    guard let resolved = unsafe resolved else { return nil }
    let name = unsafe String(cString: resolved).split(separator: "/").last ?? ""
    guard name.hasPrefix("tty"), name != "tty" else { return nil }
    let path = "\(folder)/LCK..\(name)"
    // A stale file may be removed by somebody else just before it is here: then the next try makes it.
    for _ in 0..<3 {
      if Self.make(path) {
        // Only now, since the end of what has a path removes the file.
        self.path = path
        return
      }
      guard errno == EEXIST else { return nil }
      if let holder = Self.holder(of: path) {
        throw HardwareError(
          .busy, "open", device, cause: "process \(holder.process) (\(holder.name)) has locked it",
          remedy: "end that program; \(path) is its lock file")
      }
      _ = unsafe unlink(path)
    }
    return nil
  }

  deinit { _ = unsafe unlink(path) }

  /// Whether the file is ours now; where it is not, `errno` says why.
  private static func make(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    _ = fchmod(descriptor, 0o644)
    let number = "\(getpid())"
    let text = Array((String(repeating: " ", count: max(0, 10 - number.utf8.count)) + number + "\n").utf8)
    if unsafe write(descriptor, text, text.count) == text.count { return true }
    let failed = errno
    _ = unsafe unlink(path)
    errno = failed
    return false
  }

  /// The program that made the file, if it still runs.
  private static func holder(of path: String) -> (process: pid_t, name: String)? {
    let process = pid_t(text(of: path).filter { !$0.isWhitespace }) ?? 0
    guard process > 0, process != getpid(), kill(process, 0) == 0 || errno == EPERM else { return nil }
    let name = text(of: "/proc/\(process)/comm").filter { !$0.isNewline }
    return (process, name.isEmpty ? "unknown" : name)
  }

  private static func text(of path: String) -> String {
    // Anybody may put a pipe there, whose other end never comes.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
