package import Clocks
package import LineProtocol

/// A bridge to a broker, as a sink of disclosures.
///
/// Guaranteed: no call waits.
/// Not guaranteed: that a subscriber receives the publication.
package protocol BrokerSink: Sendable {
  /// The form of the publications.
  var form: any PublicationForm { get }

  /// Whether the broker is connected.
  var isConnected: Bool { get }

  /// Reports that the user entered or left a region, if the indicator still shows it.
  /// - Parameter until: how long the indicator shows it.
  func report(_ crossing: RegionCrossing, until: MonotonicInstant)

  /// Publishes a fix, if the indicator still shows it. One fix is in flight at a time.
  /// - Parameter until: how long the indicator shows it.
  func publish(_ publication: Publication, until: MonotonicInstant)
}

/// The entry into a region of an app, or the exit from it.
package struct RegionCrossing: Hashable, Sendable {
  /// The region's name, chosen by the app.
  package var region: String
  /// The region's description, by the app.
  package var text: String
  /// In metres.
  package var radius: Double
  package var isEntry: Bool
  /// The time of the report.
  package var time: UTCTime
  /// When the app registered the region; nil if unknown.
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

/// A fix of the outbox, ready to be published.
package struct Publication: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  /// The number of the fix in the outbox.
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

/// The form in which a bridge publishes its app's fixes. A form only creates values and cannot send.
package protocol PublicationForm: Sendable {
  /// The form's name in the outbox, the same after a restart.
  var name: String { get }
  /// The broker's name for owners, without spaces.
  var place: String { get }
  /// The time after the press during which a fix is useful.
  var expires: Duration { get }
  /// The maximum number of fixes in the outbox. If the outbox is full, no request is accepted.
  var mostWaiting: Int { get }

  /// Returns the messages of a fix.
  /// - Throws: an error if the fix cannot be sealed for the app.
  func messages(_ fix: PublishedFix) throws -> [Publication.Message]
}

/// A disclosed fix before its conversion to the form of a bridge.
package struct PublishedFix: Hashable, Sendable {
  package var report: FixReport
  /// The id of the request, or an id from the gateway. The id is the same each time that the fix is published.
  package var id: String
  /// Whether a press granted the fix; otherwise the app has a standing authorization.
  package var isByPress: Bool
  package var disclosed: UTCTime

  package init(_ report: FixReport, id: String, isByPress: Bool, disclosed: UTCTime) {
    self.report = report
    self.id = id
    self.isByPress = isByPress
    self.disclosed = disclosed
  }
}
