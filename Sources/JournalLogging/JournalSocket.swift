import Glibc

/// Where journald takes entries. Nothing is ever waited for.
final class JournalSocket: Sendable {
  enum Outcome: Hashable {
    case sent
    /// It has more to do than it can.
    case full
    /// Nobody listens there, or nobody who takes that.
    case absent
  }

  static let path = "/run/systemd/journal/socket"

  private let path: [UInt8]
  private let descriptor: Int32

  /// Nil where there are no sockets to be had, or the path has no room in an address.
  init?(_ path: String) {
    self.path = Array(path.utf8)
    guard self.path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Looks the path up each time: a journald that was started anew is another socket.
  func send(_ bytes: [UInt8]) -> Outcome {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in unsafe field.copyBytes(from: path) }
    let length = socklen_t(2 + path.count)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(
          descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL), address, length)
      }
    }
    if sent >= 0 { return .sent }
    return [EAGAIN, EWOULDBLOCK, ENOBUFS, ENOMEM, EINTR].contains(errno) ? .full : .absent
  }

  /// Whether what a process writes to its standard error goes to journald. (systemd.exec(5), $JOURNAL_STREAM)
  static func isStandardError(stream: String?, _ descriptor: Int32 = STDERR_FILENO) -> Bool {
    let parts = (stream ?? "").split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
    var status = stat()
    guard parts.count == 2, unsafe fstat(descriptor, &status) == 0 else { return false }
    return parts[0] == UInt64(status.st_dev) && parts[1] == UInt64(status.st_ino)
  }
}
