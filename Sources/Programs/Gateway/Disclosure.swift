import Authorization
import Clocks
import Cloaking
import Estimation
import GNSS
import Glibc
import Hardware
import Encoding
import LineProtocol
import Ports
import Regions
import StateStore

/// A fix that only this file can open: elsewhere in the gateway it is known how old it is, and nothing of where.
struct SealedFix {
  fileprivate let fix: Fix
  /// In view as of the fix's epoch; they tell where the antenna is.
  fileprivate let satellites: [Satellite]
  /// The receiver's clock; nil from receivers that send no dates.
  private let clock: ClockReading?

  /// - Parameter began: when the epoch came that gave its time: of a coasted fix that is later than the measurement.
  init(_ fix: Fix, satellites: [Satellite], began: MonotonicInstant) {
    self.fix = fix
    self.satellites = satellites
    clock = fix.time.map { ClockReading(monotonic: began, utc: $0) }
  }

  /// What an app is told of it that has full accuracy.
  fileprivate func json(disclosed: MonotonicInstant, for transport: Transport) -> String {
    let report = FixReport(fix, disclosed: disclosed)
    // Of all clients those of gpsd alone are shown satellites. A place that was reckoned has none.
    guard transport == .gpsd, !fix.isCoasted else { return report.json }
    return report.json(withSatellites: satellites)
  }

  /// When the measurement reached this machine.
  var arrived: MonotonicInstant { fix.arrived }

  /// The day of the fix; nil from receivers that send none.
  var date: UTCDate? { fix.time?.date }

  /// The time of an instant by the receiver's clock; nil from receivers that send no dates.
  func utc(at instant: MonotonicInstant) -> UTCTime? { clock?.utc(at: instant) }
}

/// A place that only this file can look at.
struct SealedPlace {
  fileprivate let coordinate: Coordinate

  /// Whether another is at least so many metres away. On the sphere, good to 0.6 %.
  func isFar(_ other: SealedPlace, metres: Int) -> Bool {
    let (here, there) = (coordinate, other.coordinate)
    let degree = Double.pi / 180
    let turn = (there.longitude - here.longitude).remainder(dividingBy: 360)
    let east = turn * cos((there.latitude + here.latitude) / 2 * degree)
    let north = there.latitude - here.latitude
    return (east * east + north * north).squareRoot() * 111_000 >= Double(metres)
  }
}

/// A disclosed fix that has not been acknowledged; only this file can read its text.
struct Delivery {
  /// After how long since the first time it is sent again.
  static let redeliveries: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

  let session: SessionID
  let app: AppID
  let messageID: Int
  let entry: Int64
  let expires: MonotonicInstant
  fileprivate let sid: String
  fileprivate let json: String
  fileprivate let sent: MonotonicInstant
  /// How often it was due to be sent again, whether or not it could be.
  fileprivate var timesDue = 0
  /// Whether it was to be sent again, when it was due or because its client came back.
  fileprivate var isRedelivered = false

  /// When it is sent again, or given up.
  var nextDeadline: MonotonicInstant {
    timesDue < Self.redeliveries.count ? min(sent + Self.redeliveries[timesDue], expires) : expires
  }
}

/// What is the same for all updates that are served at one moment.
struct Round {
  let now: MonotonicInstant
  /// What it follows from.
  let version: UInt64
  /// When the latest fix arrived; nil where there is none.
  fileprivate let arrived: MonotonicInstant?
  /// What keeps updates from being served; nil where the light is seen.
  fileprivate let light: Withheld?
  private var json: String?
  /// The latest fix in full, by subscription.
  private var lines: [String: UpdateLine] = [:]

  fileprivate init(now: MonotonicInstant, _ version: UInt64, arrived: MonotonicInstant?, light: Withheld?) {
    self.now = now
    self.version = version
    self.arrived = arrived
    self.light = light
  }

