package import Clocks
import LineProtocol

/// A region was entered or left, as OwnTracks publishes it to `owntracks/user/device/event`. (OwnTracks Booklet,
/// "JSON", `_type=transition`)
///
/// An app knows which of its regions it was, and nothing of where: `lat` and `lon`, which are optional, are never
/// given. Nor is `wtst`, when the region was registered, though it is required: the gateway does not keep it, `rid`
/// tells regions apart, and a time that is not so would be worse than none.
package struct Transition: Hashable, Sendable {
  private let isEntry: Bool
  private let region: String
  private let text: String
  private let radius: Double
  private let time: UTCTime
  private let tracker: String

  /// - Parameters:
  ///   - region: its id, as the app registered it.
  ///   - text: what it is called.
  ///   - radius: of the region, metres.
  ///   - time: when the gateway tells of it.
  ///   - tracker: the initials that a map shows, two characters.
  package init(isEntry: Bool, region: String, text: String, radius: Double, time: UTCTime, tracker: String) {
    self.isEntry = isEntry
    self.region = region
    self.text = text
    self.radius = radius
    self.time = time
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
    // Required; of a place that is not told, the app's own circle says no more than it knows.
    object.add("acc", Int(exactly: radius.rounded(.up)))
    return object.text
  }
}
