/// The *sign*: a message with which the subscriber of an app's fixes shows that it is connected to the broker.
///
/// After a restart of the broker, the gateway may connect before the subscriber does. The broker drops messages without
/// a subscriber, so the gateway must wait for the sign before it publishes fixes.
package struct SubscriberSign: Hashable, Sendable {
  /// The topic on which the subscriber publishes the sign that it is connected.
  package var topic: String
  /// The payload of the sign. If the value is nil, every payload is a sign, except an empty payload and the payload
  /// `offline`.
  package var payload: String?
  /// The maximum time for which fixes wait for the sign that the subscriber is connected. The time starts when the
  /// gateway has connected again.
  package var patience: Duration

  package init(topic: String, payload: String?, patience: Duration) {
    self.topic = topic
    self.payload = payload
    self.patience = patience
  }

  /// Whether a message is the sign that the subscriber is connected. A retained message is not a sign, because it may
  /// be older than the subscriber's connection.
  func isGiven(by topic: String, _ payload: [UInt8]?, isRetained: Bool) -> Bool {
    guard topic == self.topic, !isRetained, let payload else { return false }
    if let wanted = self.payload { return payload == Array(wanted.utf8) }
    return !payload.isEmpty && payload != Array("offline".utf8)
  }
}
