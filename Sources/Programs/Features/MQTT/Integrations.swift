package import LineProtocol
package import Ports

/// The additional MQTT messages about an app for other programs at a broker, for example Home Assistant and OwnTracks.
package struct Integrations: Sendable {
  /// Returns the messages that describe an app with this accuracy to other programs.
  package var discovery: @Sendable (FixAccuracy) -> [(topic: String, payload: String, isRetained: Bool)] = { _ in [] }
  /// The topics of old retained messages that the bridge removes from the broker.
  package var removed: [String] = []
  /// The message with which another program reports its own start, so that the bridge publishes the descriptions again;
  /// nil for none.
  package var birth: (topic: String, payload: String)?
  /// The message with which the subscriber of the app's fixes shows its connection to the broker; nil for none.
  package var subscriber: SubscriberPresence?
  /// The topic for commands in the format of OwnTracks, one of which asks for the location; nil for none.
  package var commands: String?
  /// Returns the message that the device entered or left a region; nil if other programs need no such message.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// Returns the MQTT will that replaces the gateway's status message; nil for the status message. The bridge calls the
  /// function for each connection.
  package var will: (@Sendable () -> (topic: String, payload: String))?

  package init() {}
}
