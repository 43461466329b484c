import Encoding

/// The lines that gpsd 3.22 sends, without line ends. (gpsd_json(5))
enum GPSDReply {
  /// The device name in all reports. It is the same for every gateway.
  static let device = "onefix"

  /// Returns the version report. Clients compare the release with their own, so the report has the release of the
  /// emulated gpsd.
  static func version(gateway: String) -> String {
    JSONObject.text([
      "class": "VERSION", "release": "3.22", "rev": "onefix-\(gateway)", "proto_major": 3, "proto_minor": 14,
    ])
  }

  static var devices: String {
    JSONObject.text(["class": "DEVICES", "devices": [JSONText(deviceReport)]])
  }

  /// The report of the device, which contains neither the activation time nor the connection type.
  static var deviceReport: String {
    JSONObject.text(["class": "DEVICE", "path": device, "driver": "OneFix"])
  }

  /// Returns the report of a client's watch settings. Features that the gateway does not support are always off.
  static func watch(_ watch: Watch) -> String {
    JSONObject.text([
      "class": "WATCH", "enable": watch.isEnabled, "json": watch.isPushed, "nmea": false, "raw": 0, "scaled": false,
      "timing": false, "split24": false, "pps": false,
    ])
  }

  static func error(_ text: String) -> String {
    JSONObject.text(["class": "ERROR", "message": text])
  }

  /// The report that gpsd sends while its receiver has no fix.
  static var noFix: String {
    JSONObject.text(["class": "TPV", "device": device, "mode": 1])
  }

  /// The sky report of a receiver without a fix. Some clients read the last element of the list of sky reports without
  /// a check, so the list must not be empty.
  private static var noSky: String {
    JSONObject.text(["class": "SKY", "device": device, "nSat": 0, "uSat": 0])
  }

  static func poll(_ watch: Watch, _ position: Position? = nil) -> String {
    JSONObject.text([
      "class": "POLL", "time": position?.time, "active": watch.isEnabled ? 1 : 0,
      "tpv": [JSONText(position?.tpv ?? noFix)], "gst": [JSONText](), "sky": [JSONText(position?.sky ?? noSky)],
    ])
  }
}

/// The watch settings of a client.
struct Watch: Hashable, Sendable {
  var isEnabled = false
  var json = false
  var nmea = false
  var raw = false

  mutating func apply(_ wish: WatchSettings) {
    isEnabled = wish.isEnabled
    json = wish.json ?? json
    nmea = wish.nmea ?? nmea
    raw = wish.raw ?? raw
  }

  /// Whether the client receives reports without asking for each one. A client in raw mode receives them too. For
  /// example, another gpsd that uses the gateway as its receiver asks for raw mode and forwards the reports.
  var isPushed: Bool { isEnabled && (json || raw) }

  /// Whether the client asks for each report with `?POLL`.
  var isPolled: Bool { isEnabled && !json && !raw && !nmea }
}
