/// The message with which the subscriber of an app's fixes shows that it is connected.
///
/// After a restart of the broker the gateway may connect before the subscriber. The broker drops fixes until the
/// subscriber is connected.
package struct SubscriberSign: Hashable, Sendable {
  /// The topic of the sign.
  package var topic: String
  /// The payload of the sign; nil if every payload is a sign except an empty one and `offline`.
  package var payload: String?
  /// The maximum time that fixes wait for the sign after a reconnection.
  package var patience: Duration

  package init(topic: String, payload: String?, patience: Duration) {
    self.topic = topic
    self.payload = payload
    self.patience = patience
  }

  /// Whether a message is the sign. A retained message is no sign, because it may be older than the subscriber's
  /// connection.
  func isGiven(by topic: String, _ payload: [UInt8]?, isRetained: Bool) -> Bool {
    guard topic == self.topic, !isRetained, let payload else { return false }
    if let wanted = self.payload { return payload == Array(wanted.utf8) }
    return !payload.isEmpty && payload != Array("offline".utf8)
  }
}
