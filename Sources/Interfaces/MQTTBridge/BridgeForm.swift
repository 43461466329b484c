import LineProtocol
package import Ports

/// How the app of a bridge is given its fixes.
package struct BridgeForm: PublicationForm {
  /// How many fixes may wait for a broker that is away: nobody presses more often while they wait for an answer.
  package static let most = 64

  package let name: String
  package let place: String
  package let expires: Duration
  package var mostWaiting: Int { Self.most }
  private let topics: BridgeTopics
  private let recipient: RecipientKey?
  /// What is published of a fix beside it, as other integrations want it.
  private let others: @Sendable (PublishedFix) -> [Publication.Message]

  /// - Parameters:
  ///   - place: how the broker is called, as in `mqtts://mqtt.example.org:8883`.
  ///   - recipient: whose key the fix is sealed with; nil where whoever has the broker may read it.
  package init(
    place: String, topics: BridgeTopics, expires: Duration, recipient: RecipientKey? = nil,
    others: @escaping @Sendable (PublishedFix) -> [Publication.Message] = { _ in [] }
  ) {
    name = "\(place) \(topics.app)"
    self.place = place
    self.topics = topics
    self.expires = expires
    self.recipient = recipient
    self.others = others
  }

  package func messages(_ fix: PublishedFix) throws -> [Publication.Message] {
    let json = fix.report.json
    let payload =
      if let recipient {
        try recipient.seal(json, id: fix.id)
      } else {
        "{\"id\":\"\(fix.id)\"," + json.dropFirst()
      }
    return [Publication.Message(topic: topics.fix, payload: Array(payload.utf8))] + others(fix)
  }
}
