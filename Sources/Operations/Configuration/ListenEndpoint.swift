import Glibc
import OperatingSystem

/// A network address or a Unix socket on which the gateway listens.
package enum ListenEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// An IPv4 or IPv6 address, without brackets, and a port. If the port is 0, the kernel chooses a free port.
  case address(host: String, port: Int)
  /// The path of a Unix socket.
  case socket(String)

  package var description: String {
    switch self {
    case .address(let host, let port): hostAndPort(host, port)
    case .socket(let path): path
    }
  }

  /// Whether the port is 0, so that the kernel chooses a free port. Two such endpoints never conflict.
  package var isAnyPort: Bool { if case .address(_, 0) = self { true } else { false } }

  /// Whether a program cannot listen on both endpoints at the same time.
  func conflicts(with other: ListenEndpoint) -> Bool {
    guard case (.address(let host, let port), .address(let otherHost, let otherPort)) = (self, other) else {
      return self == other
    }
    return port == otherPort && port != 0 && (Self.includes(host, otherHost) || Self.includes(otherHost, host))
  }

  /// Whether a listener on an address also gets the connections to another address. A listener on `::` also gets those
  /// to IPv4 addresses. (ipv6(7), IPV6_V6ONLY)
  private static func includes(_ host: String, _ other: String) -> Bool {
    host == other || host == "::" || host == "0.0.0.0" && ipv6(other) == nil
  }

  /// Parses an IP address with its port, as in `127.0.0.1:7447` or `[::1]:7447`; nil for any other text. An IPv6
  /// address that is written in another form gets its canonical form (RFC 5952), so that equal addresses are equal.
  package init?(address text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.hasOnlyDigits, let port = UInt16(digits) else { return nil }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      guard let address = Self.ipv6(String(host.dropFirst().dropLast())) else { return nil }
      self = .address(host: address, port: Int(port))
    } else {
      guard IPAddress.ipv4(String(host)) != nil else { return nil }
      self = .address(host: String(host), port: Int(port))
    }
  }

  /// The IP addresses of the host name `localhost`. (RFC 6761 §6.3)
  package static let loopbackHosts = ["127.0.0.1", "::1"]

  /// Whether an IP address is a loopback address: 127.0.0.0/8 (RFC 1122 §3.2.1.3) or ::1 (RFC 4291 §2.5.3).
  package static func isLoopback(_ host: String) -> Bool {
    if let bytes = IPAddress.ipv4(host) { return bytes[0] == 127 }
    return IPAddress.ipv6(host) == Array(repeating: 0, count: 15) + [1]
  }

  /// Returns an IPv6 address, without brackets, in its canonical form (RFC 5952); nil for any other text.
  package static func ipv6(_ text: String) -> String? {
    guard let bytes = IPAddress.ipv6(text) else { return nil }
    var address = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    // SAFETY: `bytes` has the length of an IPv6 address, and `address` has room for the longest text of one.
    _ = unsafe inet_ntop(AF_INET6, bytes, &address, socklen_t(address.count))
    return String(decoding: address.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
