import Clocks

/// Detects the announcements that a broker does not deliver, during one connection.
///
/// A broker of MQTT 5 reports undelivered messages in its acknowledgements. A broker of MQTT 3.1.1 also acknowledges
/// messages that it discards. With such a broker the gateway subscribes to its own announcements and expects to receive
/// each of them.
struct DeliveryVerification {
  private struct Expected {
    var message: Int32
    var payload: [UInt8]
    var deadline: MonotonicInstant
  }

  /// The timeout for the return of an announcement.
  static let patience = Duration.seconds(5)

  let version: MQTTVersion
  private var expected: [String: Expected] = [:]
  private(set) var undelivered: Set<String> = []

  init(version: MQTTVersion) { self.version = version }

  /// Whether the gateway has to subscribe to a topic before the first publication on that topic.
  func needsSubscription(to topic: String) -> Bool {
    version == .three && expected[topic] == nil && !undelivered.contains(topic)
  }

  /// Notes that an announcement was published.
  ///
  /// - Parameter message: the message number in this connection.
  mutating func note(_ announcement: Announcement, message: Int32, at now: MonotonicInstant) {
    expected[announcement.topic] = Expected(
      message: message, payload: announcement.payload, deadline: now + Self.patience)
  }

  /// Processes the broker's answer to a message.
  ///
  /// - Returns: whether the message is an announcement.
  mutating func acknowledge(_ message: Int32, _ acknowledgement: MosquittoClient.Acknowledgement) -> Bool {
    guard let topic = expected.first(where: { $0.value.message == message })?.key else { return false }
    if case .refused = acknowledgement {
      settle(topic, isDelivered: false)
    } else if version == .five {
      settle(topic, isDelivered: true)
    }
    return true
  }

  /// Processes a message that the broker delivered.
  ///
  /// - Parameter payload: nil if the payload exceeds the maximum length of a request.
  mutating func receive(_ topic: String, _ payload: [UInt8]?) {
    guard let expected = expected[topic], payload == nil || payload == expected.payload else { return }
    settle(topic, isDelivered: true)
  }

  /// Marks announcements as undelivered if they did not return before their deadline.
  mutating func giveUp(at now: MonotonicInstant) {
    for (topic, expected) in expected where expected.deadline <= now { settle(topic, isDelivered: version == .five) }
  }

  private mutating func settle(_ topic: String, isDelivered: Bool) {
    expected[topic] = nil
    if isDelivered { undelivered.remove(topic) } else { undelivered.insert(topic) }
  }
}
