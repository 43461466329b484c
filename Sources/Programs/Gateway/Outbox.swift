import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import Ports
import StateStore
import OperatingSystem

/// The fixes that wait for their sinks: brokers, servers and files.
struct Outbox {
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

  /// The output of one app to a broker, a server or a file.
  struct Sink {
    let connection: any ClientConnection
    let form: any PublicationForm
    /// The instant at which the sink was connected, or lost. The value is monotonic, because the wall clock may be set
    /// later.
    var since: MonotonicInstant
    var isConnected = false
    /// The version of MQTT of the connection to a broker; nil without a connection, and for other sinks.
    var version: MQTTVersion?
    /// The cause of the latest failed attempt to use the sink; nil after a successful attempt.
    var fault: OutputFault?
    /// The cause in more detail than in `fault`; nil if no more is known.
    var detail: String?
    /// The number of the fix that the sink has not acknowledged yet; nil if no fix is under way.
    var inFlight: Int64?
    /// Until this time, fixes wait for a message of their subscriber. The message shows that the subscriber is
    /// connected to the broker. Nil if fixes do not wait.
    var heldUntil: MonotonicInstant?
    /// Whether the sink was connected at least once since the start of the daemon.
    var wasConnected = false
    /// The topics on which the broker did not deliver the description of the app.
    var undelivered: [String] = []
    /// The number of ignored requests, by reason.
    var ignored: [String: Int] = [:]

    var isBroker: Bool { connection.transport == .mqtt }
  }

  /// The time from a failed attempt to send a fix until the next attempt.
  static let retryTime = Duration.seconds(5)
  /// The time until a discarded fix is published again. The time is long, because the indicator shows each publication.
  static let discardedRetryTime = Duration.seconds(300)

  private var waiting: [Waiting]
  private(set) var sinks: [Sink] = []

  /// - Parameter kept: the fixes from an earlier run of the daemon.
  init(_ kept: [OutboxEntry] = [], at now: ClockReading) {
    waiting = kept.map { Waiting(fix: $0, expires: now.instant(at: $0.expires), session: nil, indicationEnd: nil) }
  }

  // MARK: Sinks

  /// Adds the sink of a new connection. The function has no effect for the connection of a client without a sink, and for
  /// a second connection with the same sink.
  mutating func open(_ connection: any ClientConnection, at now: MonotonicInstant) {
    guard let form = connection.sink?.form, !sinks.contains(where: { $0.form.name == form.name }) else { return }
    sinks.append(Sink(connection: connection, form: form, since: now))
    // The wall clock may have been set since the fix was saved, so the remaining life of the fix is limited.
    for index in waiting.indices where waiting[index].fix.sink == form.name {
      waiting[index].expires = min(waiting[index].expires, now + form.expires)
    }
  }

  mutating func close(_ connection: any ClientConnection) { sinks.removeAll { $0.connection === connection } }

  /// Notes that the sink of a connection is connected.
  /// - Parameter timeout: The maximum time that fixes wait for a message of their subscriber; nil for no wait.
  mutating func connect(
    _ connection: any ClientConnection, with version: MQTTVersion?, awaitingSubscriberFor timeout: Duration?,
    at now: MonotonicInstant
  ) {
    let isWaiting = connection.sink.map { count(of: $0.form.name) > 0 } ?? false
    change(connection) { sink in
      sink.inFlight = nil
      sink.since = now
      sink.isConnected = true
      sink.version = version
      (sink.fault, sink.detail) = (nil, nil)
      // If the gateway was connected to this broker before, the broker may have restarted, so all fixes wait for
      // their subscriber. At the first connection of the daemon, only fixes from an earlier run wait.
      if sink.wasConnected || isWaiting { sink.heldUntil = timeout.map { now + $0 } }
      sink.wasConnected = true
    }
  }

  /// Notes that the sink is disconnected. The fix that was under way waits for the next connection.
  mutating func disconnect(_ connection: any ClientConnection, at now: MonotonicInstant) {
    change(connection) { sink in
      sink.inFlight = nil
      sink.heldUntil = nil
      sink.isConnected = false
      sink.version = nil
      sink.since = now
    }
  }

  /// Notes the cause of a failed attempt to use the sink.
  mutating func noteFault(_ fault: OutputFault, detail: String?, of connection: any ClientConnection) {
    change(connection) { ($0.fault, $0.detail) = (fault, detail) }
  }

  /// Notes that the subscriber of the fixes appeared, so that they need not wait for it.
  mutating func noteSubscriber(of connection: any ClientConnection) { change(connection) { $0.heldUntil = nil } }

  /// Notes that the sink has acknowledged the last fix, so that the next fix can be published.
  mutating func noteReady(_ connection: any ClientConnection) { change(connection) { $0.inFlight = nil } }

  /// Notes the topics whose messages the broker does not deliver. No topic means that the broker delivers all messages.
  mutating func noteUndelivered(_ topics: [String], of connection: any ClientConnection) {
    change(connection) { $0.undelivered = topics }
  }

  /// Counts a message of the broker that the bridge ignored, by its reason.
  mutating func countIgnored(_ reason: String, of connection: any ClientConnection) {
    change(connection) { $0.ignored[reason, default: 0] += 1 }
  }

