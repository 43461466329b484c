package import Base
import LineProtocol

/// The message that the broker publishes to `owntracks/user/device` if the gateway's connection is lost. (OwnTracks
/// Booklet, "JSON", `_type=lwt`)
package struct Will: Hashable, Sendable {
  private let connected: UTCTime

  package init(connected: UTCTime) { self.connected = connected }

  package var payload: String {
    JSONObject.text(["_type": "lwt", "tst": connected.secondsSince1970])
  }
}
