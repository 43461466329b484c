import LineProtocol
package import Ports

/// The payload format in which a bridge publishes fixes.
package struct BridgeForm: PublicationForm {
  /// The maximum number of fixes that wait for the broker.
  package static let most = 64

  package let name: String
  package let address: String
  package let expires: Duration
  package var mostWaiting: Int { Self.most }
  private let topics: BridgeTopics
  private let recipient: RecipientKey?
  private let ownTracks: OwnTracks?

  /// - Parameters:
  ///   - recipient: The public key with which the bridge encrypts the fixes; nil for no encryption.
  ///   - ownTracks: The formats of OwnTracks, if the bridge also publishes each fix in such a format.
  package init(
    broker: String, topics: BridgeTopics, expires: Duration, recipient: RecipientKey? = nil,
    ownTracks: OwnTracks? = nil
  ) {
    name = "\(broker) \(topics.app)"
    address = broker
    self.topics = topics
    self.expires = expires
    self.recipient = recipient
    self.ownTracks = ownTracks
  }

  package func messages(_ fix: PublishedFix) throws -> [Publication.Message] {
    let payload =
      if let recipient {
        recipient.seal(fix.report.json, id: fix.id)
      } else {
        fix.json
      }
    var messages = [Publication.Message(topic: topics.fix, payload: Array(payload.utf8))]
    // The message with the name of a place alone is for programs that cannot read a name in JSON.
    if recipient == nil, let place = fix.report.place {
      messages.append(Publication.Message(topic: topics.place, payload: Array(place.utf8)))
    }
    if let location = ownTracks?.location(fix) { messages.append(location) }
    return messages
  }
}