  /// The line of the latest fix in full, made once for all that receive it.
  fileprivate mutating func line(_ sid: String, _ fix: () -> SealedFix?) -> UpdateLine? {
    if let line = lines[sid] { return line }
    if json == nil { json = fix().map { FixReport($0.fix, disclosed: now).json } }
    let line = json.map { UpdateLine(sid: sid, json: $0) }
    lines[sid] = line
    return line
  }
}

/// What opens `SealedRegions`: only this file can make one.
struct RegionKey {
  fileprivate init() {}
}

/// Why a granted fix is not given, or not yet.
enum Withheld: Hashable {
  /// Wait: there is no fresh fix, the app's client is away, or the light has yet to be seen.
  case pending
  /// The grant is gone.
  case revoked
  case indicator(String)
  case store(String)
  /// There is no key, or no memory, to make a reduced fix with.
  case cloak(String)
}

/// The one place where a position leaves the gateway. Nothing else holds a fix and a connection at once.
extension Gateway {
  /// Gives a grant's fix: checks the right, shows the indicator, cloaks, makes the log entry durable, and only then
  /// hands the bytes to the connection.
  func disclose(_ grant: Grant, at now: MonotonicInstant) -> Withheld? {
    guard !authorization.isLocked, authorization.grants[grant.request] == grant, now < grant.expires else {
      return .revoked
    }
    // Bytes that would have to wait are not made: the grant waits.
    guard let session = sessions[grant.session], let connection = session.connection, !connection.isFull,
      let request = session.request, request.id == grant.request
    else { return .pending }
    let isReduced = isReduced(request, of: session)
    // A standing request learns nothing of the receiver: the node in force answers it. (Invariant 4)
    let latest = isReduced && grant.press == nil ? nil : freshFix(for: grant, request, at: now)
    if isReduced, grant.press == nil {
      nodeWanted = true
      tendCloak(at: now)
      guard hasNode else { return .pending }
    } else if latest == nil {
      return .pending
    }

    // A press was judged by its own button's label.
    if grant.press == nil, let label = labelRestriction { return .indicator(label.remedy) }
    indicator.clearSign()
    indicator.show(.inUse, at: now)
    inUse[grant.app] = now + setup.indicatorProfile.onceDuration
    if indicator.isLagging { return .pending }
    guard indicator.restriction == nil, indicator.isOn(at: now) else {
      return .indicator(indicator.restriction?.remedy ?? "the indicator is not on")
    }

    let record = authorization.record(of: grant.app)
    let accuracy: Accuracy = isReduced ? .reduced : .full
    let light = now + setup.indicatorProfile.onceDuration
    let report: FixReport
    let entry: Int64
    do {
      try saveWhatIsUnsaved(but: grant.app)
      let disclosure = DisclosureEntry(
        app: grant.app, accuracy: accuracy, right: grant.right, transport: session.transport.rawValue,
        isSimulated: setup.simulatedPressRefusal == nil)
      let memory: (name: String, bytes: [UInt8])?
      switch (accuracy, latest) {
      case (.full, let latest?): (report, memory) = (FixReport(latest.fix, disclosed: now), nil)
      case (.reduced, let latest?):
        let reduced = try cloak(latest.fix, utc: reducedUTC(at: now))
        (report, memory) = (reduced.report, reduced.memory)
      case (_, nil):
        guard let reduced = try nodeInForce(utc: reducedUTC(at: now)) else { return .pending }
        (report, memory) = (reduced.report, reduced.memory)
      }
      if let form = connection.broker?.form {
        let (kept, expires) = try keep(report, for: grant, request, as: form)
        let fix = try timed(.disclosure) {
          try store.keep(kept, as: disclosure, record: record, sealing: memory, now: clock)
        }
        unsaved.apps.remove(grant.app)
        session.request = nil
        requesters[request.id] = nil
        outbox.waiting.append(Waiting(fix, session: session.id, light: light, expires: expires))
        countDisclosure(to: grant.app, accuracy: accuracy)
        tendOutbox(at: now)
        return nil
      }
      entry = try timed(.disclosure) {
        try store.openDisclosure(disclosure, record: record, sealing: memory, now: clock)
      }
      unsaved.apps.remove(grant.app)
      countDisclosure(to: grant.app, accuracy: accuracy)
    } catch let error as CloakUnavailable {
      return .cloak("\(error)")
    } catch {
      return .store("\(error)")
    }

    let full = accuracy == .full ? latest?.json(disclosed: now, for: session.transport) : nil
    let json = full ?? report.json
    let (sid, qos) = session.subscriptions.takeOneForFix()
    session.lastMessageID += 1
    let delivery = Delivery(
      session: session.id, app: session.app, messageID: session.lastMessageID, entry: entry, expires: grant.expires,
      sid: sid, json: json, sent: now)
    session.request = nil
    requesters[request.id] = nil
    if qos == 0 {
      connection.send(once: .init(topic: Topic.fixOnce.rawValue, sid: sid, json: delivery.json), until: light)
      close(entry, .sent)
    } else {
      deliveries.append(delivery)
      send(delivery, on: connection, until: light)
    }
    return nil
  }

