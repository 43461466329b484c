import LineProtocol
package import Ports

/// The conversion of an app's fixes into MQTT messages for a broker.
package struct BridgeForm: PublicationForm {
  /// The maximum count of fixes that wait for the broker.
  package static let most = 64

  package let name: String
  package let address: String
  package let expires: Duration
  package var mostWaiting: Int { Self.most }
  private let topics: BridgeTopics
  private let recipient: RecipientKey?
  private let ownTracks: OwnTracks?

  /// Creates the conversion for one app at a broker.
  /// - Parameters:
  ///   - broker: The address of the broker, as in `mqtts://mqtt.example.org:8883`.
  ///   - expires: The time in which the gateway may publish a fix.
  ///   - recipient: The public key for the encryption of the fixes; nil for no encryption.
  ///   - ownTracks: The formats of the program OwnTracks, to publish each fix also in this format; nil for no such
  ///     message.
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
