package import Authorization
package import Clocks
package import LineProtocol
package import Ports
package import StateStore

/// One disclosure of location data to one sink.
package enum DisclosureRequest {
  case once(OnceDisclosure)
  case redelivery(Delivery, on: any ClientConnection)
  case update(UpdateDisclosure)
  case publication(PublicationDisclosure)
  case crossing(CrossingDisclosure)
}

/// The one-time fix of a grant.
package struct OnceDisclosure {
  package var grant: Grant
  package var options: OnceRequest
  package var tag: String?
  /// When the request arrived.
  package var received: MonotonicInstant
  package var connection: any ClientConnection
  /// The subscription under which the fix is sent, its quality of service (0 or 1), and the number of the message.
  package var sid: String
  package var qos: Int
  package var messageID: Int

  package init(
    grant: Grant, options: OnceRequest, tag: String?, received: MonotonicInstant, connection: any ClientConnection,
    sid: String, qos: Int, messageID: Int
  ) {
    self.grant = grant
    self.options = options
    self.tag = tag
    self.received = received
    self.connection = connection
    self.sid = sid
    self.qos = qos
    self.messageID = messageID
  }
}

/// The next fix of updates.
package struct UpdateDisclosure {
  package var updates: Updates
  package var progress: UpdateProgress
  package var connection: any ClientConnection
  /// The subscriptions under which the fix is sent.
  package var sids: [String]
  /// Whether a new interval of the log may be opened now.
  package var mayOpenInterval: Bool

  package init(
    updates: Updates, progress: UpdateProgress, connection: any ClientConnection, sids: [String],
    mayOpenInterval: Bool
  ) {
    self.updates = updates
    self.progress = progress
    self.connection = connection
    self.sids = sids
    self.mayOpenInterval = mayOpenInterval
  }
}

/// A fix of the broker outbox.
package struct PublicationDisclosure {
  package var fix: WaitingFix
  /// The session that the fix was granted to; nil if that was before a restart.
  package var session: SessionID?
  package var expires: MonotonicInstant
  /// The end of the light that was shown when the fix was granted; nil if that was before a restart.
  package var light: MonotonicInstant?
  /// Whether the log has an entry of the delay.
  package var isLate: Bool
  package var broker: any BrokerSink

  package init(
    fix: WaitingFix, session: SessionID?, expires: MonotonicInstant, light: MonotonicInstant?, isLate: Bool,
    broker: any BrokerSink
  ) {
    self.fix = fix
    self.session = session
    self.expires = expires
    self.light = light
    self.isLate = isLate
    self.broker = broker
  }
}

/// A crossing of a region's border, to one session of the region's app.
package struct CrossingDisclosure {
  package var app: AppID
  package var event: RegionEvent
  package var expires: MonotonicInstant
  package var region: Region
  /// When the app registered the region; nil if that was not saved.
  package var registered: UTCTime?
  package var connection: any ClientConnection
  /// The subscriptions under which the event is sent.
  package var sids: [String]

  package init(
    app: AppID, event: RegionEvent, expires: MonotonicInstant, region: Region, registered: UTCTime?,
    connection: any ClientConnection, sids: [String]
  ) {
    self.app = app
    self.event = event
    self.expires = expires
    self.region = region
    self.registered = registered
    self.connection = connection
    self.sids = sids
  }
}

/// The result of a disclosure for the parts of the gateway.
package enum DisclosureReceipt {
  /// A one-time fix was sent, and needs no acknowledgement.
  case sent
  /// A one-time fix was sent, and has to be acknowledged.
  case delivered(Delivery)
  /// A one-time fix is durable, and waits for a broker.
  case stored(WaitingFix, expires: MonotonicInstant, light: MonotonicInstant)
  /// - accuracy: the accuracy of the fix; nil if no fix was sent because the app did not move far enough.
  case updated(UpdateProgress, accuracy: Accuracy?)
  /// - isLate: whether the log has an entry of the delay.
  case published(WaitingFix, isLate: Bool)
  case reported
}