  /// Sends a fix again that was not acknowledged: the same bytes, if they may still leave.
  /// - Parameter isDue: whether it is time; else its client is back, which puts off nothing.
  func redeliver(_ index: Int, at now: MonotonicInstant, isDue: Bool) {
    if isDue { deliveries[index].timesDue += 1 }
    deliveries[index].isRedelivered = true
    let delivery = deliveries[index]
    guard !authorization.isLocked, now < delivery.expires, let connection = sessions[delivery.session]?.connection,
      !connection.isFull
    else { return }
    // What was revoked since, and is not durable yet, may concern it.
    guard (try? saveWhatIsUnsaved()) != nil else { return }
    indicator.clearSign()
    indicator.show(.inUse, at: now)
    guard indicator.restriction == nil, indicator.isOn(at: now) else { return }
    let light = now + setup.indicatorProfile.onceDuration
    inUse[delivery.app] = light
    send(delivery, on: connection, until: min(light, delivery.expires))
  }

  /// What waits for a bridge's broker: what is published of a fix, each time the same.
  private func keep(
    _ report: FixReport, for grant: Grant, _ request: PendingRequest, as form: any PublicationForm
  ) throws -> (fix: KeptFix, expires: MonotonicInstant) {
    let id = request.tag.map { String($0.drop { $0 == "@" }) } ?? randomDigits()
    let fix = PublishedFix(report, id: id, isByPress: grant.press != nil, disclosed: clock.utc)
    let messages = try form.messages(fix)
    let expires = (grant.press?.up ?? request.received) + form.expires
    return (KeptFix(bridge: form.name, expires: clock.utc(at: expires), bytes: messages.encoded), expires)
  }

  /// Hands a fix of the outbox to a bridge: the same checks again, the light, where it is late an entry of the log that
  /// says so, and only then the bytes.
  func publish(_ waiting: Waiting, on connection: any ClientConnection, at now: MonotonicInstant) -> Withheld? {
    guard !authorization.isLocked, waiting.outcome == nil, now < waiting.expires, isAllowed(waiting) else {
      return .revoked
    }
    guard let broker = connection.broker else { return .pending }
    let isLate = waiting.light.map { $0 <= now } ?? true
    let light = isLate ? now + setup.indicatorProfile.onceDuration : waiting.light ?? now
    indicator.clearSign()
    indicator.show(.inUse, at: now)
    inUse[waiting.fix.app] = max(inUse[waiting.fix.app] ?? light, light)
    if indicator.isLagging { return .pending }
    guard indicator.restriction == nil, indicator.isOn(at: now) else {
      inUse[waiting.fix.app] = nil
      return .indicator(indicator.restriction?.remedy ?? "the indicator is not on")
    }
    do {
      // What was revoked since, and is not durable yet, may concern it.
      try saveWhatIsUnsaved()
      if isLate, !waiting.isLate {
        waiting.fix = try timed(.disclosure) { try store.postpone(waiting.fix, now: clock) }
        waiting.isLate = true
      }
      guard let messages = [Publication.Message](encoded: try store.content(of: waiting.fix)) else { return .revoked }
      let publication = Publication(number: waiting.fix.number, messages: messages, life: waiting.expires - now)
      broker.publish(publication, until: min(light, waiting.expires))
    } catch let error as StoreError where error.kind == .sealBroken {
      return .revoked
    } catch {
      return .store("\(error)")
    }
    return nil
  }

