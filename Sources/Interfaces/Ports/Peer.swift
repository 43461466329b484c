package import NIOCore
import OperatingSystem

/// The remote end of a connection: a process, a machine, a device or an output.
package enum Peer: Hashable, Sendable, CustomStringConvertible {
  /// A process on this machine: its user id, and its systemd unit, for example `kiosk.service`. The unit is nil if the
  /// process does not run in a unit of the system manager.
  case process(uid: UInt32, unit: String? = nil)
  /// A machine on the network. The value has no port, because each connection of a machine has a different port.
  ///
  /// For a client on the loopback interface, `uid` is the user of the client's socket. The gateway uses `uid` only to
  /// count connections without authentication, and not to identify an app.
  case machine(NetworkAddress, uid: UInt32? = nil)
  /// The device at a serial port. The string is the path of the port.
  case port(String)
  /// An output, which is an MQTT broker, web server or file. The string is its URL, for example
  /// `mqtts://mqtt.example.org:8883`.
  case output(String)

  /// The source of connections, by which the gateway limits the count of connections without authentication.
  package enum Origin: Hashable, Sendable {
    case uid(UInt32)
    /// An IPv4 address, or the first 64 bits of an IPv6 address.
    case subscriber([UInt8])
    /// The path of a serial port, or the URL of an output (an MQTT broker, web server or file).
    case port(String)
  }

  package var origin: Origin {
    switch self {
    case .process(let uid, _): .uid(uid)
    case .machine(let address, let uid): uid.map { .uid($0) } ?? .subscriber(address.subscriber)
    case .port(let path): .port(path)
    case .output(let address): .port(address)
    }
  }

  package var description: String {
    switch self {
    case .process(let uid, let unit): "uid \(uid)" + (unit.map { " (\($0))" } ?? "")
    case .machine(let address, let uid): address.description + (uid.map { " (uid \($0))" } ?? "")
    case .port(let path): path
    case .output(let address): address
    }
  }
}

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]
  package let description: String

  /// Creates the address of a socket; nil if the address is neither IPv4 nor IPv6. An IPv4-mapped IPv6 address
  /// (`::ffff:192.0.2.1`, RFC 4291) becomes the IPv4 address.
  package init?(_ address: SocketAddress) {
    guard let text = address.ipAddress else { return nil }
    if let four = IPAddress.ipv4(text) {
      (bytes, description) = (four, text)
    } else if let all = IPAddress.ipv6(text) {
      let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
      bytes = isMapped ? Array(all[12...]) : all
      description = isMapped ? bytes.map { "\($0)" }.joined(separator: ".") : text
    } else {
      return nil
    }
  }

  package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

  /// The part of the address that identifies the customer of an internet provider: all 4 bytes of an IPv4 address, or
  /// the first 8 bytes (64 bits) of an IPv6 address.
  package var subscriber: [UInt8] { Array(bytes.prefix(bytes.count == 4 ? 4 : 8)) }
}
