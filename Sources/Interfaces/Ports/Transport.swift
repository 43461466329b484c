/// The transport of a client's connection. The gateway's log contains the raw value.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case unix
  case tcp
  case tls
  case serial
  case gpsd
  /// A client that reads NMEA sentences.
  case nmea
  case mqtt
  /// A web server that gets one fix by each press of the button.
  case http
  /// A file that gets one fix by each press of the button.
  case file

  /// The maximum length of a protocol line on a socket, in bytes without the line end.
  package static let longestSocketLine = 4096
  /// The maximum length of a protocol line on a serial port, in bytes without the line end.
  package static let longestSerialLine = 512

  /// Whether clients of the transport cannot request a fix explicitly, and only receive fixes. Each such client has one
  /// implicit request, which can wait for hours.
  package var isForWatching: Bool {
    switch self {
    case .gpsd, .nmea: true
    case .unix, .tcp, .tls, .serial, .mqtt, .http, .file: false
    }
  }

  /// Whether the kernel reports the user and the systemd unit of the client's process, which identify the app.
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

  /// Whether a fix with full accuracy also contains the satellites on this transport.
  package var hasSatellites: Bool { isForWatching }
}
