import Base
import Cloaking
import GNSS
import LineProtocol
import Ports
import RecordingClients
import StateStore
import Testing

@testable import Authorization
@testable import Disclosure
@testable import Estimation

let a = AppID("a")!
let session = SessionID(1)

/// The clocks of every test at its beginning: 07:22:30.
let start = ClockReading(
  monotonic: MonotonicInstant(nanoseconds: 1_000_000_000_000),
  utc: UTCTime(date: UTCDate(year: 2026, month: 11, day: 21)!, timeOfDay: TimeOfDay(hour: 7, minute: 22, second: 30)!))
/// When the press of every test was released.
let release = start.monotonic - .milliseconds(900)
let indicationTime = Duration.seconds(2)
let indicationEnd = start.monotonic + indicationTime

func + (reading: ClockReading, duration: Duration) -> ClockReading {
  let monotonic = reading.monotonic + duration
  return ClockReading(monotonic: monotonic, utc: reading.utc(at: monotonic))
}

extension Coordinate {
  static let here = Coordinate(latitude: 48.1374, longitude: 11.5755)!

  func moved(north metres: Double) -> Coordinate {
    Coordinate(latitude: latitude + metres / 111_000, longitude: longitude)!
  }
}

extension SealedFix {
  /// - Parameter hasDate: whether the receiver sends dates.
  convenience init(
    _ coordinate: Coordinate = .here, arrived: MonotonicInstant, hasDate: Bool = true, isCoasted: Bool = false,
    suspicion: SignalSuspicion? = nil
  ) {
    self.init(
      coordinate, arrived: arrived, time: hasDate ? start.utc(at: arrived) : nil, isCoasted: isCoasted,
      suspicion: suspicion)
  }

  /// - Parameter time: The time that the receiver sends; nil if it sends no dates.
  convenience init(
    _ coordinate: Coordinate, arrived: MonotonicInstant, time: UTCTime?, isCoasted: Bool = false,
    suspicion: SignalSuspicion? = nil
  ) {
    var fix = Fix(time: time, arrived: arrived, coordinate: coordinate, horizontalAccuracy: 3, mode: .threeDimensional)
    fix.isCoasted = isCoasted
    fix.suspicion = suspicion
    self.init(ReceiverPipeline.Output(fix: fix, satellites: [], began: arrived))
  }
}

extension SealedPlaces {
  /// Returns places with the place `harbour` around `Coordinate.here`.
  ///
  /// - Parameter isThere: Whether the device was there for 12 s.
  static func harbour(isThere: Bool = false) throws -> SealedPlaces {
    var places = SealedPlaces(boot: "1")
    _ = try places.change(.add(name: "harbour", radius: 300, centre: .here), nil, at: start.monotonic)
    if isThere {
      for second in (1...12).reversed() { places.watch(SealedFix(arrived: start.monotonic - .seconds(second))) }
    }
    return places
  }
}

/// The kinds of disclosures.
enum Kind: String, CaseIterable {
  case once, redelivery, update, publication, crossing
}

/// The gate and the world around it. One app may have a disclosure of every kind.
struct Scene {
  let journal: Journal
  let connection: RecordingConnection
  let broker: RecordingBroker
  var authorization: Authorization
  var gate: DisclosureGate
  var indicator: FakeIndicator
  var log: FakeLog
  /// The latest fix of the receiver.
  var fix: SealedFix? = SealedFix(arrived: start.monotonic - .milliseconds(500))
  /// The fix of the outbox.
  let waiting: OutboxEntry