  private func send(_ delivery: Delivery, on connection: any ClientConnection, until: MonotonicInstant) {
    connection.send(
      once: .init(
        topic: Topic.fixOnce.rawValue, sid: delivery.sid, id: delivery.messageID,
        isRedelivered: delivery.isRedelivered, json: delivery.json),
      until: until)
  }

  /// The latest fix, if it is as fresh as the grant and the request ask for.
  private func freshFix(for grant: Grant, _ request: PendingRequest, at now: MonotonicInstant) -> SealedFix? {
    guard let fix = reception.latest, fix.arrived >= grant.notBefore else { return nil }
    guard let maximumAge = request.options.maximumAge else { return fix }
    // An epoch that begins after the release, or the request, is as fresh as can be, however little the app asks for.
    return fix.arrived >= min(now - .milliseconds(maximumAge), grant.press?.up ?? request.received) ? fix : nil
  }

  /// What is the same for all updates that are served now.
  func round(at now: MonotonicInstant) -> Round {
    Round(now: now, derived.version, arrived: reception.latest?.arrived, light: lightForUpdates(at: now))
  }

  private func lightForUpdates(at now: MonotonicInstant) -> Withheld? {
    if let restriction { return .indicator(restriction.remedy) }
    // The light says something else for now, or has yet to be seen.
    return !indicator.isLagging && indicator.isOn(at: now) ? nil : .pending
  }

  /// Gives the next fix of updates: the same checks for each of them, and one entry of the log for the interval.
  func disclose(_ member: Running.Member, in round: inout Round) -> Withheld? {
    if round.version != derived.version {
      // An event meanwhile may have changed all that follows.
      round = self.round(at: round.now)
    }
    guard !authorization.isLocked, isValid(member) else { return .revoked }
    let session = member.session
    guard let connection = session.connection, let running = session.updates, running.id == member.request else {
      return .pending
    }
    let arrived = round.arrived.flatMap { $0 >= member.notBefore ? $0 : nil }
    guard isDue(running, member.accuracy, arrived, at: round.now) else { return .pending }
    if let light = round.light { return light }
    guard running.entry != nil || intervalOpening.take(at: round.now) else { return .pending }
    do {
      try saveWhatIsUnsaved()
      switch member.accuracy {
      case .full:
        guard let arrived else { return .pending }
        try openInterval(of: member.updates, .full, running, over: session.transport.rawValue, sealing: nil)
        running.last = arrived
        if running.options.distance != nil { running.lastPlace = place }
        if session.transport == .gpsd, let json = reception.latest?.json(disclosed: round.now, for: .gpsd) {
          send(json, to: connection, of: session)
        } else {
          session.subscriptions.takeUpdate { sid in
            if let line = round.line(sid, { reception.latest }) { connection.send(update: line) }
          }
        }
      case .reduced:
        guard
          let report = try nextReduced(of: member.updates, running, over: session.transport.rawValue, at: round.now)
        else { return .pending }
        running.lastPlace = SealedPlace(coordinate: report.coordinate)
        send(report.json, to: connection, of: session)
      }
    } catch let error as CloakUnavailable {
      return .cloak("\(error)")
    } catch {
      return .store("\(error)")
    }
    running.given += 1
    if member.accuracy == .full { counts.fullUpdates += 1 } else { counts.reducedUpdates += 1 }
    return nil
  }

