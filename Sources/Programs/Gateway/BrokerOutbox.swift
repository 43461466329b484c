import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// The fixes that wait for MQTT brokers, and the bridges that connect the gateway to these brokers.
struct BrokerOutbox {
  /// A fix that left the outbox, and the outcome that the log must get.
  typealias Settlement = (fix: OutboxEntry, outcome: DisclosureOutcome)

  /// A fix in the outbox. The store contains its position only in sealed (encrypted) form.
  private struct Waiting {
    var fix: OutboxEntry
    var expires: MonotonicInstant
    /// The session that received the permission for the fix; nil after a restart of the daemon.
    let session: SessionID?
    /// The time until which the indicator shows the disclosure of this fix; nil after a restart of the daemon.
    let indicationEnd: MonotonicInstant?
    /// Whether the indication of the disclosure ended before the fix was sent. The log then has another entry.
    var isLate = false
    /// The time of the next attempt to send the fix; nil if the fix can be sent immediately.
    var nextAttempt: MonotonicInstant?
  }

  /// The bridge between the gateway and one app at a broker.
  struct Bridge {
    let connection: any ClientConnection
    let form: any PublicationForm
    /// The instant at which the bridge connected to the broker, or lost the broker. The value is monotonic, because the
    /// wall clock may be set later.
    var since: MonotonicInstant
    /// The version of MQTT of the connection to the broker; nil without a connection.
    var version: MQTTVersion?
    /// The cause of the latest failed attempt to use the broker; nil after a successful attempt.
    var fault: BrokerFault?
    /// The number of the fix that the broker has not acknowledged yet; nil if no fix is under way.
    var inFlight: Int64?
    /// Until this time, fixes wait for a message of their subscriber. The message shows that the subscriber is
    /// connected to the broker. Nil if fixes do not wait.
    var heldUntil: MonotonicInstant?
    /// Whether the bridge was connected to the broker at least once since the start of the daemon.
    var wasConnected = false
    /// The topics on which the broker did not deliver the description of the app.
    var undelivered: [String] = []
    /// The number of ignored requests, by reason.
    var ignored: [String: Int] = [:]

    var isConnected: Bool { version != nil }
  }

  /// The time from a failed attempt to send a fix until the next attempt.
  static let retryTime = Duration.seconds(5)
  /// The time until a discarded fix is published again. The time is long, because the indicator shows each publication.
  static let discardedRetryTime = Duration.seconds(300)

  private var waiting: [Waiting]
  private(set) var bridges: [Bridge] = []

  /// - Parameter kept: the fixes from an earlier run of the daemon.
  init(_ kept: [OutboxEntry] = [], at now: ClockReading) {
    waiting = kept.map { Waiting(fix: $0, expires: now.instant(at: $0.expires), session: nil, indicationEnd: nil) }
  }

  // MARK: Bridges

  /// Adds the bridge of a new connection. The function has no effect for the connection of a client without a broker, and
  /// for a second connection of a bridge.
  mutating func open(_ connection: any ClientConnection, at now: MonotonicInstant) {
    guard let form = connection.broker?.form, !bridges.contains(where: { $0.form.name == form.name }) else { return }
    bridges.append(Bridge(connection: connection, form: form, since: now))
    // The wall clock may have been set since the fix was saved, so the remaining life of the fix is limited.
    for index in waiting.indices where waiting[index].fix.bridge == form.name {
      waiting[index].expires = min(waiting[index].expires, now + form.expires)
    }
  }

  mutating func close(_ connection: any ClientConnection) { bridges.removeAll { $0.connection === connection } }

  /// Notes that the broker is connected.
  /// - Parameter timeout: The maximum time that fixes wait for a message of their subscriber; nil for no wait.
  mutating func connect(
    _ connection: any ClientConnection, with version: MQTTVersion, awaitingSubscriberFor timeout: Duration?,
    at now: MonotonicInstant
  ) {
    let isWaiting = connection.broker.map { count(of: $0.form.name) > 0 } ?? false
    change(connection) { bridge in
      bridge.inFlight = nil
      bridge.since = now
      bridge.version = version
      bridge.fault = nil
      // If the gateway was connected to this broker before, the broker may have restarted, so all fixes wait for
      // their subscriber. At the first connection of the daemon, only fixes from an earlier run wait.
      if bridge.wasConnected || isWaiting { bridge.heldUntil = timeout.map { now + $0 } }
      bridge.wasConnected = true
    }
  }

