import LineProtocol
package import Ports

/// The form in which a bridge publishes fixes.
package struct BridgeForm: PublicationForm {
  /// The maximum number of fixes that wait for the broker.
  package static let most = 64

  package let name: String
  package let broker: String
  package let expires: Duration
  package var mostWaiting: Int { Self.most }
  private let topics: BridgeTopics
  private let recipient: RecipientKey?
  /// Returns additional messages for a fix, in the forms of other programs, for example OwnTracks.
  private let others: @Sendable (PublishedFix) -> [Publication.Message]

  /// - Parameter recipient: The public key with which the bridge encrypts the fixes; nil for no encryption.
  package init(
    broker: String, topics: BridgeTopics, expires: Duration, recipient: RecipientKey? = nil,
    others: @escaping @Sendable (PublishedFix) -> [Publication.Message] = { _ in [] }
  ) {
    name = "\(broker) \(topics.app)"
    self.broker = broker
    self.topics = topics
    self.expires = expires
    self.recipient = recipient
    self.others = others
  }

  package func messages(_ fix: PublishedFix) throws -> [Publication.Message] {
    let payload =
      if let recipient {
        recipient.seal(fix.report.json, id: fix.id)
      } else {
        fix.json
      }
    return [Publication.Message(topic: topics.fix, payload: Array(payload.utf8))] + name(of: fix) + others(fix)
  }
}

extension BridgeForm {
  /// Returns the message with the name of a place alone, for programs that cannot read a name in JSON.
  private func name(of fix: PublishedFix) -> [Publication.Message] {
    guard recipient == nil, let place = fix.report.place else { return [] }
    return [Publication.Message(topic: topics.place, payload: Array(place.utf8))]
  }
}

extension PublishedFix {
  /// The fix with its id, not encrypted.
  fileprivate var json: String {
    var buffer = TextBuffer(capacity: 512)
    buffer.beginObject()
    buffer.add("id", id)
    report.writeMembers(to: &buffer)
    buffer.endObject()
    return buffer.text
  }
}
