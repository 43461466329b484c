import LineProtocol

/// The lines that gpsd 3.22 sends, without line ends. (gpsd_json(5))
enum GPSDReply {
  /// The device name in all reports. It is the same for every gateway.
  static let device = "onefix"

  /// Returns the version report. Clients compare the release with their own, so the report has the release of the
  /// emulated gpsd.
  static func version(gateway: String) -> String {
    var object = object("VERSION")
    object.add("release", "3.22")
    object.add("rev", "onefix-\(gateway)")
    object.add("proto_major", 3)
    object.add("proto_minor", 14)
    return object.text
  }

  static var devices: String {
    var object = object("DEVICES")
    object.add("devices", json: "[\(deviceReport)]")
    return object.text
  }

  /// The report of the device, which contains neither the activation time nor the connection type.
  static var deviceReport: String {
    var object = object("DEVICE")
    object.add("path", device)
    object.add("driver", "OneFix")
    return object.text
  }

  /// Returns the report of a client's watch settings. Features that the gateway does not support are always off.
  static func watch(_ watch: Watch) -> String {
    var object = object("WATCH")
    object.add("enable", watch.isEnabled)
    object.add("json", watch.isPushed)
    object.add("nmea", false)
    object.add("raw", 0)
    object.add("scaled", false)
    object.add("timing", false)
    object.add("split24", false)
    object.add("pps", false)
    return object.text
  }

  static func error(_ text: String) -> String {
    var object = object("ERROR")
    object.add("message", text)
    return object.text
  }

  /// The report that the receiver has no fix.
  static var noFix: String {
    var object = object("TPV")
    object.add("device", device)
    object.add("mode", 1)
    return object.text
  }

  /// The sky report of a receiver without a fix. Some clients read the last element of the list of sky reports without
  /// a check, so the list must not be empty.
  private static var noSky: String {
    var object = object("SKY")
    object.add("device", device)
    object.add("nSat", 0)
    object.add("uSat", 0)
    return object.text
  }

  static func poll(_ watch: Watch, _ position: Position? = nil) -> String {
    var object = object("POLL")
    object.add("time", position?.time)
    object.add("active", watch.isEnabled ? 1 : 0)
    object.add("tpv", json: "[\(position?.tpv ?? noFix)]")
    object.add("gst", json: "[]")
    object.add("sky", json: "[\(position?.sky ?? noSky)]")
    return object.text
  }

  static func object(_ kind: String) -> JSONObject {
    var object = JSONObject()
    object.add("class", kind)
    return object
  }
}

/// The watch settings of a client.
struct Watch: Hashable, Sendable {
  var isEnabled = false
  var json = false
  var nmea = false
  var raw = false

  mutating func apply(_ wish: WatchWish) {
    isEnabled = wish.isEnabled
    json = wish.json ?? json
    nmea = wish.nmea ?? nmea
    raw = wish.raw ?? raw
  }

  /// Whether the client receives reports without asking for each one. This is also so in raw mode: if another gpsd uses
  /// the gateway as its receiver, it asks for raw mode and forwards the reports.
  var isPushed: Bool { isEnabled && (json || raw) }

  /// Whether the client asks for each report with `?POLL`.
  var isPolled: Bool { isEnabled && !json && !raw && !nmea }
}
