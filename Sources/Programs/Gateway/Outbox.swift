import Authorization
import Clocks
import LineProtocol
package import Ports
import Logging
import StateStore
import OperatingSystem

/// A fix in the outbox, as far as it may be known: nothing of where.
final class Waiting {
  var fix: WaitingFix
  /// When it is of no use any more.
  fileprivate(set) var expires: MonotonicInstant
  /// Of the session that it was granted to; nil where that was before a restart.
  let session: SessionID?
  /// Until when the light tells of it that was lit for it first; nil where that was before a restart.
  let light: MonotonicInstant?
  /// Whether the log says that it is late.
  var isLate = false
  /// What became of it: it is given no more. It is here only as long as the store cannot write that.
  var outcome: DisclosureOutcome?
  /// Before that it is not handed over again, since it could not be given.
  var nextHandover: MonotonicInstant?
  /// Before that the outcome is not written again, since it could not be.
  var nextWrite: MonotonicInstant?

  init(_ fix: WaitingFix, session: SessionID? = nil, light: MonotonicInstant? = nil, expires: MonotonicInstant) {
    self.fix = fix
    self.session = session
    self.light = light
    self.expires = expires
  }
}

/// A bridge, and how its broker is.
struct BridgeState {
  let connection: any ClientConnection
  let form: any PublicationForm
  /// Since when the broker is there, or is not.
  var since: UTCTime
  var isConnected = false
  /// What the broker has and did not acknowledge.
  var inFlight: Int64?
  /// Until when fixes wait for a sign of their subscriber; nil if they do not.
  var heldUntil: MonotonicInstant?
  /// Whether the broker was there before.
  var wasConnected = false
  /// Descriptions that the broker did not deliver, by topic.
  var undelivered: [String] = []
  /// What counted for nothing, by reason.
  var ignored: [String: Int] = [:]
}

/// What is granted and waits for brokers.
struct OutboxKeeping {
  /// How long after something could not be given, or written, it is tried again.
  static let retryTime = Duration.seconds(5)
  /// How long after the broker threw a fix away, for want of a subscriber, it is handed over again. Each time the
  /// indicator shows it.
  static let unheardRetryTime = Duration.seconds(300)

  /// In the order in which it was granted.
  var waiting: [Waiting] = []
  /// In the order in which they came.
  var bridges: [BridgeState] = []

  func count(of bridge: String) -> Int { waiting.count { $0.fix.bridge == bridge && $0.outcome == nil } }
}

extension Gateway {
  /// What an earlier run left.
  static func keptOutbox(in store: StateStore, at now: ClockReading) throws -> OutboxKeeping {
    OutboxKeeping(waiting: try store.waitingFixes().map { Waiting($0, expires: now.instant(at: $0.expires)) })
  }

  /// Whether the app may still have it: what it may know now is no less than what this tells.
  func isAllowed(_ waiting: Waiting) -> Bool {
    let fix = waiting.fix
    let record = authorization.record(of: fix.app)
    let status = authorization.status(of: fix.app)
    let accuracy = waiting.session.map { authorization.accuracy(of: fix.app, in: $0) } ?? record.accuracy
    if fix.accuracy == .full, accuracy == .reduced { return false }
    switch status {
    case .denied, .restricted: return false
    // Who was forgotten is to ask anew.
    case .notDetermined: return fix.right == .allowedOnce || fix.right == .once && record.isButtonConfirmed
    case .whenInUse: return fix.right != .always
    case .always: return true
    }
  }

  /// No request is taken whose fix might find no room.
  func checkRoom(for connection: any ClientConnection) throws(LineError) {
    guard let form = connection.broker?.form, outbox.count(of: form.name) >= form.mostWaiting else { return }
    throw LineError(.tooMany, "\(form.mostWaiting) fixes wait for the broker already; none is lost, and none is added")
  }

  /// Withdraws what waits for an app, or for every app. (D1, D2)
  func eraseWaiting(of app: AppID?) {
    for waiting in outbox.waiting where waiting.outcome == nil && (app == nil || waiting.fix.app == app) {
      waiting.outcome = .erased
    }
    settleOutbox(at: SystemClock.monotonic)
  }

  /// Writes what was withdrawn, and could not be written yet.
  func saveWithdrawals() throws {
    for waiting in outbox.waiting where waiting.outcome == .erased {
      try timed(.outcome) { try store.settle(waiting.fix, .erased, now: clock) }
    }
    outbox.waiting.removeAll { $0.outcome == .erased }
  }

