/// What a connection's lines travel over. The log of disclosures names it so.
package enum Transport: String, Hashable, Sendable {
  case unix
  case tcp
  case tls
  case serial
  /// What clients of gpsd speak.
  case gpsd
  case mqtt

  /// Whether a client can only watch: it asks once, then waits for hours, and its request is implicit.
  package var isForWatching: Bool {
    switch self {
    case .gpsd: true
    case .unix, .tcp, .tls, .serial, .mqtt: false
    }
  }

  /// Bytes that a line has at most, without its line end: `maxline`. Nil where what is carried is no line of the protocol.
  var longestLine: Int? {
    switch self {
    case .unix, .tcp, .tls: LineServer.longestLine
    case .serial: PortServer.longestLine
    case .gpsd, .mqtt: nil
    }
  }
}
