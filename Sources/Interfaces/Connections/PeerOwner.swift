import CLinux
import Glibc
package import NIOCore
import OperatingSystem

/// The failure to find the user of a connection.
package struct UnknownPeer: Error, CustomStringConvertible {
  package let cause: String

  package var description: String { "cannot look up the user of a TCP connection: \(cause)" }
}

extension Channel {
  /// The user of the peer's socket, for a TCP connection on this machine, from the kernel's current tables. A closed
  /// socket has no user.
  package var peerUID: UInt32 {
    get throws {
      guard let there = remoteAddress.flatMap(onefix_tcp_end.init), let here = localAddress.flatMap(onefix_tcp_end.init)
      else { throw UnknownPeer(cause: "it has no addresses") }
      var uid: UInt32 = 0
      // The pointer is valid for the call.
      let error = unsafe onefix_tcp_peer_uid(there, here, &uid)
      guard error == 0 else { throw UnknownPeer(cause: systemErrorText(error)) }
      return uid
    }
  }
}

extension onefix_tcp_end {
  /// Returns nil unless the address is of IPv4 or IPv6.
  fileprivate init?(_ address: SocketAddress) {
    guard let text = address.ipAddress, let port = address.port.flatMap(UInt16.init(exactly:)) else { return nil }
    self.init()
    self.port = port
    // An address of the family has no more bytes than there are.
    if unsafe inet_pton(AF_INET, text, &self.address) == 1 { return }
    is_ipv6 = 1
    guard unsafe inet_pton(AF_INET6, text, &self.address) == 1 else { return nil }
  }
}
