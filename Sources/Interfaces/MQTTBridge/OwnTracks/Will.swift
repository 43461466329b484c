package import Clocks
import LineProtocol

/// What the broker publishes to `owntracks/user/device` where it loses the gateway. (OwnTracks Booklet, "JSON",
/// `_type=lwt`)
package struct Will: Hashable, Sendable {
  private let connected: UTCTime

  /// - Parameter connected: when the gateway connected.
  package init(connected: UTCTime) { self.connected = connected }

  package var payload: String {
    var object = JSONObject()
    object.add("_type", "lwt")
    object.add("tst", connected.secondsSince1970)
    return object.text
  }
}