  /// Writes what became of fixes, and lets brokers have what they may.
  func tendOutbox(at now: MonotonicInstant) {
    for waiting in outbox.waiting where waiting.outcome == nil {
      // Its time has come, whether or not there is a broker now that it could be tried with.
      if let next = waiting.nextHandover, next <= now { waiting.nextHandover = nil }
      if now >= waiting.expires {
        counts.expiredWaiting[metricName(of: waiting.fix.app), default: 0] += 1
        end(waiting, .expired)
      } else if waiting.session == nil, authorization.isLocked || !isAllowed(waiting) {
        // It was taken back while nobody ran.
        end(waiting, .erased)
      }
    }
    settleOutbox(at: now)
    for index in outbox.bridges.indices {
      if let end = outbox.bridges[index].heldUntil, end <= now { outbox.bridges[index].heldUntil = nil }
      publishNext(index, at: now)
    }
  }

  /// It is given no more; what the library has of it goes with its connection.
  private func end(_ waiting: Waiting, _ outcome: DisclosureOutcome) {
    waiting.outcome = outcome
    for bridge in outbox.bridges where bridge.inFlight == waiting.fix.number { bridge.connection.recall(.all) }
  }

  private func settleOutbox(at now: MonotonicInstant) {
    for waiting in outbox.waiting {
      guard let outcome = waiting.outcome, waiting.nextWrite.map({ $0 <= now }) ?? true else { continue }
      do {
        try timed(.outcome) { try store.settle(waiting.fix, outcome, now: clock) }
        outbox.waiting.removeAll { $0 === waiting }
      } catch {
        if waiting.nextWrite == nil {
          loggers.store.error("the outcome of a disclosure could not be written", metadata: ["cause": "\(error)"])
        }
        waiting.nextWrite = now + OutboxKeeping.retryTime
      }
    }
  }

  private func publishNext(_ index: Int, at now: MonotonicInstant) {
    let bridge = outbox.bridges[index]
    while bridge.isConnected, bridge.heldUntil == nil, bridge.inFlight == nil,
      let next = outbox.waiting.first(where: { $0.fix.bridge == bridge.form.name && $0.outcome == nil }),
      next.nextHandover == nil
    {
      switch publish(next, on: bridge.connection, at: now) {
      case nil:
        outbox.bridges[index].inFlight = next.fix.number
        return
      case .pending?: return
      case .revoked?:
        // Somebody changed what is sealed, or the right went without a word.
        end(next, isAllowed(next) && !authorization.isLocked ? .lost : .erased)
        settleOutbox(at: now)
      case .indicator(let cause)?, .store(let cause)?, .cloak(let cause)?:
        loggers.broker.warning(
          "a fix goes on waiting for its broker", metadata: ["app": "\(next.fix.app)", "cause": "\(cause)"])
        next.nextHandover = now + OutboxKeeping.retryTime
        return
      }
    }
  }

  /// When there is something to do.
  var outboxDeadlines: [MonotonicInstant] {
    outbox.waiting.compactMap { waiting in
      waiting.outcome == nil ? min(waiting.expires, waiting.nextHandover ?? waiting.expires) : waiting.nextWrite
    } + outbox.bridges.compactMap(\.heldUntil)
  }

  func addBridges(to fields: inout ServerLine.Fields) {
    for (index, bridge) in outbox.bridges.sorted(by: { $0.form.name < $1.form.name }).enumerated() {
      let key = "mqtt-\(index + 1)"
      fields[key] = bridge.form.place
      fields[key + "-app"] = sessions.on(bridge.connection)?.app.name
      fields[key + "-state"] = bridge.isConnected ? "connected" : "disconnected"
      fields[key + "-since"] = bridge.since.iso8601
      fields[key + "-waiting"] = "\(outbox.count(of: bridge.form.name))"
      if bridge.heldUntil != nil { fields[key + "-subscriber"] = "awaited" }
      if !bridge.undelivered.isEmpty { fields[key + "-undelivered"] = bridge.undelivered.joined(separator: ",") }
      let ignored = bridge.ignored.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
      if !ignored.isEmpty { fields[key + "-ignored"] = ignored.joined(separator: ",") }
    }
  }

