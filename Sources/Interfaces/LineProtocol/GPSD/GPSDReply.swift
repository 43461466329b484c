import Base

/// The reports that gpsd 3.22 sends to clients, as lines without line ends. (gpsd_json(5))
enum GPSDReply {
  /// The name of the receiver device in all reports.
  static let device = "onefix"

  /// Returns the version report. The report contains the release of the emulated gpsd, because clients compare this
  /// release with their own.
  static func version(gateway: String) -> String {
    JSONObject.text([
      "class": "VERSION", "release": "3.22", "rev": "onefix-\(gateway)", "proto_major": 3, "proto_minor": 14,
    ])
  }

  static var devices: String {
    JSONObject.text(["class": "DEVICES", "devices": [JSONText(deviceReport)]])
  }

  /// The report of the receiver device. The settings of the port are not those of the receiver: clients expect them, and
  /// the real ones would tell about the machine.
  static var deviceReport: String {
    JSONObject.text([
      "class": "DEVICE", "path": device, "driver": "OneFix", "native": 0, "bps": 9600, "parity": "N", "stopbits": 1,
    ])
  }

  /// Returns the report of a client's watch settings. Unsupported settings are always off.
  static func watch(_ watch: Watch) -> String {
    JSONObject.text([
      "class": "WATCH", "enable": watch.isEnabled, "json": watch.isEnabled && watch.wantsReports,
      "nmea": watch.isEnabled && watch.nmea, "raw": 0, "scaled": false,
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

  /// The satellite report (SKY) for a fix without satellites. The answer to `?POLL` always contains a SKY report,
  /// because some clients read the last report without a check.
  private static var noSky: String {
    JSONObject.text(["class": "SKY", "device": device, "nSat": 0, "uSat": 0])
  }

  static func poll(_ watch: Watch, _ position: Position?) -> String {
    JSONObject.text([
      "class": "POLL", "time": position?.time, "active": watch.isEnabled ? 1 : 0,
      "tpv": [JSONText(position?.tpv ?? noFix)], "gst": [JSONText](), "sky": [JSONText(position?.sky ?? noSky)],
    ])
  }
}

/// The watch settings of a gpsd client: which reports the client wants.
struct Watch: Hashable, Sendable {
  var isEnabled = false
  var json = false
  var nmea = false
  var raw = false

  mutating func apply(_ settings: WatchSettings) {
    isEnabled = settings.isEnabled
    json = settings.json ?? json
    nmea = settings.nmea ?? nmea
    raw = settings.raw ?? raw
  }

  /// Whether the client wants JSON reports. A client in raw mode also receives these reports: for example, another gpsd
  /// that uses the gateway as its receiver.
  var wantsReports: Bool { json || raw }

  /// Whether the client receives each report or sentence without the command `?POLL`.
  var isPushed: Bool { isEnabled && (wantsReports || nmea) }

  /// Whether the client asks for each report with the command `?POLL`.
  var isPolled: Bool { isEnabled && !json && !raw && !nmea }
}
