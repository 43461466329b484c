import Glibc
package import NIOCore

/// The other end of a connection: the client, with the properties that the transport reports.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
  /// A process on this machine. The values are the user of the process, and the systemd unit in which the process runs,
  /// for example `kiosk.service`. The unit is nil if the process does not run in a unit of the systemd system manager.
  case process(uid: UInt32, unit: String? = nil)
  /// A machine on the network. The value does not contain the TCP port, because each connection of a machine has a
  /// different port.
  ///
  /// If the client is on this machine and uses the loopback interface, `uid` is the user of the client's socket. This
  /// user does not prove the identity of an app. The gateway uses this user only to count connections that have not
  /// authenticated.
  case machine(NetworkAddress, uid: UInt32? = nil)
  /// The device at a serial port. The value is the path of the port.
  case port(String)
  /// The clients of an MQTT broker. The value is the address of the broker, as in `mqtts://mqtt.example.org:8883`.
  case broker(String)

  /// The origin of a connection. The number of connections that have not authenticated yet is limited for each origin.
  package enum Origin: Hashable, Sendable {
    case uid(UInt32)
    /// The part of an IP address that identifies one subscriber of an internet provider: an IPv4 address, or the first
    /// 64 bits of an IPv6 address.
    case subscriber([UInt8])
    /// A serial port, or an MQTT broker. The value is its path or address.
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

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 4 or 16 bytes of the address, the most significant first.
  private let bytes: [UInt8]
  package let description: String

  /// Creates an address. An IPv6 address that stands for an IPv4 address (`::ffff:192.0.2.1`, RFC 4291) becomes the
  /// IPv4 address. Returns nil if the address is neither IPv4 nor IPv6.
  package init?(_ address: SocketAddress) {
    // `ipAddress` contains no zone: the zone of an IPv6 address is a separate number.
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
    // The call is safe because `inet_pton` writes one address of the family. The caller passes the size of such an
    // address as `count`, and the array has `count` bytes.
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  /// Whether the address belongs to the loopback interface.
  package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

  /// The part of the address that identifies a subscriber of an internet provider. For IPv4 this part is the whole
  /// address. For IPv6 it is the first 64 bits, because one subscriber has all addresses that begin with these bits.
  package var subscriber: [UInt8] { Array(bytes.prefix(bytes.count == 4 ? 4 : 8)) }
}
