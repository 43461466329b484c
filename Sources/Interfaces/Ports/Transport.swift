/// The way in which a client is connected to the gateway. The log of the gateway contains the raw value.
package enum Transport: String, Hashable, Sendable, CaseIterable {
  case unix
  case tcp
  case tls
  case serial
  case gpsd
  case nmea
  case mqtt
  /// The gateway sends one fix to a web server at each press of the button.
  case http
  /// The gateway writes one fix to a file at each press of the button.
  case file

  /// The maximum length of a protocol line on a socket, in bytes without the line end.
  package static let longestSocketLine = 4096
  /// The maximum length of a protocol line on a serial port, in bytes without the line end.
  package static let longestSerialLine = 512

  /// Whether clients of the transport only read fixes, and cannot send the command `REQ once`. Each such client has one
  /// implicit request for a fix, which can wait for hours.
  package var isForWatching: Bool {
    switch self {
    case .gpsd, .nmea: true
    case .unix, .tcp, .tls, .serial, .mqtt, .http, .file: false
    }
  }

  /// Whether the kernel reports the user and the systemd unit of the client's process on this transport. The gateway
  /// then knows the app.
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
