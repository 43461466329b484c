/// The transport of a connection. The log of disclosures has its name.
package enum Transport: String, Hashable, Sendable {
  case unix
  case tcp
  case tls
  case serial
  /// A client of gpsd's protocol.
  case gpsd
  case mqtt

  /// The longest line of a socket, in bytes without the line end.
  package static let longestSocketLine = 4096
  /// The longest line of a serial port, in bytes without the line end.
  package static let longestSerialLine = 512

  /// Whether clients of the transport only watch. Such a client sends one implicit request and then waits for hours.
  package var isForWatching: Bool {
    switch self {
    case .gpsd: true
    case .unix, .tcp, .tls, .serial, .mqtt: false
    }
  }

  /// The longest line in bytes without the line end, which clients read as `maxline`; nil if the transport carries no
  /// lines of the line protocol.
  package var longestLine: Int? {
    switch self {
    case .unix, .tcp, .tls: Self.longestSocketLine
    case .serial: Self.longestSerialLine
    case .gpsd, .mqtt: nil
    }
  }
}
