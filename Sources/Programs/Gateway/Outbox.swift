import Authorization
import Base
import Disclosure
import LineProtocol
import Logging
import OperatingSystem
import Ports
import StateStore

/// The queue of fixes for outputs: MQTT brokers, web servers, files and serial ports. A fix waits while its output is
/// disconnected.
struct Outbox {
  /// A fix that was removed from the queue, and its outcome, such as acknowledged, expired or erased.
  typealias Settlement = (fix: OutboxEntry, outcome: DisclosureOutcome)

  /// A fix in the queue. The value contains no position: the position is only in the store, in encrypted form.
  private struct Waiting {
    var fix: OutboxEntry
    var expires: MonotonicInstant
    /// The session of the app that requested the fix; nil for a fix from an earlier run of the daemon.
    let session: SessionID?
    /// The instant at which the indicator LED stops showing this use of the location; nil for a fix from an earlier run
    /// of the daemon.
    let indicationEnd: MonotonicInstant?
    /// Whether the fix was sent after the indicator LED had stopped showing this use of the location. The disclosure
    /// log (the log of fixes sent to apps) then has a second entry.
    var isLate = false
    /// The instant of the next attempt to send the fix; nil if the fix may be sent now.
    var nextAttempt: MonotonicInstant?
    /// Whether the output may have the fix: this run of the daemon has given the fix to the output, or an earlier run
    /// may have done so.
    var mayHaveArrived: Bool
  }

  /// An output (a broker, a web server, a file or a serial port that gets the fixes of one app) with its connection
  /// state.
  struct Sink {
    let connection: any ClientConnection
    let form: any PublicationForm
    /// The instant of the last change of `isConnected`. The instant is monotonic, because a program can set the wall
    /// clock.
    var since: MonotonicInstant
    var isConnected = false
    /// The MQTT version of the connection to a broker; nil without a connection, and for every other kind of output.
    var version: MQTTVersion?
    /// The kind of the last fault of the output, for example a wrong password; nil if the last attempt succeeded.
    var fault: OutputFault?
    /// The description of the last fault of the output; nil if there is no fault, or no description.
    var detail: String?
    /// The identifier of the fix that was sent to the output and is not acknowledged yet; nil if there is none.
    var inFlight: Int64?
    /// The instant until which fixes are held back, because no program that reads them from the broker is known to be
    /// connected; nil if fixes are not held back.
    var heldUntil: MonotonicInstant?
    /// Whether the output was connected at least once since the start of the daemon.
    var wasConnected = false
    /// The MQTT topics on which the broker does not deliver messages of the gateway, for example the description of the
    /// app for Home Assistant, or refuses a fix or a subscription.
    var undelivered: [String] = []
    /// The counts of ignored requests from the broker. The key is the reason.
    var ignored: [String: Int] = [:]

    var isBroker: Bool { connection.transport == .mqtt }
  }

  /// The time from a failed attempt to send a fix until the next attempt.
  static let retryTime = Duration.seconds(5)
  /// The time after which a fix is sent to the broker again if no program was subscribed to the fix. The time is long,
  /// because the indicator LED shows each attempt.
  static let discardedRetryTime = Duration.seconds(300)

  private var waiting: [Waiting]
  private(set) var sinks: [Sink] = []

  /// - Parameter kept: The fixes that an earlier run of the daemon could not send.
  init(_ kept: [OutboxEntry] = [], at now: ClockReading) {
    waiting = kept.map {
      Waiting(
        fix: $0, expires: now.instant(at: $0.expires), session: nil, indicationEnd: nil, mayHaveArrived: true)
    }
  }

  // MARK: Sinks

  /// Adds the output (a broker, a web server, a file or a serial port) of a new connection. The call has no effect if
  /// the connection has no output, or if the output was already added.
  mutating func open(_ connection: any ClientConnection, at now: MonotonicInstant) {
    guard let form = connection.sink?.form, !sinks.contains(where: { $0.form.name == form.name }) else { return }
    sinks.append(Sink(connection: connection, form: form, since: now))
    // The wall clock may have been set since the fix was saved, so the remaining life of the fix is limited.
    for index in waiting.indices where waiting[index].fix.sink == form.name {
      waiting[index].expires = min(waiting[index].expires, now + form.expires)
    }
  }

  mutating func close(_ connection: any ClientConnection) { sinks.removeAll { $0.connection === connection } }

  /// Records that an output (such as an MQTT broker) is now connected.
  /// - Parameter timeout: The maximum time to hold fixes back until a program that reads them is connected to the
  ///   broker; nil to send fixes immediately.
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

  /// Records that an output (such as an MQTT broker) is disconnected. A fix without an acknowledgement is sent again
  /// after the next connection.
  mutating func disconnect(_ connection: any ClientConnection, at now: MonotonicInstant) {
    change(connection) { sink in
      sink.inFlight = nil
      sink.heldUntil = nil
      sink.isConnected = false
      sink.version = nil
      sink.since = now
    }
  }

  mutating func noteFault(_ fault: OutputFault, detail: String?, of connection: any ClientConnection) {
    change(connection) { ($0.fault, $0.detail) = (fault, detail) }
  }

  /// Records that a program that reads the fixes is connected to the broker. Fixes are then no longer held back.
  mutating func noteSubscriber(of connection: any ClientConnection) { change(connection) { $0.heldUntil = nil } }

  /// Records that an output (such as an MQTT broker) has acknowledged the last fix.
  mutating func noteReady(_ connection: any ClientConnection) { change(connection) { $0.inFlight = nil } }

  mutating func noteUndelivered(_ topics: [String], of connection: any ClientConnection) {
    change(connection) { $0.undelivered = topics }
  }