/// The reason why no data was disclosed.
package enum DisclosureFailure: Error, Hashable, Sendable {
  /// The disclosure has to wait: there is no fresh fix, the sink is not ready, or the indicator was not seen yet.
  case pending
  /// The right was revoked.
  case revoked
  /// The indicator cannot be shown; the text is the remedy.
  case indicator(String)
  /// The log cannot be written.
  case store(String)
  /// No approximate position can be computed.
  case cloak(String)
}

/// A disclosed one-time fix without an acknowledgement. Only this module can read its text.
package struct Delivery: Sendable {
  /// The redelivery times of a fix, counted from the first delivery.
  private static let redeliveries: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

  package let session: SessionID
  package let app: AppID
  package let messageID: Int
  /// The number of the log entry.
  package let entry: Int64
  package let expires: MonotonicInstant
  let accuracy: Accuracy
  let right: Right
  let sid: String
  /// Whether the client has to acknowledge the fix.
  let isAcknowledged: Bool
  let json: String
  let sent: MonotonicInstant
  private var timesDue = 0
  var isRedelivered = false

  init(_ once: OnceDisclosure, _ accuracy: Accuracy, entry: Int64, json: String, sent: MonotonicInstant) {
    session = once.grant.session
    app = once.grant.app
    right = once.grant.right
    self.accuracy = accuracy
    messageID = once.messageID
    self.entry = entry
    expires = once.grant.expires
    sid = once.sid
    isAcknowledged = once.qos > 0
    self.json = json
    self.sent = sent
  }

  /// The time at which the fix is sent again or expires.
  package var nextDeadline: MonotonicInstant {
    timesDue < Self.redeliveries.count ? min(sent + Self.redeliveries[timesDue], expires) : expires
  }

  /// Notes that the fix is due for redelivery, even if its client is disconnected. If several deadlines have passed
  /// during a standstill of the machine, the fix is sent only once for all of them.
  package mutating func passDeadline(at now: MonotonicInstant) {
    repeat { timesDue += 1 } while timesDue < Self.redeliveries.count && nextDeadline <= now
    isRedelivered = true
  }

  /// Notes that the fix is sent again because its client has reconnected. The deadline does not change.
  package mutating func resume() { isRedelivered = true }
}

/// The indicator that shows a person that location is in use.
package protocol DisclosureLight {
  /// Shows that an app uses the location, at least until an instant.
  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> LightState

  /// Ends the latest use of an app, which disclosed no data. The indicator continues to show an earlier use of the app.
  mutating func endUse(by app: AppID)

  /// Returns the state of the indicator while updates run.
  func lightOfUpdates(at now: MonotonicInstant) -> LightState

  /// The remedy for a button with a misleading or missing label; nil if all labels are correct.
  var labelRemedy: String? { get }
}

package enum LightState: Hashable, Sendable {
  case on
  /// The sense input has not seen the indicator yet, or a short sign is shown.
  case unseen
  /// The indicator is not visible; the text is the remedy.
  case dark(String)
}

/// The durable log of disclosures. Each call returns when the disk has the entry.
package protocol DisclosureLog {
  /// Saves changes of rights that are not durable yet: one of them may concern the disclosure.
  /// - Parameter app: the app whose record is saved with the next entry.
  mutating func savePending(except app: AppID?) throws(StoreError)

  mutating func open(_ entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?) throws(StoreError)
    -> Int64

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?
  ) throws(StoreError) -> Int64

  mutating func keep(
    _ fix: KeptFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?
  ) throws(StoreError) -> WaitingFix

  mutating func postpone(_ fix: WaitingFix) throws(StoreError) -> WaitingFix

  func content(of fix: WaitingFix) throws(StoreError) -> [UInt8]

  /// Saves the memory of the cloak.
  mutating func seal(_ memory: [UInt8]) throws(StoreError)

  /// Records that a fix was sent, or that a crossing was reported.
  mutating func close(_ entry: Int64, _ outcome: DisclosureOutcome)
}
