/// The sign: an MQTT message with which the subscriber of an app's fixes shows its connection to the broker.
///
/// The broker drops messages without a subscriber. After a restart of the broker, the gateway therefore waits for the
/// sign before the gateway publishes fixes.
package struct SubscriberPresence: Hashable, Sendable {
  package var topic: String
  /// The payload of the message that shows the subscriber's connection. If nil, every payload is valid, except an empty
  /// payload and `offline`.
  package var payload: String?
  /// The maximum time, after a new connection to the broker, for which fixes wait until the subscriber is connected.
  package var timeout: Duration

  /// Whether a message is the sign that the subscriber is connected. A retained message is not, because such a message
  /// may be older than the subscriber's connection.
  func isGiven(by topic: String, _ payload: [UInt8]?, isRetained: Bool) -> Bool {
    guard topic == self.topic, !isRetained, let payload else { return false }
    if let wanted = self.payload { return payload == Array(wanted.utf8) }
    return !payload.isEmpty && payload != Array("offline".utf8)
  }
}
