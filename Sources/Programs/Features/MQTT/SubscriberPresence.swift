/// The MQTT message with which the subscriber (the program that gets an app's fixes) reports its connection.
///
/// A broker drops a fix without a subscriber. After a new connection, the gateway therefore publishes fixes only after
/// this message.
package struct SubscriberPresence: Hashable, Sendable {
  package var topic: String
  /// The payload of the subscriber's message about its connection. If nil, the message can have any payload except an
  /// empty one and `offline`.
  package var payload: String?
  /// The maximum time that fixes wait for the message after a new connection to the broker.
  package var timeout: Duration

  /// Whether a received message reports the subscriber's connection. The result is false for a retained message,
  /// because such a message may be older than the connection.
  func isGiven(by topic: String, _ payload: [UInt8]?, isRetained: Bool) -> Bool {
    guard topic == self.topic, !isRetained, let payload else { return false }
    if let wanted = self.payload { return payload == Array(wanted.utf8) }
    return !payload.isEmpty && payload != Array("offline".utf8)
  }
}
