import Glibc

/// A sender of datagrams to a Unix socket, for example the socket of journald or of systemd.
package final class DatagramSocket: Sendable {
  package enum Outcome: Hashable, Sendable {
    case sent
    /// The receive queue of the destination socket is full.
    case full
    case absent
  }

  /// The maximum length of a name in bytes, without the zero byte at the end of a socket address (unix(7)).
  private static let longestName = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private let name: [UInt8]
  private let descriptor: Int32

  /// Creates a sender. Returns nil if the operating system has no free sockets, or the name is too short or too long.
  ///
  /// - Parameter name: The path of the destination socket, or `@` and the name of an abstract socket (unix(7)).
  package init?(_ name: String) {
    self.name = Array(name.utf8)
    guard (2...Self.longestName).contains(self.name.count) else { return nil }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Sends a datagram without waiting. Returns `full` if the receive queue of the destination is full, and `absent` if
  /// the destination does not exist.
  package func send(_ bytes: [UInt8]) -> Outcome {
    switch deliver(bytes) {
    case nil: .sent
    case EAGAIN, EWOULDBLOCK, ENOBUFS, ENOMEM, EINTR: .full
    default: .absent
    }
  }

  /// Sends a datagram without waiting. The kernel looks up the destination for each datagram, so a restarted service
  /// with a new socket gets the next datagram.
  ///
  /// - Returns: The error number (`errno`); nil if the datagram was sent.
  package func deliver(_ bytes: [UInt8]) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
      unsafe field.copyBytes(from: name)
      // The address of an abstract socket begins with a zero byte in place of `@`.
      if name[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
    }
    let length = socklen_t(2 + name.count)
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, bytes, bytes.count, flags, address, length)
      }
    }
    return sent < 0 ? errno : nil
  }
}
