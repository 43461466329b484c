/// The transport of a connection. The disclosure log contains the raw value.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case unix
  case tcp
  case tls
  case serial
  case gpsd
  /// A client that reads NMEA sentences.
  case nmea
  case mqtt
  /// A web server that gets one fix by each press.
  case http
  /// A file that gets one fix by each press.
  case file

  /// The maximum length of a line on a socket, in bytes without the line end.
  package static let longestSocketLine = 4096
  /// The maximum length of a line on a serial port, in bytes without the line end.
  package static let longestSerialLine = 512

  /// Whether clients of the transport only receive fixes and never request a fix explicitly. Each such client has one
  /// implicit request, which can wait for hours.
  package var isForWatching: Bool {
    switch self {
    case .gpsd, .nmea: true
    case .unix, .tcp, .tls, .serial, .mqtt, .http, .file: false
    }
  }

  /// Whether the process of a client identifies its app: the kernel reports the user and the unit of the process.
  package var identifiesProcess: Bool { self == .unix || isForWatching }

  /// The maximum length of a protocol line, in bytes without the line end; nil if the transport does not use the line
  /// protocol. Clients receive this length as `maxline`.
  package var longestLine: Int? {
    switch self {
    case .unix, .tcp, .tls: Self.longestSocketLine
    case .serial: Self.longestSerialLine
    case .gpsd, .nmea, .mqtt, .http, .file: nil
    }
  }

  /// Whether a precise fix contains the satellites on this transport.
  package var hasSatellites: Bool { isForWatching }
}
