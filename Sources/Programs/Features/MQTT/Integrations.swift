package import LineProtocol
package import Ports

/// The additional messages about an app for other programs at a broker, for example Home Assistant and OwnTracks.
package struct Integrations: Sendable {
  /// Returns the messages that describe an app with this accuracy.
  package var discovery: @Sendable (FixAccuracy) -> [(topic: String, payload: String, isRetained: Bool)] = { _ in [] }
  /// The topics of old retained messages that the bridge removes from the broker.
  package var removed: [String] = []
  /// The message with which a program reports its own start, so that the bridge publishes the descriptions again.
  package var birth: (topic: String, payload: String)?
  /// The message with which the subscriber of the app's fixes shows that it is connected.
  package var subscriber: SubscriberSign?
  /// The topic of commands of OwnTracks, one of which asks for the location.
  package var commands: String?
  /// Returns the message for the event that the device crossed the border of a region.
  package var crossing: (@Sendable (RegionCrossing) -> (topic: String, payload: String))?
  /// Returns the will that replaces the gateway's status message. The bridge calls the function for each connection.
  package var will: (@Sendable () -> (topic: String, payload: String))?

  package init() {}
}
