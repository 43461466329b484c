package import Authorization
package import Base
package import LineProtocol
package import Ports
package import StateStore

/// A request to send location data to one receiver of data. The case `redelivery` includes the first transmission of a
/// fix that was kept for the gpsd command `?POLL`.
package enum DisclosureRequest {
  indirect case once(OnceDisclosure)
  indirect case redelivery(Delivery, on: any ClientConnection)
  case update(UpdateDisclosure)
  indirect case publication(PublicationDisclosure)
  indirect case crossing(CrossingDisclosure)

  var app: AppID {
    switch self {
    case .once(let once): once.grant.app
    case .redelivery(let delivery, _): delivery.app
    case .update(let update): update.stream.app
    case .publication(let publication): publication.fix.app
    case .crossing(let crossing): crossing.app
    }
  }

  var isUpdate: Bool { if case .update = self { true } else { false } }

  /// Whether the client can receive positions, but no names of places. Examples are the protocol of gpsd, for NMEA
  /// sentences, and for some payload formats.
  var hasPositionsOnly: Bool {
    switch self {
    case .once(let once):
      once.connection.transport.isForWatching || once.connection.sink?.form.hasPositionsOnly == true
    case .update(let update): update.connection.transport.isForWatching
    case .redelivery, .publication, .crossing: false
    }
  }

  /// Whether the request must wait, because the send queue of its connection is full.
  var isSinkFull: Bool {
    switch self {
    case .once(let once): !once.isKept && once.connection.isFull
    case .redelivery(_, let connection): connection.isFull
    // An update does not wait: if the queue of its connection is full, the connection drops its oldest update. A
    // publication does not wait here, because its sink has its own queue.
    case .update, .publication: false
    case .crossing(let crossing): crossing.connection.isFull
    }
  }
}

