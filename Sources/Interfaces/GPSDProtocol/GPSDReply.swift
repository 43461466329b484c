import LineProtocol

/// Lines as gpsd 3.22 writes them, without their ends. (gpsd_json(5))
enum GPSDReply {
  /// What stands where gpsd names the receiver's device: every gateway says the same.
  static let device = "onefix"

  /// The release is gpsd's whose protocol this is: clients compare it with their own.
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

  /// When it was activated, and how it is connected, is not told.
  static var deviceReport: String {
    var object = object("DEVICE")
    object.add("path", device)
    object.add("driver", "OneFix")
    return object.text
  }

  /// What is not offered is told to be off, as gpsd does.
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

  /// Nothing is known: what everybody is told who waits.
  static var noFix: String {
    var object = object("TPV")
    object.add("device", device)
    object.add("mode", 1)
    return object.text
  }

  /// The satellites without a fix. A client may read the list's last element without looking whether there is one.
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

/// What a client is told.
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

  /// Whether reports come by themselves. Who wants what the receiver says gets reports: what a gpsd passes on that has
  /// another gpsd for its receiver.
  var isPushed: Bool { isEnabled && (json || raw) }

  /// Whether the client asks for each report.
  var isPolled: Bool { isEnabled && !json && !raw && !nmea }
}
