package import LineProtocol
package import Ports

/// The MQTT messages that connect one app to other programs at the broker, for example to Home Assistant or OwnTracks.
package struct Integrations: Sendable {
  /// Returns the messages that describe the app to other programs. The argument is the accuracy of the app's fixes.
  package var discovery: @Sendable (FixAccuracy) -> [(topic: String, payload: String, isRetained: Bool)] = { _ in [] }
  /// The topics of retained messages that the gateway no longer publishes, and therefore deletes from the broker.
  package var removed: [String] = []
  /// The message with which another program reports its own start; nil for none. The gateway then publishes its
  /// descriptions again.
  package var birth: (topic: String, payload: String)?
  /// The message with which the subscriber (the program that gets the app's fixes) reports its connection; nil for
  /// none.
  package var subscriber: SubscriberPresence?
  /// The topic for commands in the format of OwnTracks; nil for none. One such command asks for the location.
  package var commands: String?
  /// Returns the message that the gateway entered or left a region; nil if other programs get no such message.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// Returns the MQTT will of a new connection (the message that the broker publishes if the connection is lost). If
  /// the closure is nil, the will is the gateway's status message.
  package var will: (@Sendable () -> (topic: String, payload: String))?

  package init() {}
}
