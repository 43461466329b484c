import Glibc
package import NIOCore

/// The other end of a connection, as far as the transport identifies it.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
  /// A process on this machine, as the kernel knows it: its user, and the *system* unit that it runs in, as in
  /// `kiosk.service`; nil for anything else.
  case process(uid: UInt32, unit: String? = nil)
  /// A machine. The TCP port is not part of it, since each connection has another.
  /// - uid: the user of the peer's socket, for a connection over loopback. It proves no identity; pending connections are
  ///   counted by it.
  case machine(NetworkAddress, uid: UInt32? = nil)
  /// The device at a serial port, by the port's path.
  case port(String)
  /// The clients of a broker, by the broker's address, as in `mqtts://mqtt.example.org:8883`.
  case broker(String)

  /// The origin of a connection. Connections of one origin are counted together until they authenticate.
  package enum Origin: Hashable, Sendable {
    case uid(UInt32)
    /// An address, or the 64 bits of IPv6 that one subscriber has.
    case subscriber([UInt8])
    /// A serial port, by its path.
    case port(String)
  }

  package var origin: Origin {
    switch self {
    case .process(let uid, _): .uid(uid)
    case .machine(let address, let uid): uid.map { .uid($0) } ?? .subscriber(address.subscriber)
    case .port(let path): .port(path)
    case .broker(let address): .port(address)
    }
  }

  package var description: String {
    switch self {
    case .process(let uid, let unit): "uid \(uid)" + (unit.map { " (\($0))" } ?? "")
    case .machine(let address, let uid): address.description + (uid.map { " (uid \($0))" } ?? "")
    case .port(let path): path
    case .broker(let address): address
    }
  }
}

/// An address of IPv4 or IPv6.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, the most significant first.
  private let bytes: [UInt8]
  package let description: String

  /// Returns nil unless the address is of IPv4 or IPv6. An IPv4 address that a socket of IPv6 reports
  /// (`::ffff:192.0.2.1`, RFC 4291) becomes the IPv4 address.
  package init?(_ address: SocketAddress) {
    // The text has no zone, which is a separate number.
    guard let text = address.ipAddress else { return nil }
    if let four = Self.bytes(of: text, AF_INET, count: 4) {
      (bytes, description) = (four, text)
    } else if let all = Self.bytes(of: text, AF_INET6, count: 16) {
      let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
      bytes = isMapped ? Array(all[12...]) : all
      description = isMapped ? bytes.map { "\($0)" }.joined(separator: ".") : text
    } else {
      return nil
    }
  }

  private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    // An address of the family has as many bytes.
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  /// Whether the address belongs to the loopback interface.
  package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

  /// The part of the address that identifies a subscriber: of IPv6 the first 64 bits, since a subscriber has all addresses
  /// that begin with them.
  package var subscriber: [UInt8] { Array(bytes.prefix(bytes.count == 4 ? 4 : 8)) }
}
