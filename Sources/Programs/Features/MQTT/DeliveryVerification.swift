import Base
import LineProtocol

/// Finds out which announcements (MQTT messages that contain no fix) a broker does not deliver to subscribers, during
/// one connection.
///
/// A broker with MQTT 5 reports refused messages in its acknowledgements. A broker with MQTT 3.1.1 also acknowledges
/// messages that the broker discards. The gateway then subscribes to its own messages, and expects to receive each of
/// them.
struct DeliveryVerification {
  private struct Expected {
    var message: Int32
    var payload: [UInt8]
    var deadline: MonotonicInstant
  }

  /// The time in which the broker must acknowledge a message (MQTT 5) or send the message back (MQTT 3.1.1).
  static let timeout = Duration.seconds(5)

  let version: MQTTVersion
  /// The messages whose verification is not complete, by MQTT topic.
  private var expected: [String: Expected] = [:]
  /// The topics of the messages that the broker did not deliver.
  private(set) var undelivered: Set<String> = []

  init(version: MQTTVersion) { self.version = version }

  /// Whether the gateway must subscribe to a topic before the gateway publishes a verified message on the topic.
  func needsSubscription(to topic: String) -> Bool {
    version == .three && expected[topic] == nil && !undelivered.contains(topic)
  }

  /// Records that a verified message was published.
  /// - Parameter message: The MQTT message id in this connection.
  mutating func note(_ announcement: Announcement, message: Int32, at now: MonotonicInstant) {
    expected[announcement.topic] = Expected(
      message: message, payload: announcement.payload, deadline: now + Self.timeout)
  }

  /// Processes the broker's acknowledgement of a message. Returns true if the message is one that waits for its
  /// verification.
  mutating func acknowledge(_ message: Int32, _ acknowledgement: MosquittoClient.Acknowledgement) -> Bool {
    guard let topic = expected.first(where: { $0.value.message == message })?.key else { return false }
    if case .refused = acknowledgement {
      settle(topic, isDelivered: false)
    } else if version == .five {
      settle(topic, isDelivered: true)
    }
    return true
  }

  /// Processes a received message. The payload is nil if the payload exceeds the maximum length of a request.
  mutating func receive(_ topic: String, _ payload: [UInt8]?) {
    guard let expected = expected[topic], payload == nil || payload == expected.payload else { return }
    settle(topic, isDelivered: true)
  }

  /// Ends the wait for proof that a broker delivered messages, for each message with a passed deadline. With MQTT 3.1.1,
  /// such a message counts as undelivered.
  mutating func abandon(at now: MonotonicInstant) {
    for (topic, expected) in expected where expected.deadline <= now { settle(topic, isDelivered: version == .five) }
  }

  private mutating func settle(_ topic: String, isDelivered: Bool) {
    expected[topic] = nil
    if isDelivered { undelivered.remove(topic) } else { undelivered.insert(topic) }
  }
}
