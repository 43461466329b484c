package import Ports

/// The messages about an app for other programs at a broker, such as Home Assistant.
package struct Integrations: Sendable {
  /// The retained descriptions of the app.
  /// - Parameter isFullAccuracy: whether the app has full accuracy.
  package var discovery: @Sendable (_ isFullAccuracy: Bool) -> [(topic: String, payload: String, isRetained: Bool)]
  /// The topics of retained messages that are removed.
  package var removed: [String]
  /// The message with which a program reports its start and requests the descriptions again; nil if there is no such
  /// message.
  package var birth: (topic: String, payload: String)?
  /// The sign of the app's subscriber; nil if the app has no sign.
  package var subscriber: SubscriberSign?
  /// Returns the message for the crossing of a region; nil if the integrations have no such message.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// Returns the will that replaces the gateway's status; called for each connection.
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
