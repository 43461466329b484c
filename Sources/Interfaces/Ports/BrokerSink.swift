package import Base
package import LineProtocol

/// An MQTT broker to which the gateway publishes the location data of one app. The functions do not wait for the
/// network, and do not guarantee that a subscriber receives the publication. The indicator shows a disclosure until the
/// instant `until`.
package protocol BrokerSink: Sendable {
  /// The payload format of the published fixes.
  var form: any PublicationForm { get }

  var isConnected: Bool { get }

  /// Publishes the message that the device entered or left a region, unless the instant `until` has passed.
  func report(_ crossing: RegionCrossing, until: MonotonicInstant)

  /// Publishes a fix, unless the instant `until` has passed. The caller must not publish another fix before this
  /// publication has ended.
  func publish(_ publication: Publication, until: MonotonicInstant)
}

/// The event that the device entered or left a region of an app.
package struct RegionCrossing: Hashable, Sendable {
  package var region: String
  /// The text that the app registered with the region.
  package var text: String
  /// The radius of the region in metres.
  package var radius: Double
  package var isEntry: Bool
  /// The time of the publication.
  package var time: UTCTime
  /// The time at which the app registered the region; nil if unknown.
  package var registered: UTCTime?

  package init(
    region: String, text: String, radius: Double, isEntry: Bool, time: UTCTime, registered: UTCTime? = nil
  ) {
    self.region = region
    self.text = text
    self.radius = radius
    self.isEntry = isEntry
    self.time = time
    self.registered = registered
  }
}

/// The messages of one fix for an MQTT broker.
package struct Publication: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  /// The number of the fix in the store in which the gateway keeps fixes for brokers.
  package var number: Int64
  /// The messages of the fix, at least one.
  package var messages: [Message]
  /// The time for which the broker may keep the fix for a subscriber that is not connected.
  package var life: Duration

  package init(number: Int64, messages: [Message], life: Duration) {
    self.number = number
    self.messages = messages
    self.life = life
  }
}

/// A payload format in which an MQTT bridge publishes fixes, for example JSON. The format creates the messages of a fix
/// and does not send them.
package protocol PublicationForm: Sendable {
  /// The name of the payload format. The gateway stores this name with each fix, so the name must be the same after a
  /// restart of the daemon.
  var name: String { get }
  /// The name of the broker in the status and the metrics of the gateway, without spaces.
  var broker: String { get }
  /// The time in which the gateway may publish a fix. The time starts with the press of the button, or with the request
  /// if no press is necessary.
  var expires: Duration { get }
  /// The maximum number of fixes that wait for the broker. At this number, the gateway accepts no further request of
  /// the app.
  var mostWaiting: Int { get }

  /// Returns the messages of a fix. Throws an error if the fix cannot be encrypted for the app.
  func messages(_ fix: PublishedFix) throws -> [Publication.Message]
}

/// A fix to publish, before its conversion to messages.
package struct PublishedFix: Hashable, Sendable {
  package var report: FixReport
  /// The id from the request, or a random id if the request has none. A repeated publication has the same id.
  package var id: String
  /// Whether a press of the button permitted the fix. Otherwise, a standing authorization permitted the fix.
  package var isByPress: Bool
  package var disclosed: UTCTime

  package init(_ report: FixReport, id: String, isByPress: Bool, disclosed: UTCTime) {
    self.report = report
    self.id = id
    self.isByPress = isByPress
    self.disclosed = disclosed
  }
}
