package import Authorization
package import Clocks
package import LineProtocol
package import Ports
package import StateStore

/// A request to disclose location data to one sink.
package enum DisclosureRequest {
  case once(OnceDisclosure)
  case redelivery(Delivery, on: any ClientConnection)
  case update(UpdateDisclosure)
  case publication(PublicationDisclosure)
  case crossing(CrossingDisclosure)
}

/// The one-time fix that a grant permits.
package struct OnceDisclosure {
  package var grant: Grant
  package var options: OnceRequest
  package var tag: String?
  /// The instant at which the request arrived.
  package var received: MonotonicInstant
  package var connection: any ClientConnection
  /// The identifier of the subscription under which the gateway sends the fix, its quality of service (0 or 1), and the
  /// number of the message.
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

/// The next fix of an app that receives updates.
package struct UpdateDisclosure {
  package var updates: Updates
  package var progress: UpdateProgress
  package var connection: any ClientConnection
  /// The identifiers of the subscriptions under which the gateway sends the fix.
  package var sids: [String]
  /// Whether the gate may open a new log entry for an interval of updates now.
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

/// A fix that waits for a broker.
package struct PublicationDisclosure {
  package var fix: OutboxEntry
  /// The session to which the user or the owner granted the fix; nil if the daemon has restarted since then.
  package var session: SessionID?
  package var expires: MonotonicInstant
  /// The instant until which the indicator shows this disclosure. The indicator shows the disclosure from the grant
  /// until this instant. The value is nil if the daemon has restarted since the grant.
  package var light: MonotonicInstant?
  /// Whether the log already has an entry for the late delivery of this fix.
  package var isLate: Bool
  package var broker: any BrokerSink

  package init(
    fix: OutboxEntry, session: SessionID?, expires: MonotonicInstant, light: MonotonicInstant?, isLate: Bool,
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

/// The message that the device crossed the border of a region, for one session of the app that registered the region.
package struct CrossingDisclosure {
  package var app: AppID
  package var event: RegionEvent
  package var expires: MonotonicInstant
  package var region: Region
  /// The time at which the app registered the region; nil if the gateway has not saved this time.
  package var registered: UTCTime?
  package var connection: any ClientConnection
  /// The identifiers of the subscriptions under which the gateway sends the event.
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

/// The result of a successful disclosure.
package enum DisclosureReceipt {
  /// The gate sent a one-time fix that needs no acknowledgement.
  case sent
  /// The gate sent a one-time fix that the client must acknowledge.
  case delivered(Delivery)
  /// The gate saved a one-time fix, which waits for a broker.
  case stored(OutboxEntry, expires: MonotonicInstant, light: MonotonicInstant)
  /// The gate processed the next fix for an app that receives updates. `accuracy` is the accuracy of the fix that the
  /// gate sent. The accuracy is nil if the gate sent no fix, because the device had not moved far enough.
  case updated(UpdateProgress, accuracy: FixAccuracy?)
  /// The gate gave a stored fix to the MQTT broker that will deliver it. `isLate` is true if the log has an entry for
  /// the late delivery of the fix.
  case published(OutboxEntry, isLate: Bool)
  case reported
}

/// The reason why no data was disclosed.
package enum DisclosureFailure: Error, Hashable, Sendable {
  /// The disclosure must wait, for one of three reasons. The receiver has no fresh fix. The queue of the connection or
  /// broker is full. Or the input that senses the LED has not confirmed yet that the indicator is on.
  case pending
  /// The app no longer has the right to receive the location.
  case revoked
  /// A user cannot see the indicator. The value is a text that tells how to correct this.
  case indicator(String)
  /// The gate cannot write the log. The value is the cause of the failure.
  case store(String)
  /// The gate cannot compute an approximate position. The value is the cause of the failure.
  case cloak(String)
}

/// A one-time fix that was sent and that the client has not acknowledged yet. Only this module can read the text that
/// contains the position.
package struct Delivery: Sendable {
  /// The times at which the gateway sends an unacknowledged fix again, counted from the first delivery.
  private static let redeliveries: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

  package let session: SessionID
  package let app: AppID
  package let messageID: Int
  /// The number of the disclosure's log entry.
  package let entry: Int64
  package let expires: MonotonicInstant
  let accuracy: FixAccuracy
  let right: Right
  let sid: String
  /// Whether the client must acknowledge the fix.
  let isAcknowledged: Bool
  let json: String
  let sent: MonotonicInstant
  private var timesDue = 0
  var isRedelivered = false

  init(_ once: OnceDisclosure, _ accuracy: FixAccuracy, entry: Int64, json: String, sent: MonotonicInstant) {
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

  /// The instant at which the gateway sends the fix again, or at which the fix expires.
  package var nextDeadline: MonotonicInstant {
    timesDue < Self.redeliveries.count ? min(sent + Self.redeliveries[timesDue], expires) : expires
  }

  /// Records that the instant of `nextDeadline` has passed, whether or not the client is connected. If several
  /// deadlines have passed since the last call, one call records all of them. The gateway then sends the fix only once.
  package mutating func passDeadline(at now: MonotonicInstant) {
    repeat { timesDue += 1 } while timesDue < Self.redeliveries.count && nextDeadline <= now
    isRedelivered = true
  }

  /// Records that the gateway sends the fix again because the client has reconnected. The next deadline does not
  /// change.
  package mutating func resume() { isRedelivered = true }
}

/// The indicator that shows the user that an app uses the location.
package protocol DisclosureLight {
  /// Shows that an app uses the location, at least until the instant `end`.
  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> LightState

  /// Withdraws the latest call of `showUse` for an app, because the disclosure failed. If the time of an earlier call
  /// of `showUse` for this app has not ended yet, the indicator continues to show that earlier disclosure.
  mutating func endUse(by app: AppID)

  /// Returns the state of the indicator during updates.
  func lightOfUpdates(at now: MonotonicInstant) -> LightState

  /// The text that tells how to correct a missing or misleading button label; nil if all labels are correct.
  var labelRemedy: String? { get }
}

package enum LightState: Hashable, Sendable {
  case on
  /// The disclosure must wait. The input that senses the LED has not confirmed yet that the indicator is on, or the
  /// indicator shows a short pattern for a different purpose.
  case unseen
  /// A user cannot see the indicator. The value is a text that tells how to correct this.
  case dark(String)
}

/// The durable log of disclosures. Each call that writes an entry returns when the entry is on the disk.
package protocol DisclosureLog {
  /// Saves the changed rights that are not durable yet, because one of these changes may forbid the disclosure.
  ///
  /// - Parameter app: The app of the disclosure. This function need not save the record of this app, because the store
  ///   saves the record together with the next log entry.
  mutating func savePending(except app: AppID?) throws(StoreError)

  mutating func open(_ entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?) throws(StoreError)
    -> Int64

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?
  ) throws(StoreError) -> Int64

  mutating func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: [UInt8]?
  ) throws(StoreError) -> OutboxEntry

  mutating func postpone(_ fix: OutboxEntry) throws(StoreError) -> OutboxEntry

  func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8]

  /// Saves the memory of the cloak.
  mutating func seal(_ memory: [UInt8]) throws(StoreError)

  /// Records the outcome of a disclosure in the log, for example that the gateway sent the fix.
  mutating func close(_ entry: Int64, _ outcome: DisclosureOutcome)
}