  /// Notes that the broker is disconnected. The fix that was under way waits for the next connection.
  mutating func disconnect(_ connection: any ClientConnection, at now: MonotonicInstant) {
    change(connection) { bridge in
      bridge.inFlight = nil
      bridge.heldUntil = nil
      bridge.version = nil
      bridge.since = now
    }
  }

  /// Notes the cause of a failed attempt to use the broker.
  mutating func noteFault(_ fault: BrokerFault, of connection: any ClientConnection) {
    change(connection) { $0.fault = fault }
  }

  /// Notes that the subscriber of the fixes appeared, so that they need not wait for it.
  mutating func noteSubscriber(of connection: any ClientConnection) { change(connection) { $0.heldUntil = nil } }

  /// Notes that the MQTT broker of a bridge has acknowledged the last fix, so that the next fix can be published.
  mutating func noteReady(_ connection: any ClientConnection) { change(connection) { $0.inFlight = nil } }

  /// Notes the topics whose messages the broker does not deliver. No topic means that the broker delivers all messages.
  mutating func noteUndelivered(_ topics: [String], of connection: any ClientConnection) {
    change(connection) { $0.undelivered = topics }
  }

  /// Counts a message of the broker that the bridge ignored, by its reason.
  mutating func countIgnored(_ reason: String, of connection: any ClientConnection) {
    change(connection) { $0.ignored[reason, default: 0] += 1 }
  }

  private mutating func change(_ connection: any ClientConnection, _ change: (inout Bridge) -> Void) {
    guard let index = bridges.firstIndex(where: { $0.connection === connection }) else { return }
    change(&bridges[index])
  }

  // MARK: Fixes

  /// Adds a fix whose log entry is already written.
  mutating func add(
    _ fix: OutboxEntry, _ session: SessionID, expires: MonotonicInstant, indicationEnd: MonotonicInstant
  ) {
    waiting.append(Waiting(fix: fix, expires: expires, session: session, indicationEnd: indicationEnd))
  }

  /// The fixes that can be sent to their brokers now: at most one for each broker.
  var due: [PublicationDisclosure] {
    bridges.compactMap { bridge in
      guard bridge.isConnected, bridge.heldUntil == nil, bridge.inFlight == nil, let broker = bridge.connection.broker,
        let next = waiting.first(where: { $0.fix.bridge == bridge.form.name }), next.nextAttempt == nil
      else { return nil }
      return PublicationDisclosure(
        fix: next.fix, session: next.session, expires: next.expires, indicationEnd: next.indicationEnd,
        isLate: next.isLate, broker: broker)
    }
  }