  /// Sends an update that is this connection's alone.
  private func send(_ json: String, to connection: any ClientConnection, of session: Session) {
    session.subscriptions.takeUpdate { connection.send(update: UpdateLine(sid: $0, json: json)) }
  }

  /// Whether what was found of its right still holds.
  private func isValid(_ member: Running.Member) -> Bool {
    member.version == derived.version
      || authorization.updates[member.updates.session] == member.updates
        && authorization.accuracy(of: member.updates.app, in: member.updates.session) == member.accuracy
  }

  /// Where the latest fix is.
  private var place: SealedPlace? { reception.latest.map { SealedPlace(coordinate: $0.fix.coordinate) } }

  /// Whether there is something new, and its time has come. Approximate updates tell the node in force, whatever the
  /// receiver does.
  /// - Parameter arrived: when the fix came that may be given; nil where there is none.
  private func isDue(
    _ running: RunningUpdates, _ accuracy: Accuracy, _ arrived: MonotonicInstant?, at now: MonotonicInstant
  ) -> Bool {
    if accuracy == .reduced { return running.quarterHours.isDue(at: now) && hasNode }
    guard let arrived else { return false }
    guard let last = running.last else { return true }
    guard Self.isTime(arrived, after: last, interval: running.options.interval) else { return false }
    guard let distance = running.options.distance, let lastPlace = running.lastPlace else { return true }
    return place.map { lastPlace.isFar($0, metres: distance) } ?? false
  }

  /// Whether a fix comes an interval after the last. A receiver's epochs come some milliseconds early or late: who asks for
  /// its rhythm is to have each of them.
  /// - Parameter interval: in milliseconds.
  private static func isTime(
    _ arrived: MonotonicInstant, after last: MonotonicInstant, interval: Int?
  ) -> Bool {
    let interval = Duration.milliseconds(interval ?? 0)
    return arrived > last && arrived - last >= interval - min(interval / 10, .milliseconds(100))
  }

  /// The log's entry of the interval, where it is not open yet, and what the cloak has to remember: durable before
  /// anything is sent.
  private func openInterval(
    of updates: Updates, _ accuracy: Accuracy, _ running: RunningUpdates, over transport: String,
    sealing memory: (name: String, bytes: [UInt8])?
  ) throws {
    if running.entry != nil {
      if let memory { try timed(.sealed) { try store.seal(memory.bytes, as: memory.name) } }
      return
    }
    let interval = DisclosureEntry(
      app: updates.app, accuracy: accuracy, right: updates.right, transport: transport,
      isSimulated: setup.simulatedPressRefusal == nil)
    let record = authorization.record(of: updates.app)
    let entry = try timed(.disclosure) { try store.openInterval(interval, record: record, sealing: memory, now: clock) }
    running.entry = entry
    running.given = 0
  }

  /// What updates of approximate fixes say at this quarter hour; nil where the node has not moved as far as the app asked.
  private func nextReduced(
    of updates: Updates, _ running: RunningUpdates, over transport: String, at now: MonotonicInstant
  ) throws -> FixReport? {
    var quarterHours = running.quarterHours
    guard let utc = quarterHours.take(reducedUTC(at: now), at: now), let reduced = try nodeInForce(utc: utc) else {
      return nil
    }
    let report = reduced.report
    try openInterval(of: updates, .reduced, running, over: transport, sealing: reduced.memory)
    running.quarterHours = quarterHours
    derived.expireQuarterHour()
    if let distance = running.options.distance, let place = running.lastPlace,
      !place.isFar(SealedPlace(coordinate: report.coordinate), metres: distance)
    {
      return nil
    }
    return report
  }
}

