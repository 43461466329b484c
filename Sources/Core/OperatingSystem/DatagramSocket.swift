import Glibc

/// Sends datagrams to a socket of this machine, as the journal and the service manager have one.
package final class DatagramSocket: Sendable {
  package enum Outcome: Hashable, Sendable {
    case sent
    /// Whoever listens has more to do than they can.
    case full
    /// Nobody listens there, or nobody who takes that.
    case absent
  }

  private let name: [UInt8]
  private let descriptor: Int32

  /// Nil where there are no sockets to be had, or the name has no room in an address.
  /// - Parameter name: a path; one that begins with @ is abstract. (unix(7))
  package init?(_ name: String) {
    self.name = Array(name.utf8)
    guard (2..<MemoryLayout.size(ofValue: sockaddr_un().sun_path)).contains(self.name.count) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Returns at once. Looks the name up each time: who was started anew has another socket.
  package func send(_ bytes: [UInt8]) -> Outcome {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      unsafe field.copyBytes(from: name)
      // The first byte of an abstract name is NUL.
      if name[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
    }
    let length = socklen_t(2 + name.count)
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, bytes, bytes.count, flags, address, length)
      }
    }
    if sent >= 0 { return .sent }
    return [EAGAIN, EWOULDBLOCK, ENOBUFS, ENOMEM, EINTR].contains(errno) ? .full : .absent
  }
}