/// The transmission of one fix for which the app has a grant (the permission for one fix).
package struct OnceDisclosure {
  package var grant: Grant
  package var options: OnceRequest
  package var tag: String?
  package var received: MonotonicInstant
  package var connection: any ClientConnection
  /// The identifier of the client's subscription. The next two properties are `qos`, the quality of service (1 requests
  /// an acknowledgement, 0 does not), and `messageID`, the identifier of the message.
  package var sid: String
  package var qos: Int
  package var messageID: Int

  /// Whether the gateway keeps the fix until the client sends the gpsd command `?POLL`, instead of sending the fix now.
  /// A client may begin to use `?POLL` after its request.
  var isKept: Bool { grant.isPolled || grant.press != nil && connection.isPolled }

  /// The instant of the position that the app receives: when the user pushed the button down. The value is nil if the
  /// app receives the position of the receiver's own measurement, as gpsd and NMEA clients expect (authorization
  /// reference, row A10).
  var positionInstant: MonotonicInstant? { connection.transport.isForWatching ? nil : grant.press?.down }

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

/// The transmission of the next fix of continuous updates.
package struct UpdateDisclosure {
  let stream: UpdateStream
  let connection: any ClientConnection
  /// The identifiers of the subscriptions that receive the fix.
  let sids: [String]
  /// Whether a new log entry for a series of updates may be opened now.
  let mayOpenInterval: Bool

  package init(_ stream: UpdateStream, to connection: any ClientConnection, sids: [String], mayOpenInterval: Bool) {
    self.stream = stream
    self.connection = connection
    self.sids = sids
    self.mayOpenInterval = mayOpenInterval
  }

  /// Sends one update for each subscription of the client.
  ///
  /// - Parameter line: Returns the update for the subscription with the identifier `sid`.
  func send(_ line: (_ sid: String) -> UpdateLine) {
    for sid in sids { connection.send(update: line(sid)) }
  }
}

/// The transmission of a saved fix that waits for an output, such as an MQTT broker.
package struct PublicationDisclosure {
  package var fix: OutboxEntry
  /// The session whose request gave the app this fix; nil if the daemon has restarted since the request.
  package var session: SessionID?
  package var expires: MonotonicInstant
  /// The instant until which the indicator (the LED) shows this use of the location; nil if the daemon has restarted
  /// since the app's request.
  package var indicationEnd: MonotonicInstant?
  /// Whether the disclosure log already has an entry for the late delivery of this fix.
  package var isLate: Bool
  package var sink: any OutputSink

  package init(
    fix: OutboxEntry, session: SessionID?, expires: MonotonicInstant, indicationEnd: MonotonicInstant?, isLate: Bool,
    sink: any OutputSink
  ) {
    self.fix = fix
    self.session = session
    self.expires = expires
    self.indicationEnd = indicationEnd
    self.isLate = isLate
    self.sink = sink
  }
}

/// The transmission of an entry into a region, or of an exit from it, to one session of the app that registered the
/// region.
package struct CrossingDisclosure {
  package var app: AppID
  package var event: RegionEvent
  package var expires: MonotonicInstant
  package var region: Region
  /// The time at which the app registered the region; nil if this time was not saved.
  package var registered: UTCTime?
  package var connection: any ClientConnection
  /// The identifiers of the subscriptions that receive the event.
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

  func send(until end: MonotonicInstant, at now: ClockReading) {
    if let sink = connection.sink {
      let crossing = RegionCrossing(
        region: region.id, text: region.text, radius: region.radius, isEntry: event.isEntry, time: now.utc,
        registered: registered)
      return sink.report(crossing, until: end)
    }
    for sid in sids {
      let json = JSONObject.text(["event": event.isEntry ? "enter" : "exit"])
      connection.send(once: .init(topic: Topic.region(region.id), sid: sid, json: json), until: end)
    }
  }
}

/// The result of a successful disclosure (a release of location data).
package enum DisclosureReceipt {
  /// A one-time fix was sent without an acknowledgement. The caller records the outcome in the log entry with this
  /// sequence number.
  case sent(entry: Int64)
  /// A one-time fix was sent, and the client must acknowledge it.
  indirect case delivered(Delivery)
  /// A one-time fix was selected, and is kept until its client sends `?POLL`.
  indirect case kept(Delivery)
  /// A one-time fix was saved, and waits for an output, such as an MQTT broker.
  indirect case stored(OutboxEntry, expires: MonotonicInstant, indicationEnd: MonotonicInstant)
  /// The next fix of continuous updates was processed. The accuracy is nil if no fix was sent, because the device had
  /// not moved far enough.
  case updated(accuracy: FixAccuracy?)
  /// A saved fix was given to its output. `isLate` is true if the disclosure log has an entry for the late delivery of
  /// this fix.
  indirect case published(OutboxEntry, isLate: Bool)
  /// An entry into a region, or an exit from it, was sent. The caller records the outcome in the log entry with this
  /// sequence number.
  case reported(entry: Int64)
}

/// The reason why a disclosure (a release of location data) failed.
package enum DisclosureFailure: Error, Hashable, Sendable {
  /// The disclosure must wait: there is no fresh fix, the send queue is full, or the hardware has not confirmed yet
  /// that the indicator (the LED) is on.
  case pending
  case revoked
  /// The indicator (the LED) is not visible. The value tells the owner how to correct this.
  case indicator(String)
  /// The disclosure log cannot be written. The value is the cause.
  case store(String)
  /// The fix cannot be encrypted for its recipient. The value is the cause.
  case encryption(String)
  /// The gateway cannot compute an approximate position. The value is the cause.
  case cloak(String)
  /// The saved places of the owner cannot be read. The value is the cause.
  case places(String)
  /// The protocol of the client cannot transmit the name of a place.
  case placeless

  /// The text of the cause, for messages to the owners of the gateway.
  package var cause: String {
    switch self {
    case .indicator(let cause), .store(let cause), .encryption(let cause), .cloak(let cause), .places(let cause): cause
    case .pending, .revoked, .placeless: "\(self)"
    }
  }

  /// Creates the reason from an error that a step of the disclosure threw.
  init(_ error: any Error) {
    self =
      switch error {
      case let failure as DisclosureFailure: failure
      case let error as CloakUnavailable: .cloak("\(error)")
      case let error as PlacesUnavailable: .places("\(error)")
      case let error as StoreError: error.kind == .sealBroken ? .revoked : .store("\(error)")
      // All other errors are from `PublicationForm.messages`.
      default: .encryption("\(error)")
      }
  }
}

/// The indicator (the LED), which shows the user that an app uses the location.
package protocol DisclosureIndicator {
  /// Shows that an app uses the location, at least until `end`.
  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> IndicatorState

  /// Takes back the latest `showUse` for an app after a failed disclosure. An earlier `showUse` of this app stays in
  /// effect.
  mutating func endUse(by app: AppID)

  func stateOfUpdates(at now: MonotonicInstant) -> IndicatorState

  /// A text that tells the owner how to correct a missing or misleading button label; nil if all labels are correct.
  var labelRemedy: String? { get }
}

package enum IndicatorState: Hashable, Sendable {
  case on
  /// The disclosure must wait: the hardware has not confirmed yet that the indicator is on, or the indicator shows a
  /// short pattern for a different purpose.
  case unseen
  /// The indicator is not visible. The value tells the owner how to correct this.
  case dark(String)
}

/// A state to encrypt and save before a disclosure: the memory of the algorithm for approximate positions, or the
/// places of the owner. If the disclosure has a new log entry, one transaction saves both.
package struct SealedMemory: Hashable, Sendable {
  /// The name of the encrypted value in the state store.
  package let name: String
  package let bytes: [UInt8]

  package init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// The durable log of all disclosures (releases of location data). An entry is on the disk when the call that writes it
/// returns.
package protocol DisclosureLog {
  /// Saves the changes of authorizations that are not durable yet, because one of these changes may forbid the
  /// disclosure.
  ///
  /// - Parameter app: The app of the disclosure. The record of this app is saved with the next log entry instead.
  mutating func savePending(except app: AppID?) throws(StoreError)

  mutating func open(_ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?) throws(StoreError)
    -> Int64

  mutating func openInterval(
    _ entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> Int64

  mutating func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, _ record: AppRecord, sealing memory: SealedMemory?
  ) throws(StoreError) -> OutboxEntry

  mutating func postpone(_ fix: OutboxEntry) throws(StoreError) -> OutboxEntry

  func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8]

  mutating func seal(_ memory: SealedMemory) throws(StoreError)
}