/// Where the device is as far as regions go.
extension Gateway {
  /// Lets the regions of some apps take a fix.
  /// - Returns: the crossings that those apps want to know of, and whether any side changed.
  func takeFix(_ fix: SealedFix, for apps: Set<AppID>) -> (crossings: [(AppID, RegionEvent)], isChanged: Bool) {
    let (crossings, isChanged) = regions.open(with: RegionKey()) { monitor in
      monitor.take(fix.fix.coordinate, accuracy: fix.fix.horizontalAccuracy, at: fix.arrived) { app in
        AppID(app).map(apps.contains) ?? false
      }
    }
    let events = crossings.compactMap { crossing in
      AppID(crossing.app).map { ($0, RegionEvent(region: crossing.region.id, isEntry: crossing.isEntry)) }
    }
    return (events, isChanged)
  }

  /// Tells an app of its region: checks the right, shows the indicator, makes the log entry durable, and only then
  /// hands the bytes to the connections of its sessions that listen.
  func disclose(_ news: RegionNews, at now: MonotonicInstant) -> Withheld? {
    guard !authorization.isLocked, now < news.expires, authorization.status(of: news.app) == .always,
      authorization.record(of: news.app).accuracy == .full,
      let region = regions.region(news.event.region, of: news.app)
    else { return .revoked }
    let listening = sessions.of(news.app).filter {
      $0.connection?.isFull == false && $0.connection?.broker?.isConnected != false
        && $0.subscriptions.contains(region: news.event.region)
    }
    // Its client may be on its way back, or have much to read.
    guard !listening.isEmpty else { return .pending }

    indicator.clearSign()
    indicator.show(.inUse, at: now)
    let light = now + setup.indicatorProfile.onceDuration
    inUse[news.app] = light
    if indicator.isLagging { return .pending }
    guard indicator.restriction == nil, indicator.isOn(at: now) else {
      inUse[news.app] = nil
      return .indicator(indicator.restriction?.remedy ?? "the indicator is not on")
    }
    for session in listening.sorted(by: { $0.id < $1.id }) {
      guard let connection = session.connection, takeQuota(of: news.app, isOnce: false, at: now) else { continue }
      do {
        try saveWhatIsUnsaved()
        let disclosure = DisclosureEntry(
          app: news.app, accuracy: .full, right: .always, transport: session.transport.rawValue,
          isSimulated: setup.simulatedPressRefusal == nil)
        let record = authorization.record(of: news.app)
        let entry = try timed(.disclosure) { try store.openDisclosure(disclosure, record: record, now: clock) }
        if let broker = connection.broker {
          let crossing = RegionCrossing(
            region: region.id, text: region.text, radius: region.radius, isEntry: news.event.isEntry, time: clock.utc,
            registered: regions.registered(region.id, of: news.app))
          broker.report(crossing, until: light)
        } else {
          let json = "{\"event\":\"\(news.event.isEntry ? "enter" : "exit")\"}"
          session.subscriptions.tell(region: news.event.region, json, until: light, on: connection)
        }
        close(entry, .region)
      } catch {
        inUse[news.app] = nil
        return .store("\(error)")
      }
    }
    return nil
  }

  /// Tells an owner of the regions that are watched, of every app or of one, and where the device is as they go.
  func tellRegions(of app: AppID?, tag: String?, to owner: any ClientConnection) {
    guard owner.role == .owner else { return }
    let apps = regions.apps.filter { app == nil || $0 == app }
    var count = 0
    for app in apps {
      for region in regions.regions(of: app) {
        let side = regions.open(with: RegionKey()) { $0.side(of: region.id, of: app.name) }
        var object = JSONObject()
        object.add("app", app.name)
        object.add("id", region.id)
        object.add("radius", region.radius)
        object.add("events", region.events.text)
        object.add("state", side.map { $0 == .inside ? "inside" : "outside" } ?? "unknown")
        object.add("text", region.text)
        owner.send(.message(.init(topic: Topic.ownerRegions.rawValue, sid: "-", json: object.text)))
        count += 1
      }
    }
    owner.send(.ok(tag: tag, ["count": "\(count)"]))
  }
}

