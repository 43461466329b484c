/// How the subscriber of an app's fixes shows that it is there.
///
/// A broker that restarts may have the gateway back before the subscriber, and throws away what it gets until then.
package struct SubscriberSign: Hashable, Sendable {
  /// Where the subscriber publishes the sign.
  package var topic: String
  /// The payload of the sign; nil if any but an empty one and `offline` is one.
  package var payload: String?
  /// How long fixes wait for the sign after a reconnection, at most.
  package var patience: Duration

  package init(topic: String, payload: String?, patience: Duration) {
    self.topic = topic
    self.payload = payload
    self.patience = patience
  }

  /// Whether a message is the sign. One that the broker retained may be older than the subscriber's connection.
  func isGiven(by topic: String, _ payload: [UInt8]?, isRetained: Bool) -> Bool {
    guard topic == self.topic, !isRetained, let payload else { return false }
    if let wanted = self.payload { return payload == Array(wanted.utf8) }
    return !payload.isEmpty && payload != Array("offline".utf8)
  }
}
