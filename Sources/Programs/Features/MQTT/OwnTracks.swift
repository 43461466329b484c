package import Base
import LineProtocol
package import Ports

/// The messages about one app in the JSON formats of the program OwnTracks. (OwnTracks Booklet, "JSON")
package struct OwnTracks: Sendable {
  /// The MQTT topic `owntracks/USER/DEVICE`. The gateway's name is the user, and the app's id is the device.
  private let topic: String
  /// The two characters that a map shows for the device: the last two letters or digits of the gateway's name.
  private let tracker: String

  package init(_ topics: BridgeTopics) {
    topic = "owntracks/\(topics.gateway)/\(topics.app)"
    tracker = String(topics.gateway.filter { $0 != "-" }.suffix(2))
  }

  /// The MQTT topic on which other programs send commands to the device.
  package var commands: String { topic + "/cmd" }

  /// Whether a command asks the device to report its location. (OwnTracks Booklet, "Remote commands")
  static func asksForLocation(_ payload: [UInt8]) -> Bool {
    let command = JSONValue(payload)
    return command?["_type"]?.string == "cmd" && command?["action"]?.string == "reportLocation"
  }

  /// Returns the message of a fix (`_type=location`); nil for a fix without a position.
  ///
  /// A fix with reduced accuracy contains only its position, its radius, and the quarter hour of the measurement.
  ///
  /// - Parameter namesTopic: Whether the message has the member `topic`, for a web server, which receives no topic
  ///   apart from the message. Dawarich reads the speed in m/s, and not in km/h, if the member is missing.
  package func location(_ published: PublishedFix, namesTopic: Bool = false) -> Publication.Message? {
    let (fix, created) = (published.report, published.disclosed)
    guard let coordinate = fix.coordinate else { return nil }
    // If the receiver reports no dates, the fix has the time of its publication.
    let time = fix.time ?? created
    var object: JSONObject = [
      "_type": "location", "tid": tracker, "tst": time.secondsSince1970, "lat": coordinate.latitude,
      "lon": coordinate.longitude, "acc": whole(fix.horizontalAccuracy, .up),
      // For OwnTracks, a fix by a press of the button is a manual publication (u), and any other fix is the answer to a
      // request (r).
      "t": published.isByPress ? "u" : "r",
    ]
    if namesTopic { object.add("topic", topic) }
    if fix.accuracy == .full {
      object.add("alt", whole(fix.altitude, .toNearestOrAwayFromZero))
      object.add("vac", whole(fix.verticalAccuracy, .up))
      // OwnTracks expects kilometres per hour.
      object.add("vel", whole(fix.speed.map { $0 * 3.6 }, .toNearestOrAwayFromZero))
      object.add("cog", whole(fix.course, .toNearestOrAwayFromZero).map { $0 % 360 })
      // The clock of the machine may not be set, although the receiver knows the time.
      if created >= .firstGateways, created.secondsSince1970 != time.secondsSince1970 {
        object.add("created_at", created.secondsSince1970)
      }
    }
    return Publication.Message(topic: topic, payload: Array(object.text.utf8))
  }

  /// Returns the message that the device entered or left a region (`_type=transition`). The message contains no
  /// position: `lat` and `lon` are null, because Home Assistant cannot process a message without these members.
  package func transition(_ crossing: RegionCrossing) -> (topic: String, payload: String) {
    let payload = JSONObject.text([
      "_type": "transition", "tid": tracker, "event": crossing.isEntry ? "enter" : "leave", "rid": crossing.region,
      "desc": crossing.text, "t": "c", "tst": crossing.time.secondsSince1970,
      "wtst": crossing.registered?.secondsSince1970, "lat": JSONText("null"), "lon": JSONText("null"),
      // OwnTracks requires the member `acc`. The app chose this radius itself, so the value reveals no position.
      "acc": whole(crossing.radius, .up),
    ])
    return (topic + "/event", payload)
  }

  /// Returns the MQTT will, which the broker publishes if the gateway's connection is lost (`_type=lwt`).
  /// - Parameter connected: The time at which the gateway connected to the broker.
  package func will(connected: UTCTime) -> (topic: String, payload: String) {
    (topic, JSONObject.text(["_type": "lwt", "tst": connected.secondsSince1970]))
  }

  private func whole(_ value: Double?, _ rule: FloatingPointRoundingRule) -> Int? {
    value.flatMap { Int(exactly: $0.rounded(rule)) }
  }
}

extension UTCTime {
  /// The time in whole seconds since 1970.
  package var secondsSince1970: Int64 {
    let (seconds, rest) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? seconds - 1 : seconds
  }
}