  /// - Parameters:
  ///   - isByPress: whether a press granted the one-time fix.
  ///   - isPolled: whether the client gets its fix only when it polls.
  ///   - hasCloak: whether approximate positions can be computed.
  init(
    _ status: AuthorizationStatus = .always, _ accuracy: FixAccuracy = .full, isByPress: Bool = true,
    transport: Transport = .unix, isPolled: Bool = false,
    hasCloak: Bool = true
  ) throws {
    let journal = Journal()
    self.journal = journal
    let broker = RecordingBroker { journal.note(.broker($0)) }
    self.broker = broker
    connection = RecordingConnection(
      1, transport: transport, broker: transport == .mqtt ? broker : nil, isPolled: isPolled
    ) {
      journal.note(.client($0))
    }
    let outbox = try OutboxFixes(at: start)
    indicator = FakeIndicator(journal: journal)
    log = FakeLog(journal, outbox, at: start)
    gate = try DisclosureGate(
      hasCloak ? Self.cloak() : .failure(CloakUnavailable("there is no key")),
      places: .success(SealedPlaces(boot: "1")), indicationTime: indicationTime, isSimulated: false)
    waiting = try outbox.add(
      a, expires: start.utc(at: start.monotonic + .seconds(3600)),
      content: [Publication.Message(topic: "fix", payload: [1, 2])].encoded, at: start)
    authorization = Self.authorization(status, accuracy, isByPress: isByPress)
  }

  static func cloak(
    _ memory: Cloak.Memory = Cloak.Memory(), boot: String = "1", coarsensTravel: Bool = false
  ) throws -> CloakState {
    let key = try CloakKey(deviceKey: [UInt8](repeating: 9, count: 32))
    return .success(Cloak(key: key, memory: memory, boot: boot, coarsensTravel: coarsensTravel))
  }

  /// An app with a session, a grant, and updates if its status allows them.
  private static func authorization(_ status: AuthorizationStatus, _ accuracy: FixAccuracy, isByPress: Bool)
    -> Authorization
  {
    var record = AppRecord(app: a, status: status, accuracy: accuracy)
    record.isButtonConfirmed = true
    var authorization = Authorization(records: [record])
    let opened = start.monotonic - .seconds(100)
    _ = authorization.handle(.sessionOpened(session, a), at: opened)
    _ = authorization.handle(.ordered(.use(a)), at: opened)
    _ = authorization.handle(.started(RequestID(1), session, background: false), at: start.monotonic - .seconds(10))
    let timeout = Duration.seconds(300)
    _ = authorization.handle(
      .requested(RequestID(2), session, timeout: timeout, requiresPress: isByPress), at: start.monotonic - .seconds(9))
    if isByPress {
      let press = Press(button: "main", down: release - .milliseconds(100), up: release)
      _ = authorization.handle(.pressed(press, illegible: nil, showsText: false), at: release)
    }
    return authorization
  }

  // MARK: Requests

  var grant: Grant? { authorization.grants[RequestID(2)] }

  /// Replaces the grant by one with other times.
  mutating func replaceGrant(press: Press? = nil, notBefore: MonotonicInstant, expires: MonotonicInstant) throws {
    let former = try #require(grant)
    authorization.grants[former.request] = Grant(
      request: former.request, session: session, app: a, right: former.right, press: press, notBefore: notBefore,
      expires: expires)
  }

  func once(_ options: OnceRequest = OnceRequest(), qos: Int = 1) throws -> OnceDisclosure {
    OnceDisclosure(
      grant: try #require(grant), options: options, tag: "t", received: start.monotonic - .seconds(9),
      connection: connection, sid: "s", qos: qos, messageID: 5, isClockSet: true)
  }

