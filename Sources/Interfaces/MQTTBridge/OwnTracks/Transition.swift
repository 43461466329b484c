package import Base
import LineProtocol

/// The entry into a region or the exit from it, in the form that OwnTracks publishes to `owntracks/user/device/event`.
/// (OwnTracks Booklet, "JSON", `_type=transition`)
///
/// The message contains no position: `lat` and `lon` are null, because Home Assistant cannot process a message without
/// these members.
package struct Transition: Hashable, Sendable {
  private let isEntry: Bool
  private let region: String
  private let text: String
  private let radius: Double
  private let time: UTCTime
  private let registered: UTCTime?
  private let tracker: String

  /// - Parameters:
  ///   - radius: The region's radius, in metres.
  ///   - registered: The time at which the app registered the region; nil if unknown.
  ///   - tracker: The two characters that a map shows for the device.
  package init(
    isEntry: Bool, region: String, text: String, radius: Double, time: UTCTime, registered: UTCTime?, tracker: String
  ) {
    self.isEntry = isEntry
    self.region = region
    self.text = text
    self.radius = radius
    self.time = time
    self.registered = registered
    self.tracker = tracker
  }

  package var payload: String {
    JSONObject.text([
      "_type": "transition", "tid": tracker, "event": isEntry ? "enter" : "leave", "rid": region, "desc": text,
      "t": "c", "tst": time.secondsSince1970, "wtst": registered?.secondsSince1970, "lat": JSONText("null"),
      "lon": JSONText("null"),
      // OwnTracks requires the member `acc`. The app chose this radius itself, so the value discloses no position.
      "acc": Int(exactly: radius.rounded(.up)),
    ])
  }
}
