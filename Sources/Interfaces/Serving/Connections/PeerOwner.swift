import CLinux
import Glibc
package import NIOCore
import OperatingSystem

/// An error of the search for the user at the other end of a TCP connection.
package struct UnknownPeer: Error, CustomStringConvertible {
  package let cause: String

  package var description: String { "cannot look up the user of a TCP connection: \(cause)" }
}

extension Channel {
  /// The user id (uid) of the process at the other end of a TCP connection on this machine, from the kernel's table of
  /// sockets. Throws an error if the other end has closed its socket.
  package var peerUID: UInt32 {
    get throws {
      guard let there = remoteAddress.flatMap(onefix_tcp_end.init), let here = localAddress.flatMap(onefix_tcp_end.init)
      else { throw UnknownPeer(cause: "the connection has no addresses") }
      var uid: UInt32 = 0
      // SAFETY: the pointer to `uid` is valid until the function returns.
      let error = unsafe onefix_tcp_peer_uid(there, here, &uid)
      guard error == 0 else { throw UnknownPeer(cause: systemErrorText(error)) }
      return uid
    }
  }
}

extension onefix_tcp_end {
  /// Creates the C structure for one end of a TCP connection from an IPv4 or IPv6 address. Returns nil for other
  /// addresses.
  fileprivate init?(_ address: SocketAddress) {
    guard let text = address.ipAddress, let port = address.port.flatMap(UInt16.init(exactly:)) else { return nil }
    self.init()
    self.port = port
    // SAFETY: `address` has room for an address of each family.
    if unsafe inet_pton(AF_INET, text, &self.address) == 1 { return }
    is_ipv6 = 1
    guard unsafe inet_pton(AF_INET6, text, &self.address) == 1 else { return nil }
  }
}