  fileprivate func change(_ connection: any ClientConnection, _ change: (inout BridgeState) -> Void) {
    guard let index = outbox.bridges.firstIndex(where: { $0.connection === connection }) else { return }
    change(&outbox.bridges[index])
  }

  func opened(_ connection: any ClientConnection) {
    guard let form = connection.broker?.form else { return }
    outbox.bridges.append(BridgeState(connection: connection, form: form, since: clock.utc))
    // The wall clock may have jumped since what an earlier run left was written.
    let latest = SystemClock.monotonic + form.expires
    for waiting in outbox.waiting where waiting.fix.bridge == form.name {
      waiting.expires = min(waiting.expires, latest)
    }
  }
}

extension Gateway: BrokerService {
  package func connected(_ connection: any ClientConnection, awaitingSubscriberFor patience: Duration?) {
    let (utc, now) = (clock.utc, SystemClock.monotonic)
    let isWaiting = connection.broker.map { outbox.count(of: $0.form.name) > 0 } ?? false
    change(connection) { bridge in
      bridge.inFlight = nil
      bridge.since = utc
      bridge.isConnected = true
      // A broker that is new to this daemon has lost no subscriber, unless an earlier run left a fix for it.
      if bridge.wasConnected || isWaiting { bridge.heldUntil = patience.map { now + $0 } }
      bridge.wasConnected = true
    }
    tend()
  }

  package func subscriberAppeared(on connection: any ClientConnection) {
    change(connection) { $0.heldUntil = nil }
    tend()
  }

  package func ready(_ connection: any ClientConnection) {
    change(connection) { $0.inFlight = nil }
    tend()
  }

  package func unheard(_ publication: Int64, on connection: any ClientConnection) {
    let now = SystemClock.monotonic
    var isNews = false
    change(connection) { bridge in
      isNews = bridge.heldUntil == nil
      bridge.inFlight = nil
      bridge.heldUntil = now + OutboxKeeping.unheardRetryTime
    }
    if isNews {
      loggers.broker.notice(
        "a fix goes on waiting: nobody subscribes to it at the broker",
        metadata: ["app": "\(sessions.on(connection)?.app.name ?? "")"])
    }
    tend()
  }

  package func undelivered(_ topics: [String], on connection: any ClientConnection) {
    change(connection) { $0.undelivered = topics }
  }

  package func acknowledged(_ publication: Int64, on connection: any ClientConnection) {
    // What was withdrawn meanwhile is.
    guard let waiting = outbox.waiting.first(where: { $0.fix.number == publication && $0.outcome == nil }) else {
      return
    }
    waiting.outcome = .acknowledged
    loggers.broker.info(
      "a broker has a fix", metadata: ["app": "\(waiting.fix.app)", "entry": "\(waiting.fix.disclosure)"])
    tend()
  }

  package func disconnected(_ connection: any ClientConnection) {
    let utc = clock.utc
    change(connection) { bridge in
      bridge.inFlight = nil
      bridge.heldUntil = nil
      bridge.isConnected = false
      bridge.since = utc
    }
    tend()
  }

  package func ignored(_ reason: String, on connection: any ClientConnection) {
    change(connection) { $0.ignored[reason, default: 0] += 1 }
    count("ignored-\(reason)", for: sessions.on(connection)?.app)
  }

  private func tend() {
    let now = SystemClock.monotonic
    tendOutbox(at: now)
    settle(at: now)
  }
}

extension [Publication.Message] {
  /// Each as the length of its topic in two bytes and the topic, the length of its payload in four and the payload.
  var encoded: [UInt8] {
    flatMap { message in
      let topic = Array<UInt8>(message.topic.utf8)
      return Self.bytes(topic.count, 2) + topic + Self.bytes(message.payload.count, 4) + message.payload
    }
  }

  /// Nil for what is nothing of the kind, or none.
  init?(encoded bytes: [UInt8]) {
    self.init()
    var rest = bytes[...]
    func take(_ size: Int) -> [UInt8]? {
      let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= size + length else { return nil }
      defer { rest = rest.dropFirst(size + length) }
      return Array<UInt8>(rest.dropFirst(size).prefix(length))
    }
    while !rest.isEmpty {
      guard let topic = take(2), let payload = take(4) else { return nil }
      append(Publication.Message(topic: String(decoding: topic, as: UTF8.self), payload: payload))
    }
    if isEmpty { return nil }
  }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }
}