  /// Counts one request from a broker that the gateway ignored.
  mutating func countIgnored(_ reason: String, of connection: any ClientConnection) {
    change(connection) { $0.ignored[reason, default: 0] += 1 }
  }

  private mutating func change(_ connection: any ClientConnection, _ change: (inout Sink) -> Void) {
    guard let index = sinks.firstIndex(where: { $0.connection === connection }) else { return }
    change(&sinks[index])
  }

  // MARK: Fixes

  /// Adds a fix to the queue. The disclosure log (the log of fixes sent to apps) must already have an entry for the
  /// fix.
  mutating func add(
    _ fix: OutboxEntry, _ session: SessionID, expires: MonotonicInstant, indicationEnd: MonotonicInstant
  ) {
    waiting.append(
      Waiting(
        fix: fix, expires: expires, session: session, indicationEnd: indicationEnd, mayHaveArrived: false))
  }

  /// The next waiting fix of each output (such as an MQTT broker) that is ready for a fix.
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

  /// Records that a fix was sent to its output (such as an MQTT broker).
  /// - Parameters:
  ///   - published: The sent fix. A fix that was sent late has the number of its second log entry.
  ///   - isLate: Whether the fix was sent after the indicator LED had stopped showing this use of the location.
  mutating func notePublished(_ published: OutboxEntry, isLate: Bool) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == published.number }) else { return }
    waiting[index].fix = published
    waiting[index].isLate = isLate
    waiting[index].mayHaveArrived = true
    if let sink = sinks.firstIndex(where: { $0.form.name == published.sink }) {
      sinks[sink].inFlight = published.number
    }
  }

  /// Schedules another attempt to send a fix after an error, and logs the error.
  mutating func postpone(
    _ fix: OutboxEntry, cause: String, at now: MonotonicInstant, _ outputs: inout Outputs
  ) {
    guard let index = waiting.firstIndex(where: { $0.fix.number == fix.number }) else { return }
    waiting[index].nextAttempt = now + Self.retryTime
    outputs.log(fix.subsystem, .warning, "a fix still waits for its output", ["app": "\(fix.app)", "cause": cause])
  }

  /// Records that the broker dropped a fix because no program was subscribed to the fix. The fix stays in the queue.
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

  /// Removes a fix after its output (such as an MQTT broker) has acknowledged or permanently refused the fix.
  /// - Returns: The removed fix and its outcome; an empty array if the queue no longer contains the fix.
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

  /// Removes a fix that cannot be sent.
  /// - Parameter isAllowed: Whether the app is still authorized to receive the fix. If true, the encrypted fix on the
  ///   disk is damaged, and its outcome is `lost`.
  mutating func remove(_ fix: OutboxEntry, isAllowed: Bool) -> [Settlement] {
    end(isAllowed ? .lost : .erased) { $0.fix.number == fix.number }
  }

  /// Removes the waiting fixes of an app, or of all apps if `app` is nil. The gateway calls this function when an app
  /// loses an authorization, and for the kill switch (rows D1 and D2 of the authorization reference).
  mutating func withdraw(_ app: AppID?) -> [Settlement] { end(.erased) { app == nil || $0.fix.app == app } }

  /// Removes the expired fixes, and the fixes of an earlier run whose apps are no longer authorized.
  /// - Parameter isAllowed: The function that returns whether an app is authorized to receive a fix.
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

  /// Removes the fixes that meet a condition, also from the send buffers of connections.
  /// - Parameters:
  ///   - outcome: The outcome of the removed fixes. If it is `erased`, the outcome of a fix that may have arrived is
  ///     `lost`.
  ///   - isMeant: The condition: returns true for a fix to remove.
  /// - Returns: The removed fixes, each with its outcome.
  private mutating func end(_ outcome: DisclosureOutcome, where isMeant: (Waiting) -> Bool) -> [Settlement] {
    let ended = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    if outcome != .acknowledged {
      for sink in sinks where ended.contains(where: { $0.fix.number == sink.inFlight }) {
        sink.connection.recall(.all)
      }
    }
    return ended.map { ($0.fix, outcome == .erased && $0.mayHaveArrived ? .lost : outcome) }
  }

  var nextDeadline: MonotonicInstant? {
    (waiting.map { min($0.expires, $0.nextAttempt ?? $0.expires) } + sinks.compactMap(\.heldUntil)).min()
  }

  // MARK: State

  /// Returns the count of fixes that wait for the output with this name.
  func count(of sink: String) -> Int { waiting.count { $0.fix.sink == sink } }

  /// Returns the error for a new request if too many fixes already wait for its output (such as an MQTT broker); nil if
  /// one more fix may wait.
  func refusal(for connection: any ClientConnection) -> LineError? {
    guard let form = connection.sink?.form, count(of: form.name) >= form.mostWaiting else { return nil }
    return LineError(
      .tooMany, "\(form.mostWaiting) fixes already wait for \(form.address) (ask again when it is connected)")
  }

  /// The addresses of outputs that do not run, for example because their entry in the configuration was changed, with
  /// the counts of the fixes that wait for them.
  var absentOutputs: [(address: String, count: Int)] {
    let names = waiting.map(\.fix.sink).filter { name in !sinks.contains { $0.form.name == name } }
    // The name of an output begins with its address, which has no spaces.
    return Dictionary(grouping: names) { String($0.prefix { $0 != " " }) }
      .map { (address: $0.key, count: $0.value.count) }.sorted { $0.address < $1.address }
  }

  var sortedSinks: [Sink] { sinks.sorted { $0.form.name < $1.form.name } }
}

extension OutboxEntry {
  fileprivate var subsystem: Subsystem { transport == "mqtt" ? .broker : .output }
}
