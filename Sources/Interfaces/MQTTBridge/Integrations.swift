package import Ports

/// The messages for other programs at a broker, such as Home Assistant, about an app.
package struct Integrations: Sendable {
  /// The retained descriptions of the app.
  /// - Parameter isFullAccuracy: whether the app has full accuracy.
  package var discovery: @Sendable (_ isFullAccuracy: Bool) -> [(topic: String, payload: String, isRetained: Bool)]
  /// Topics whose retained messages are removed.
  package var removed: [String]
  /// The message with which a program reports that it has started, and asks for the descriptions again; nil if there is none.
  package var birth: (topic: String, payload: String)?
  /// The sign of the app's subscriber; nil if it has none.
  package var subscriber: SubscriberSign?
  /// The message for the crossing of a region; nil if there is none.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// The will in place of the gateway's status. It is made for each connection.
  package var will: (@Sendable () -> (topic: String, payload: String))?

  package init(
    discovery: @escaping @Sendable (_ isFullAccuracy: Bool) -> [(topic: String, payload: String, isRetained: Bool)] = {
      _ in []
    },
    removed: [String] = [], birth: (topic: String, payload: String)? = nil
  ) {
    self.discovery = discovery
    self.removed = removed
    self.birth = birth
  }
}
