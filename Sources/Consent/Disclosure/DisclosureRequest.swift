package import Authorization
package import Base
package import LineProtocol
package import Ports
package import StateStore

/// A request to send location data to one recipient, for example to a session or an MQTT broker. The case `redelivery`
/// also covers the first transmission of a fix that the gateway kept for the gpsd command `?POLL`.
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

  /// Whether the protocol or payload format of the client can carry positions, but no names of places. An example is
  /// the protocol of gpsd.
  var hasPositionsOnly: Bool {
    switch self {
    case .once(let once):
      once.connection.transport.isForWatching || once.connection.sink?.form.hasPositionsOnly == true
    case .update(let update): update.connection.transport.isForWatching
    case .redelivery, .publication, .crossing: false
    }
  }

  /// Whether the request must wait until the send queue of its connection has room.
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

/// A request to send one fix to an app that has a grant (the permission for one fix).
package struct OnceDisclosure {
  package var grant: Grant
  package var options: OnceRequest
  package var tag: String?
  package var received: MonotonicInstant
  package var connection: any ClientConnection
  /// The identifier of the client's subscription.
  package var sid: String
  /// The quality of service: 1 requests an acknowledgement of the fix, 0 does not.
  package var qos: Int
  package var messageID: Int
  /// Whether the wall clock of this machine is set.
  package var isClockSet: Bool

  /// Whether the gateway keeps the fix until the client sends the gpsd command `?POLL`. A client may send its first
  /// `?POLL` after the request.
  var isKept: Bool { grant.isPolled || grant.press != nil && connection.isPolled }

  /// The instant for which the app gets its position: the instant at which the user pushed the button down. Nil stands
  /// for the instant of the receiver's measurement, which gpsd and NMEA clients expect (authorization reference, row
  /// A10).
  var positionInstant: MonotonicInstant? { connection.transport.isForWatching ? nil : grant.press?.down }

  package init(
    grant: Grant, options: OnceRequest, tag: String?, received: MonotonicInstant, connection: any ClientConnection,
    sid: String, qos: Int, messageID: Int, isClockSet: Bool
  ) {
    self.grant = grant
    self.options = options
    self.tag = tag
    self.received = received
    self.connection = connection
    self.sid = sid
    self.qos = qos
    self.messageID = messageID
    self.isClockSet = isClockSet
  }
}

/// A request to send the next fix of continuous updates to one session.
package struct UpdateDisclosure {
  let stream: UpdateStream
  let connection: any ClientConnection
  /// The identifiers of the subscriptions that receive the fix.
  let sids: [String]
  /// Whether the gateway may open a log entry for these updates now. One entry covers a series of fixes.
  let mayOpenInterval: Bool

  package init(_ stream: UpdateStream, to connection: any ClientConnection, sids: [String], mayOpenInterval: Bool) {
    self.stream = stream
    self.connection = connection
    self.sids = sids
    self.mayOpenInterval = mayOpenInterval
  }

  /// Sends one update to each subscription of the client.
  ///
  /// - Parameter line: A closure that returns the update for the subscription with the identifier `sid`.
  func send(_ line: (_ sid: String) -> UpdateLine) {
    for sid in sids { connection.send(update: line(sid)) }
  }
}

