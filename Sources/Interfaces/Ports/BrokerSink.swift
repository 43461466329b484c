package import Clocks
package import LineProtocol

/// The sink of disclosures to an MQTT broker.
///
/// No call waits for the network. A call does not guarantee that a subscriber receives the publication.
package protocol BrokerSink: Sendable {
  /// The form in which the broker's subscribers receive fixes.
  var form: any PublicationForm { get }

  /// Whether the broker is connected.
  var isConnected: Bool { get }

  /// Reports that the device entered or left a region, if the indicator still shows the disclosure.
  ///
  /// - Parameter until: The instant until which the indicator shows the disclosure.
  func report(_ crossing: RegionCrossing, until: MonotonicInstant)

  /// Publishes a fix, if the indicator still shows the disclosure. The caller publishes the next fix only after the
  /// publication of this fix has ended.
  ///
  /// - Parameter until: The instant until which the indicator shows the disclosure.
  func publish(_ publication: Publication, until: MonotonicInstant)
}

/// The entry into a region of an app, or the exit from it.
package struct RegionCrossing: Hashable, Sendable {
  /// The region's id, which the app chose.
  package var region: String
  /// The text that the app registered with the region.
  package var text: String
  /// The radius in metres.
  package var radius: Double
  package var isEntry: Bool
  /// The time of the report.
  package var time: UTCTime
  /// The time at which the app registered the region; nil if this time is unknown.
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

/// A fix that waited for an MQTT broker and is ready to be published.
package struct Publication: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  /// The number of the fix in the gateway's store.
  package var number: Int64
  /// The messages of the fix, at least one.
  package var messages: [Message]
  /// The time for which the broker may keep the fix for absent subscribers.
  package var life: Duration

  package init(number: Int64, messages: [Message], life: Duration) {
    self.number = number
    self.messages = messages
    self.life = life
  }
}

/// The form in which an MQTT bridge publishes the fixes of its app. A form only creates messages and does not send
/// them.
package protocol PublicationForm: Sendable {
  /// The name of the form. Stored fixes refer to it, so it must be the same after a restart.
  var name: String { get }
  /// The broker's name for owners, without spaces.
  var place: String { get }
  /// The time after the press, or after the request, in which a fix may be published.
  var expires: Duration { get }
  /// The maximum number of fixes that wait for the broker. When this number of fixes waits, the gateway accepts no
  /// further request.
  var mostWaiting: Int { get }

  /// Returns the messages of a fix.
  ///
  /// - Throws: An error if the fix cannot be encrypted for the app.
  func messages(_ fix: PublishedFix) throws -> [Publication.Message]
}

/// A fix to publish, before its conversion to messages.
package struct PublishedFix: Hashable, Sendable {
  package var report: FixReport
  /// The id from the request, or a random id if the request has none. If the fix is published again, its id stays the
  /// same.
  package var id: String
  /// Whether a press permitted the fix. If false, a standing authorization permitted the fix.
  package var isByPress: Bool
  package var disclosed: UTCTime

  package init(_ report: FixReport, id: String, isByPress: Bool, disclosed: UTCTime) {
    self.report = report
    self.id = id
    self.isByPress = isByPress
    self.disclosed = disclosed
  }
}
