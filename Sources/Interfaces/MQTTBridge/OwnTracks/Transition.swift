package import Clocks
import LineProtocol

/// A region was entered or left, as OwnTracks publishes it to `owntracks/user/device/event`. (OwnTracks Booklet,
/// "JSON", `_type=transition`)
///
/// An app knows which of its regions it was, and nothing of where: `lat` and `lon` are null. Home Assistant reads both
/// from every message, and does not handle a message without them.
package struct Transition: Hashable, Sendable {
  private let isEntry: Bool
  private let region: String
  private let text: String
  private let radius: Double
  private let time: UTCTime
  private let registered: UTCTime?
  private let tracker: String

  /// - Parameters:
  ///   - region: its id, as the app registered it.
  ///   - text: what it is called.
  ///   - radius: of the region, metres.
  ///   - time: when the gateway tells of it.
  ///   - registered: when the app registered the region; nil if that was not kept.
  ///   - tracker: the initials that a map shows, two characters.
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
    var object = JSONObject()
    object.add("_type", "transition")
    object.add("tid", tracker)
    object.add("event", isEntry ? "enter" : "leave")
    object.add("rid", region)
    object.add("desc", text)
    object.add("t", "c")
    object.add("tst", time.secondsSince1970)
    object.add("wtst", registered?.secondsSince1970)
    object.add("lat", json: "null")
    object.add("lon", json: "null")
    // Required; of a place that is not told, the app's own circle says no more than it knows.
    object.add("acc", Int(exactly: radius.rounded(.up)))
    return object.text
  }
}
