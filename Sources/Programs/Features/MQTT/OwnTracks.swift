package import Base
import LineProtocol
package import Ports

/// The MQTT messages of one app in the formats of the program OwnTracks. (OwnTracks Booklet, "JSON")
package struct OwnTracks: Sendable {
  /// The topic for locations, `owntracks/USER/DEVICE`: the user is the gateway's name, and the device is the app's id.
  private let topic: String
  /// The two characters that OwnTracks shows on a map: the last two letters or digits of the gateway's name.
  private let tracker: String

  package init(_ topics: BridgeTopics) {
    topic = "owntracks/\(topics.gateway)/\(topics.app)"
    tracker = String(topics.gateway.filter { $0 != "-" }.suffix(2))
  }

  /// The topic on which other programs send commands in the format of OwnTracks.
  package var commands: String { topic + "/cmd" }

  /// Whether a command asks for the location, by the action `reportLocation`. (OwnTracks Booklet, "Remote commands")
  static func asksForLocation(_ payload: [UInt8]) -> Bool {
    let command = JSONValue(payload)
    return command?["_type"]?.string == "cmd" && command?["action"]?.string == "reportLocation"
  }

  /// Returns the MQTT message with a fix (`_type=location`); nil for a fix without a position.
  /// - Parameter namesTopic: Whether to add the member `topic`, for a web server. Without this member, the program
  ///   Dawarich reads the speed in m/s, and not in km/h.
  package func location(_ fix: PublishedFix, namesTopic: Bool = false) -> Publication.Message? {
    let members = fix.report.ownTracks(tracker: tracker, isByPress: fix.isByPress, disclosed: fix.disclosed)
    guard var members else { return nil }
    if namesTopic { members.add("topic", topic) }
    return Publication.Message(topic: topic, payload: Array(members.text.utf8))
  }

  /// Returns the MQTT message that the gateway entered or left a region (`_type=transition`). The message contains no
  /// position. The members `lat` and `lon` are null, because Home Assistant requires them.
  package func transition(_ crossing: RegionCrossing) -> (topic: String, payload: String) {
    let payload = JSONObject.text([
      "_type": "transition", "tid": tracker, "event": crossing.isEntry ? "enter" : "leave", "rid": crossing.region,
      "desc": crossing.text, "t": "c", "tst": crossing.time.secondsSince1970,
      "wtst": crossing.registered?.secondsSince1970, "lat": JSONText("null"), "lon": JSONText("null"),
      // OwnTracks requires the member `acc`. The app chose this radius itself, so the value discloses no position.
      "acc": crossing.radius.whole(.up),
    ])
    return (topic + "/event", payload)
  }

  /// Returns the MQTT will (`_type=lwt`): the message that the broker publishes if the gateway's connection is lost.
  /// - Parameter connected: The time at which the gateway connected to the broker.
  package func will(connected: UTCTime) -> (topic: String, payload: String) {
    (topic, JSONObject.text(["_type": "lwt", "tst": connected.secondsSince1970]))
  }
}
