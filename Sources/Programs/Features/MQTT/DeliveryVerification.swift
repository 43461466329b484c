import Base
import LineProtocol

/// The check whether a broker delivers the gateway's announcements (MQTT messages without a fix) to subscribers, during
/// one connection.
///
/// A broker with MQTT 5 acknowledges a refused message with an error. A broker with MQTT 3.1.1 acknowledges a refused
/// message as if the message were accepted. In this case, the gateway subscribes to its own messages, and expects to
/// receive each message.
struct DeliveryVerification {
  private struct Expected {
    var message: Int32
    var payload: [UInt8]
    var deadline: MonotonicInstant
  }

  /// The time in which the broker must acknowledge a message (MQTT 5), or send the message back to the gateway (MQTT
  /// 3.1.1).
  static let timeout = Duration.seconds(5)

  let version: MQTTVersion
  /// The messages whose delivery is not known yet. The key is the MQTT topic.
  private var expected: [String: Expected] = [:]
  private(set) var undelivered: Set<String> = []

  init(version: MQTTVersion) { self.version = version }

  /// Whether the gateway must first subscribe to a topic, to receive its own message on the topic.
  func needsSubscription(to topic: String) -> Bool {
    version == .three && expected[topic] == nil && !undelivered.contains(topic)
  }

  /// Records that the gateway has published a message whose delivery is to be checked.
  /// - Parameter message: The MQTT message id in this connection.
  mutating func note(_ announcement: Announcement, message: Int32, at now: MonotonicInstant) {
    expected[announcement.topic] = Expected(
      message: message, payload: announcement.payload, deadline: now + Self.timeout)
  }

  /// Processes an acknowledgement of the broker. Returns whether the acknowledged message is one of the messages to
  /// check.
  mutating func acknowledge(_ message: Int32, _ acknowledgement: MosquittoClient.Acknowledgement) -> Bool {
    guard let topic = expected.first(where: { $0.value.message == message })?.key else { return false }
    if case .refused = acknowledgement {
      settle(topic, isDelivered: false)
    } else if version == .five {
      settle(topic, isDelivered: true)
    }
    return true
  }

  /// Processes a message that the broker has sent to the gateway. The payload is nil if the payload is longer than any
  /// request.
  mutating func receive(_ topic: String, _ payload: [UInt8]?) {
    guard let expected = expected[topic], payload == nil || payload == expected.payload else { return }
    settle(topic, isDelivered: true)
  }

  /// Gives up each message whose deadline has passed. With MQTT 3.1.1, such a message counts as undelivered.
  mutating func abandon(at now: MonotonicInstant) {
    for (topic, expected) in expected where expected.deadline <= now { settle(topic, isDelivered: version == .five) }
  }

  private mutating func settle(_ topic: String, isDelivered: Bool) {
    expected[topic] = nil
    if isDelivered { undelivered.remove(topic) } else { undelivered.insert(topic) }
  }
}