  private mutating func change(_ connection: any ClientConnection, _ change: (inout Sink) -> Void) {
    guard let index = sinks.firstIndex(where: { $0.connection === connection }) else { return }
    change(&sinks[index])
  }

  // MARK: Fixes

  /// Adds a fix whose log entry is already written.
  mutating func add(
    _ fix: OutboxEntry, _ session: SessionID, expires: MonotonicInstant, indicationEnd: MonotonicInstant
  ) {
    waiting.append(Waiting(fix: fix, expires: expires, session: session, indicationEnd: indicationEnd))
  }

  /// The fixes that can be sent to their sinks now: at most one for each sink.
  var due: [PublicationDisclosure] {
    sinks.compactMap { sink in
      guard sink.isConnected, sink.heldUntil == nil, sink.inFlight == nil, let output = sink.connection.sink,
        let next = waiting.first(where: { $0.fix.sink == sink.form.name }), next.nextAttempt == nil
      else { return nil }
      return PublicationDisclosure(
        fix: next.fix, session: next.session, expires: next.expires, indicationEnd: next.indicationEnd,
        isLate: next.isLate, sink: output)
    }
  }

  /// Notes that a fix was sent to its sink.
  /// - Parameter published: The fix, which has a new entry in the log if it was sent late.
  mutating func notePublished(_ published: OutboxEntry, isLate: Bool) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == published.number }) else { return }
    waiting[index].fix = published
    waiting[index].isLate = isLate
    if let sink = sinks.firstIndex(where: { $0.form.name == published.sink }) {
      sinks[sink].inFlight = published.number
    }
  }

  /// Defers the next attempt to send a fix that the disclosure gate did not release.
  mutating func postpone(
    _ fix: OutboxEntry, cause: String, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == fix.number }) else { return }
    waiting[index].nextAttempt = now + Self.retryTime
    outputs.log(fix.subsystem, .warning, "a fix still waits for its output", ["app": "\(fix.app)", "cause": cause])
  }

  /// Notes that the broker discarded a fix because it had no subscriber.
  mutating func noteDiscarded(
    on connection: any ClientConnection, of app: AppID?, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    change(connection) { sink in
      if sink.heldUntil == nil {
        outputs.log(
          .broker, .notice, "a fix still waits: the broker has no subscriber for it", ["app": app?.name ?? ""])
      }
      sink.inFlight = nil
      sink.heldUntil = now + Self.discardedRetryTime
    }
  }

  /// Removes a fix that its sink has acknowledged, or refused for ever.
  /// - Returns: The fix with its outcome; nothing if the fix was withdrawn before.
  mutating func settle(_ number: Int64, _ outcome: DisclosureOutcome, _ outputs: inout Outputs) -> [Settlement] {
    // The fix may have been withdrawn before the answer came.
    guard let fix = waiting.first(where: { $0.fix.number == number })?.fix else { return [] }
    let isDelivered = outcome == .acknowledged
    outputs.log(
      fix.subsystem, .info, isDelivered ? "an output acknowledged a fix" : "an output refused a fix",
      ["app": "\(fix.app)", "entry": "\(fix.disclosure)"])
    if isDelivered, let sink = sinks.firstIndex(where: { $0.form.name == fix.sink }) {
      (sinks[sink].fault, sinks[sink].detail) = (nil, nil)
    }
    return end(outcome) { $0.fix.number == number }
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
    for index in sinks.indices where sinks[index].heldUntil.map({ $0 <= now }) ?? false {
      sinks[index].heldUntil = nil
    }
    let expired = end(.expired) { $0.expires <= now }
    for settlement in expired { outputs.count(.expiredPublications, of: settlement.fix.app) }
    // The app's authorization may have been revoked while the gateway was not running.
    return expired + end(.erased) { $0.session == nil && (isLocked || !isAllowed($0.fix, nil)) }
  }

  /// Removes fixes from the outbox. A sink that still has a copy of a fix withdraws the copy.
  private mutating func end(_ outcome: DisclosureOutcome, where isMeant: (Waiting) -> Bool) -> [Settlement] {
    let ended = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    if outcome != .acknowledged {
      for sink in sinks where ended.contains(where: { $0.fix.number == sink.inFlight }) {
        sink.connection.recall(.all)
      }
    }
    return ended.map { ($0.fix, outcome) }
  }

  var nextDeadline: MonotonicInstant? {
    (waiting.map { min($0.expires, $0.nextAttempt ?? $0.expires) } + sinks.compactMap(\.heldUntil)).min()
  }

  // MARK: State

  /// Returns the number of fixes that wait for a sink, given by its name.
  func count(of sink: String) -> Int { waiting.count { $0.fix.sink == sink } }

  /// Returns the error for a request if too many fixes of the app already wait for its sink; otherwise nil.
  func refusal(for connection: any ClientConnection) -> LineError? {
    guard let form = connection.sink?.form, count(of: form.name) >= form.mostWaiting else { return nil }
    return LineError(
      .tooMany, "\(form.mostWaiting) fixes already wait for \(form.address) (ask again when it is connected)")
  }

  /// The sinks, sorted by their names.
  var sortedSinks: [Sink] { sinks.sorted { $0.form.name < $1.form.name } }
}

extension OutboxEntry {
  /// The area of the daemon's log for messages about this fix.
  fileprivate var subsystem: Subsystem { transport == "mqtt" ? .broker : .output }
}