/// Approximate fixes: what a standing request or updates are told follows from slots alone, never from the receiver.
extension Gateway {
  /// The reduced fix for now, and the cloak's memory to be sealed with its log entry.
  /// - Throws: `CloakUnavailable` where there is no key: then nothing reduced is given.
  private func cloak(_ fix: Fix, utc: UTCTime) throws -> (report: FixReport, memory: (name: String, bytes: [UInt8])) {
    tendCloak(at: clock.monotonic)
    var cloak = try self.cloak.get()
    let reduced = cloak.reduce(fix.coordinate, speed: fix.speed, at: clock.monotonic, utc: utc)
    self.cloak = .success(cloak)
    return (try FixReport(reduced), (Self.cloakMemory, cloak.memory.encoded()))
  }

  /// The node in force, and the cloak's memory to be sealed with its log entry; nil if there is no valid node.
  private func nodeInForce(
    utc: UTCTime
  ) throws -> (report: FixReport, memory: (name: String, bytes: [UInt8]))? {
    let cloak = try self.cloak.get()
    guard let reduced = cloak.fixInForce(utc: utc) else { return nil }
    return (try FixReport(reduced), (Self.cloakMemory, cloak.memory.encoded()))
  }

  /// Whether a reduced request can be answered, if only by a refusal: without a cloak it is refused.
  private var hasNode: Bool {
    switch cloak {
    case .success(let cloak): cloak.fixInForce(utc: clock.utc) != nil
    case .failure: true
    }
  }

  /// Whether a request is told an approximate place alone.
  func isReduced(_ request: PendingRequest, of session: Session) -> Bool {
    request.options.accuracy == .reduced || authorization.accuracy(of: session.app, in: session.id) == .reduced
  }

  /// The date and time, by the receiver's clock since it last told them.
  private func reducedUTC(at now: MonotonicInstant) -> UTCTime {
    if let utc = reception.latest?.utc(at: now) { receiverClock = ClockReading(monotonic: now, utc: utc) }
    return receiverClock?.utc(at: now) ?? clock.utc
  }

  /// How old a fix may be that is evaluated at a slot boundary.
  private static let oldestEvaluated = Duration.seconds(60)

  /// Lets the cloak look at the position when a slot begins. What the device does while the gateway is locked is not
  /// looked at.
  /// - Returns: Whether a slot boundary was passed.
  @discardableResult
  func tendCloak(at now: MonotonicInstant) -> Bool {
    guard case .success(var cloak) = cloak, cloak.slotEnd.map({ $0 <= now }) ?? isNodeWanted else { return false }
    let utc = reducedUTC(at: now)
    let latest =
      authorization.isLocked ? nil : reception.latest.flatMap { $0.arrived >= now - Self.oldestEvaluated ? $0 : nil }
    let isBoundary = cloak.advance(to: now, utc: utc, latest?.fix.coordinate, speed: latest?.fix.speed)
    self.cloak = .success(cloak)
    if isBoundary { nodeWanted = false }
    return isBoundary
  }

  /// When the next slot begins; nil as long as nobody wanted an approximate place.
  var cloakDue: MonotonicInstant? {
    if case .success(let cloak) = cloak { cloak.slotEnd } else { nil }
  }

  /// Whether slots are to be attended to from now on: a request asked for an approximate place, approximate updates run,
  /// or there is a node to be kept up to date.
  private var isNodeWanted: Bool {
    if nodeWanted || running.members.contains(where: { $0.accuracy == .reduced }) { return true }
    if case .success(let cloak) = cloak { return cloak.fixInForce(utc: clock.utc) != nil }
    return false
  }

  /// The cloak's memory as the store knows it.
  package static let cloakMemory = "cloak"
}

extension FixReport {
  fileprivate init(_ reduced: ReducedFix) throws(CloakUnavailable) {
    guard let node = Coordinate(latitude: reduced.latitude, longitude: reduced.longitude) else {
      throw CloakUnavailable("the cloak answered with no position")
    }
    self.init(reduced: node, horizontalAccuracy: reduced.horizontalAccuracy, time: reduced.time)
  }
}