  /// Notes that a fix was sent to its broker.
  /// - Parameter published: The fix, which has a new entry in the log if it was sent late.
  mutating func notePublished(_ published: OutboxEntry, isLate: Bool) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == published.number }) else { return }
    waiting[index].fix = published
    waiting[index].isLate = isLate
    if let bridge = bridges.firstIndex(where: { $0.form.name == published.bridge }) {
      bridges[bridge].inFlight = published.number
    }
  }

  /// Defers the next attempt to send a fix that the disclosure gate did not release.
  mutating func postpone(
    _ fix: OutboxEntry, cause: String, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == fix.number }) else { return }
    waiting[index].nextAttempt = now + Self.retryTime
    outputs.log(.broker, .warning, "a fix still waits for its broker", ["app": "\(fix.app)", "cause": cause])
  }

  /// Notes that the broker discarded a fix because it had no subscriber.
  mutating func noteDiscarded(
    on connection: any ClientConnection, of app: AppID?, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    change(connection) { bridge in
      if bridge.heldUntil == nil {
        outputs.log(
          .broker, .notice, "a fix still waits: the broker has no subscriber for it", ["app": app?.name ?? ""])
      }
      bridge.inFlight = nil
      bridge.heldUntil = now + Self.discardedRetryTime
    }
  }

  /// Removes a fix that its broker has acknowledged.
  /// - Returns: The fix with its outcome; nothing if the fix was withdrawn before.
  mutating func acknowledge(_ number: Int64, _ outputs: inout Outputs) -> [Settlement] {
    // The fix may have been withdrawn before the acknowledgement came.
    guard let fix = waiting.first(where: { $0.fix.number == number })?.fix else { return [] }
    outputs.log(
      .broker, .info, "a broker acknowledged a fix", ["app": "\(fix.app)", "entry": "\(fix.disclosure)"])
    return end(.acknowledged) { $0.fix.number == number }
  }

  /// Removes a fix that the disclosure gate no longer releases.
  /// - Parameter isAllowed: whether the app is still authorized to receive the fix. If it is, the gate cannot read the
  ///   fix, because the sealed data was changed on the disk.
  mutating func remove(_ fix: OutboxEntry, isAllowed: Bool) -> [Settlement] {
    end(isAllowed ? .lost : .erased) { $0.fix.number == fix.number }
  }

  /// Withdraws the fixes of one app whose authorization was lowered, or of all apps after the use of the kill switch.
  /// See rows D1 and D2 of the authorization reference (change by an owner, hold of the button).
  mutating func withdraw(_ app: AppID?) -> [Settlement] { end(.erased) { app == nil || $0.fix.app == app } }

  /// Removes the fixes that have expired, and the fixes of an earlier run whose apps are no longer authorized.
  /// - Parameter isAllowed: returns whether an app is authorized to receive its fix.
  mutating func pass(
    to now: MonotonicInstant, isLocked: Bool, _ outputs: inout Outputs,
    isAllowed: (OutboxEntry, SessionID?) -> Bool
  ) -> [Settlement] {
    for index in waiting.indices where waiting[index].nextAttempt.map({ $0 <= now }) ?? false {
      waiting[index].nextAttempt = nil
    }
    for index in bridges.indices where bridges[index].heldUntil.map({ $0 <= now }) ?? false {
      bridges[index].heldUntil = nil
    }
    let expired = end(.expired) { $0.expires <= now }
    for settlement in expired { outputs.count(.expiredPublications, of: settlement.fix.app) }
    // The app's authorization may have been revoked while the gateway was not running.
    return expired + end(.erased) { $0.session == nil && (isLocked || !isAllowed($0.fix, nil)) }
  }

  /// Removes fixes from the outbox. If the MQTT client still has a copy of a fix, it closes its connection and drops
  /// the copy.
  private mutating func end(_ outcome: DisclosureOutcome, where isMeant: (Waiting) -> Bool) -> [Settlement] {
    let ended = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    if outcome != .acknowledged {
      for bridge in bridges where ended.contains(where: { $0.fix.number == bridge.inFlight }) {
        bridge.connection.recall(.all)
      }
    }
    return ended.map { ($0.fix, outcome) }
  }

  var nextDeadline: MonotonicInstant? {
    (waiting.map { min($0.expires, $0.nextAttempt ?? $0.expires) } + bridges.compactMap(\.heldUntil)).min()
  }

  // MARK: State

  /// Returns the number of fixes that wait for a bridge.
  func count(of bridge: String) -> Int { waiting.count { $0.fix.bridge == bridge } }

  /// Returns the error for a request if too many fixes of the app already wait for its broker; otherwise nil.
  func refusal(for connection: any ClientConnection) -> LineError? {
    guard let form = connection.broker?.form, count(of: form.name) >= form.mostWaiting else { return nil }
    return LineError(
      .tooMany, "\(form.mostWaiting) fixes already wait for the broker (ask again when the broker is connected)")
  }

  /// The bridges, sorted by the names of their payload formats.
  var sortedBridges: [Bridge] { bridges.sorted { $0.form.name < $1.form.name } }
}
