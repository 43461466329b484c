import Base

/// The broker's answers to the MQTT messages of one publication (a fix).
///
/// An access control list can permit some topics of a fix and refuse others. If a message has reached a subscriber, the
/// fix is delivered: another attempt would send the same message to this subscriber again. So the fix is also delivered
/// if the broker ends the connection before its last answer.
struct PublicationAnswers: Sendable {
  enum Result: Hashable, Sendable {
    /// At least one message has a subscriber.
    case acknowledged
    /// No message has a subscriber.
    case discarded
    /// No message has a subscriber, and the broker refused at least one message.
    case refused
  }

  /// The maximum time until the broker has answered all messages. A broker can answer pings, but no messages.
  static let timeout = Duration.seconds(60)

  let number: Int64
  private let began: MonotonicInstant
  /// The topics of the messages that have no answer. The key is the MQTT message id.
  private var unanswered: [Int32: String] = [:]
  /// Whether at least one message has reached a subscriber.
  private(set) var hasSubscriber = false
  /// The causes of the broker's refusals. The key is the topic.
  private(set) var refusals: [String: String] = [:]

  init(_ number: Int64, at now: MonotonicInstant) { (self.number, began) = (number, now) }

  mutating func expect(_ message: Int32, on topic: String) { unanswered[message] = topic }

  /// Records an answer. Returns false for a message of another publication.
  mutating func take(_ message: Int32, _ answer: MosquittoClient.Acknowledgement) -> Bool {
    guard let topic = unanswered.removeValue(forKey: message) else { return false }
    switch answer {
    case .accepted: hasSubscriber = true
    case .noSubscriber: break
    case .refused(let cause): refusals[topic] = cause
    }
    return true
  }

  /// The result of the publication; nil before the last answer.
  var result: Result? {
    if !unanswered.isEmpty { return nil }
    return hasSubscriber ? .acknowledged : refusals.isEmpty ? .discarded : .refused
  }

  func isOverdue(at now: MonotonicInstant) -> Bool { now >= began + Self.timeout }
}
