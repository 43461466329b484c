package import Clocks
package import LineProtocol

/// What carries an app's lines where that is no channel: a bridge to a broker.
///
/// Guaranteed: no call waits; after `recall` nothing of a publication that was not handed over leaves any more.
/// Not guaranteed: that anybody hears what is sent.
package protocol Outlet: Sendable {
  /// How the app is given its fixes.
  var form: any PublicationForm { get }

  /// Takes a line, which carries no position.
  func send(_ line: ServerLine)

  /// Whether somebody would hear now what is sent.
  var isThere: Bool { get }

  /// Tells the app that a region of its own was entered or left, while the light tells of it.
  func tell(_ crossing: RegionCrossing, until: MonotonicInstant)

  /// Hands a fix over, while the light tells of it. There is one at a time.
  func publish(_ publication: Publication, until: MonotonicInstant)

  /// What is under way is void: what has left in part is cut off, and nobody but the gateway sends it again.
  func recall()

  func close()
}

/// A region of an app was entered or left.
package struct RegionCrossing: Hashable, Sendable {
  /// As the app named it.
  package var region: String
  /// As the app described it.
  package var text: String
  /// Metres.
  package var radius: Double
  package var isEntry: Bool
  /// When the gateway tells of it.
  package var time: UTCTime
  /// When the app registered the region; nil if that was not kept.
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

/// A fix on its way out of the outbox.
package struct Publication: Hashable, Sendable {
  package struct Message: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
      self.topic = topic
      self.payload = payload
    }
  }

  /// The outbox's number of it.
  package var number: Int64
  /// At least one.
  package var messages: [Message]
  /// How long it is of use, for the broker, which may keep it for those who are away.
  package var life: Duration

  package init(number: Int64, messages: [Message], life: Duration) {
    self.number = number
    self.messages = messages
    self.life = life
  }
}

/// How a bridge's app is given its fixes: values only, and nothing that could send.
package protocol PublicationForm: Sendable {
  /// What the outbox knows it by, also after a restart.
  var name: String { get }
  /// How its broker is called to owners, without spaces.
  var place: String { get }
  /// How long after the press a fix is of use.
  var expires: Duration { get }
  /// How many fixes may wait: with so many no request is taken.
  var mostWaiting: Int { get }

  /// - Throws: where it cannot be sealed for the app.
  func messages(_ fix: PublishedFix) throws -> [Publication.Message]
}

/// A fix that is to be published.
package struct PublishedFix: Hashable, Sendable {
  package var report: FixReport
  /// The request's, or one of ours: the same however often it is published.
  package var id: String
  /// Whether somebody pressed for it; else the app has a standing authorization.
  package var isByPress: Bool
  package var disclosed: UTCTime

  package init(_ report: FixReport, id: String, isByPress: Bool, disclosed: UTCTime) {
    self.report = report
    self.id = id
    self.isByPress = isByPress
    self.disclosed = disclosed
  }
}

/// What stands behind a bridge, beside what stands behind lines.
package protocol OutboxService: LineService {
  /// The broker is there, and nothing is in flight.
  /// - Parameter patience: how long fixes wait for a sign of their subscriber at most; nil if they do not.
  func connected(_ connection: Connection, awaitingSubscriberFor patience: Duration?) async

  /// The subscriber gave a sign that it is there: fixes wait for it no longer.
  func subscriberAppeared(on connection: Connection) async

  /// Nothing is in flight: the next fix may be handed over.
  func ready(_ connection: Connection) async

  /// The broker has a publication.
  func acknowledged(_ publication: Int64, on connection: Connection) async

  /// The broker has a publication and threw it away, since nobody subscribes to it: the fix goes on waiting.
  func unheard(_ publication: Int64, on connection: Connection) async

  /// The descriptions that the broker did not deliver, by topic; none if it delivered all.
  func undelivered(_ topics: [String], on connection: Connection) async

  /// The broker is not there: what was in flight waits again.
  func disconnected(_ connection: Connection) async

  /// Something was published that counts for nothing.
  /// - Parameter reason: one word, as in `retained`.
  func ignored(_ reason: String, on connection: Connection) async
}
