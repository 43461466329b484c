/// What a connection's lines travel over. The log of disclosures names it so.
package enum Transport: String, Hashable, Sendable {
  case unix
  case tcp
  case tls
  case serial
  /// What clients of gpsd speak.
  case gpsd
  case mqtt

  /// Bytes that a line has at most, without its line end: `maxline`. Nil where what is carried is no line of the protocol.
  var longestLine: Int? {
    switch self {
    case .unix, .tcp, .tls: LineServer.longestLine
    case .serial: PortServer.longestLine
    case .gpsd, .mqtt: nil
    }
  }
}