/// A request to send a saved fix to an output, a service that receives an app's fixes (for example an MQTT broker).
package struct PublicationDisclosure {
  package var fix: OutboxEntry
  /// The session whose request gave the app this fix; nil if the daemon restarted after the request.
  package var session: SessionID?
  package var expires: MonotonicInstant
  /// The instant until which the indicator (the LED) shows that the app uses the location; nil if the daemon restarted
  /// after the request.
  package var indicationEnd: MonotonicInstant?
  /// Whether the disclosure log already records a late delivery of this fix, a delivery after `indicationEnd`.
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

/// A request to tell one session of an app that the device entered or left a region (a circle on the ground).
package struct CrossingDisclosure {
  package var app: AppID
  package var event: RegionEvent
  package var expires: MonotonicInstant
  package var region: Region
  /// The time at which the app registered the region; nil if the time is unknown.
  package var registered: UTCTime?
  package var connection: any ClientConnection
  /// The identifiers of the subscriptions to which the message about the region is sent.
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
  /// The gateway sent a one-time fix that the client does not acknowledge. The caller adds the outcome to the log entry
  /// with the sequence number `entry`.
  case sent(entry: Int64)
  /// The gateway sent a one-time fix, which the client must acknowledge.
  indirect case delivered(Delivery)
  /// The gateway selected a one-time fix, and keeps the fix until the client sends the gpsd command `?POLL`.
  indirect case kept(Delivery)
  /// The gateway saved a one-time fix for an output, such as an MQTT broker.
  indirect case stored(OutboxEntry, expires: MonotonicInstant, indicationEnd: MonotonicInstant)
  /// The gateway processed the next fix of continuous updates. The accuracy is nil if the gateway sent no fix, because
  /// the device had not moved far enough.
  case updated(accuracy: FixAccuracy?)
  /// The gateway gave a saved fix to its output. `isLate` is true if the disclosure log records a late delivery of this
  /// fix.
  indirect case published(OutboxEntry, isLate: Bool)
  /// The gateway told a session that the device entered or left a region. The caller adds the outcome to the log entry
  /// with the sequence number `entry`.
  case reported(entry: Int64)
}

/// The reason why a disclosure (a release of location data) failed.
package enum DisclosureFailure: Error, Hashable, Sendable {
  /// The disclosure must wait for a fresh fix, for room in the send queue, or until the hardware confirms that the
  /// indicator (the LED) is on.
  case pending
  case revoked
  /// The indicator (the LED) is not visible. The string tells the owner of the device how to correct the fault.
  case indicator(String)
  /// The gateway cannot write the disclosure log. The string is the cause.
  case store(String)
  /// The gateway cannot encrypt the fix for its recipient. The string is the cause.
  case encryption(String)
  /// The gateway cannot compute an approximate position. The string is the cause.
  case cloak(String)
  /// The gateway cannot read the saved places (named circles) of the owner. The string is the cause.
  case places(String)
  /// The app may receive only names of places, but the protocol of its client cannot carry these names.
  case placeless

  /// The cause of the failure as text, for messages to the owners of the gateway.
  package var cause: String {
    switch self {
    case .indicator(let cause), .store(let cause), .encryption(let cause), .cloak(let cause), .places(let cause): cause
    case .pending, .revoked, .placeless: "\(self)"
    }
  }

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
  /// Shows that an app uses the location, at least until `end`. Returns the state of the indicator.
  mutating func showUse(by app: AppID, until end: MonotonicInstant, at now: MonotonicInstant) -> IndicatorState

  /// Cancels the latest call of `showUse` for an app after a failed disclosure. Earlier calls for this app stay in
  /// effect.
  mutating func endUse(by app: AppID)

  func stateOfUpdates(at now: MonotonicInstant) -> IndicatorState

  /// Instructions for the owner to correct a missing or misleading label of a button; nil if all labels are correct.
  var labelRemedy: String? { get }
}

package enum IndicatorState: Hashable, Sendable {
  case on
  /// The disclosure must wait, because the user may not see the indicator yet. The hardware has not confirmed that the
  /// indicator is on, or the indicator shows a short pattern for a different purpose.
  case unseen
  /// The indicator is not visible. The string tells the owner of the device how to correct the fault.
  case dark(String)
}

/// A state that the gateway encrypts and saves before a disclosure. The state is the memory of the algorithm for
/// approximate positions, or the places of the owner. If the disclosure has a new log entry, one transaction saves
/// both.
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
  /// - Parameter app: An app whose record is not saved now, because the next log entry saves this record; nil if there
  ///   is no such app.
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