  func delivery(qos: Int = 1) throws -> Delivery {
    Delivery(try once(qos: qos), .full, entry: 70, json: #"{"lat":1}"#, sent: start.monotonic - .seconds(5))
  }

  /// The stream of updates of the app.
  func stream(_ options: UpdatesRequest = UpdatesRequest()) -> UpdateStream {
    UpdateStream(RequestID(1), session, of: a, options)
  }

  func update(_ stream: UpdateStream? = nil, sids: [String] = ["-"], mayOpen: Bool = true) -> UpdateDisclosure {
    UpdateDisclosure(stream ?? self.stream(), to: connection, sids: sids, mayOpenInterval: mayOpen)
  }

  func publication(indicationEnd: MonotonicInstant? = start.monotonic + .seconds(1), isLate: Bool = false)
    -> PublicationDisclosure
  {
    PublicationDisclosure(
      fix: waiting, session: session, expires: start.monotonic + .seconds(3600),
      indicationEnd: indicationEnd, isLate: isLate, sink: broker)
  }

  func crossing() throws -> CrossingDisclosure {
    let region = try Region(id: "home", centre: .here, radius: 500, events: [.enter, .exit], text: "Home")
    return CrossingDisclosure(
      app: a, event: RegionEvent(region: "home", isEntry: true), expires: start.monotonic + .seconds(60),
      region: region, registered: nil, connection: connection, sids: ["r"])
  }

  func request(_ kind: Kind) throws -> DisclosureRequest {
    switch kind {
    case .once: .once(try once())
    case .redelivery: .redelivery(try delivery(), on: connection)
    case .update: .update(update())
    case .publication: .publication(publication())
    case .crossing: .crossing(try crossing())
    }
  }

  // MARK: Disclosing

  mutating func disclose(
    _ request: DisclosureRequest, at now: ClockReading = start
  ) -> Result<DisclosureReceipt, DisclosureFailure> {
    gate.disclose(request, fix, under: authorization, &indicator, &log, at: now)
  }

  /// - Returns: The reason for the failure; nil if a fix was disclosed.
  mutating func failure(of request: DisclosureRequest, at now: ClockReading = start) -> DisclosureFailure? {
    if case .failure(let failure) = disclose(request, at: now) { failure } else { nil }
  }

  /// Discloses the next fix of a stream of updates.
  /// - Returns: the accuracy of the fix that was sent; nil if none was.
  mutating func sent(to stream: UpdateStream, mayOpen: Bool = true, at now: ClockReading = start) -> FixAccuracy? {
    guard case .success(.updated(let accuracy)) = disclose(.update(update(stream, mayOpen: mayOpen)), at: now) else {
      return nil
    }
    return accuracy
  }

  /// Passes two slot boundaries, so that a node is in force.
  /// - Returns: an instant between two boundaries at which no quarter hour begins.
  mutating func putNodeInForce(_ coordinate: Coordinate = .here) throws -> ClockReading {
    gate.advanceCloak(nil, isLocked: false, isWanted: true, at: start)
    let boundary = try #require(gate.nextDeadline)
    let now = ClockReading(monotonic: boundary, utc: start.utc(at: boundary))
    let isBoundary = gate.advanceCloak(
      SealedFix(coordinate, arrived: boundary), isLocked: false, isWanted: true, at: now)
    #expect(isBoundary)
    return now + .seconds(30)
  }

  // MARK: Findings

  /// The one-time message that was sent last.
  var lastMessage: ServerLine.Message? {
    if case .client(.once(let message, _)) = steps.last { message } else { nil }
  }

  /// The ends of the indications with which fixes went out.
  var ends: [MonotonicInstant] {
    steps.compactMap { step in
      switch step {
      case .client(.once(_, until: let end)), .broker(.publish(_, until: let end)): end
      default: nil
      }
    }
  }

  var steps: [Step] { journal.steps }

  /// Whether data went to a client or a broker.
  var hasBytes: Bool { steps.contains(where: \.isBytes) }

  /// Whether the log was written.
  var hasWrites: Bool { steps.contains(where: \.isWrite) }

  /// All that clients and brokers received, as text.
  var sent: String {
    steps.compactMap { step in
      switch step {
      case .client(.once(let message, _)): message.json
      case .client(.update(let line)): line
      case .broker(.publish(let publication, _)):
        publication.messages.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
      default: nil
      }
    }.joined(separator: "\n")
  }

  func entry(_ accuracy: FixAccuracy = .full, _ right: Right = .always, transport: String = "unix") -> DisclosureEntry {
    DisclosureEntry(app: a, accuracy: accuracy, right: right, transport: transport, isSimulated: false)
  }
}

extension Result<DisclosureReceipt, DisclosureFailure> {
  var sent: Int64? { if case .success(.sent(let entry)) = self { entry } else { nil } }
  var reported: Int64? { if case .success(.reported(let entry)) = self { entry } else { nil } }
  var stored: (fix: OutboxEntry, expires: MonotonicInstant, end: MonotonicInstant)? {
    if case .success(.stored(let fix, let expires, let end)) = self { (fix, expires, end) } else { nil }
  }
  var delivered: Delivery? { if case .success(.delivered(let delivery)) = self { delivery } else { nil } }
  var kept: Delivery? { if case .success(.kept(let delivery)) = self { delivery } else { nil } }
}
