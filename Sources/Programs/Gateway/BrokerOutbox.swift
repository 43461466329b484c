import Authorization
import Clocks
import Disclosure
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// The fixes that wait for MQTT brokers, and the bridges that connect the gateway to these brokers.
struct BrokerOutbox {
  enum Input {
    case opened(any ClientConnection)
    case closed(any ClientConnection)
    case add(OutboxEntry, SessionID, expires: MonotonicInstant, indicationEnd: MonotonicInstant)
    /// Withdraws the fixes of one app that lost a right (D1), or of all apps after a person used the kill switch (D2).
    case withdraw(AppID?)
    /// The result of an attempt to send a fix to the broker. A failure means that the disclosure gate did not release
    /// the fix.
    case attempted(Int64, Result<DisclosureReceipt, DisclosureFailure>, isAllowed: Bool)
    /// The rights of apps may have changed, or a deadline may have passed. The outbox checks its fixes again.
    case timePassed(isLocked: Bool, isAllowed: (OutboxEntry, SessionID?) -> Bool)

    case connected(any ClientConnection, MQTTVersion, subscriberTimeout: Duration?)
    case failed(BrokerFault, any ClientConnection)
    case disconnected(any ClientConnection)
    case subscriberAppeared(any ClientConnection)
    case ready(any ClientConnection)
    case acknowledged(Int64)
    /// The broker discarded a fix because it had no subscriber.
    case discarded(any ClientConnection, AppID?)
    case undelivered([String], any ClientConnection)
    case ignored(String, any ClientConnection)
  }

  /// A fix in the outbox. The store contains its position only in sealed (encrypted) form.
  private struct Waiting {
    var fix: OutboxEntry
    var expires: MonotonicInstant
    /// The session that received the permission for the fix; nil after a restart of the daemon.
    let session: SessionID?
    /// The time until which the indicator shows the disclosure of this fix; nil after a restart of the daemon.
    let indicationEnd: MonotonicInstant?
    var isLate = false
    /// The time of the next attempt to send the fix; nil if the fix can be sent immediately.
    var nextAttempt: MonotonicInstant?
  }

  struct Bridge {
    let connection: any ClientConnection
    let form: any PublicationForm
    /// The instant at which the connection to the broker was made or lost. The wall clock may be set later.
    var since: MonotonicInstant
    /// The version of MQTT of the connection to the broker; nil without a connection.
    var version: MQTTVersion?
    /// The cause of the latest failed attempt to use the broker; nil after a successful attempt.
    var fault: BrokerFault?
    /// The number of the fix that was sent to the broker, until the broker acknowledges the fix.
    var inFlight: Int64?
    /// Until this time, fixes wait for a message of their subscriber. The message shows that the subscriber is
    /// connected to the broker. Nil if fixes do not wait.
    var heldUntil: MonotonicInstant?
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

  mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
    switch input {
    case .opened(let connection): open(connection, at: now)
    case .closed(let connection): bridges.removeAll { $0.connection === connection }
    case .add(let fix, let session, let expires, let indicationEnd):
      waiting.append(Waiting(fix: fix, expires: expires, session: session, indicationEnd: indicationEnd))
      return publishAll(at: now)
    case .withdraw(let app): return end(.erased) { app == nil || $0.fix.app == app }
    case .attempted(let number, let result, let isAllowed):
      return note(number, result, isAllowed: isAllowed, at: now)
    case .timePassed(let isLocked, let isAllowed): return pass(isLocked: isLocked, isAllowed, at: now)
    case .connected(let connection, let version, let timeout):
      let isWaiting = connection.broker.map { count(of: $0.form.name) > 0 } ?? false
      return change(connection, at: now) { bridge in
        bridge.inFlight = nil
        bridge.since = now
        bridge.version = version
        bridge.fault = nil
        // If the gateway was connected to this broker before, the broker may have restarted, so all fixes wait for
        // their subscriber. At the first connection of the daemon, only fixes from an earlier run wait.
        if bridge.wasConnected || isWaiting { bridge.heldUntil = timeout.map { now + $0 } }
        bridge.wasConnected = true
      }
    case .disconnected(let connection):
      return change(connection, at: now) { bridge in
        bridge.inFlight = nil
        bridge.heldUntil = nil
        bridge.version = nil
        bridge.since = now
      }
    case .subscriberAppeared(let connection): return change(connection, at: now) { $0.heldUntil = nil }
    case .ready(let connection): return change(connection, at: now) { $0.inFlight = nil }
    case .acknowledged(let number):
      // The fix may have been withdrawn before the acknowledgement came.
      guard let fix = waiting.first(where: { $0.fix.number == number })?.fix else { return publishAll(at: now) }
      return end(.acknowledged) { $0.fix.number == number } + [
        .log(
          LogMessage(
            .broker, .info, "a broker acknowledged a fix", ["app": "\(fix.app)", "entry": "\(fix.disclosure)"]))
      ] + publishAll(at: now)
    case .discarded(let connection, let app):
      let isNew = bridge(connection).map { $0.heldUntil == nil } ?? false
      let log = LogMessage(
        .broker, .notice, "a fix still waits: the broker has no subscriber for it", ["app": app?.name ?? ""])
      return (isNew ? [.log(log)] : [])
        + change(connection, at: now) { bridge in
          bridge.inFlight = nil
          bridge.heldUntil = now + Self.discardedRetryTime
        }
    case .failed(let fault, let connection): _ = change(connection, at: now) { $0.fault = fault }
    case .undelivered(let topics, let connection): _ = change(connection, at: now) { $0.undelivered = topics }
    case .ignored(let reason, let connection): _ = change(connection, at: now) { $0.ignored[reason, default: 0] += 1 }
    }
    return []
  }

  var nextDeadline: MonotonicInstant? {
    (waiting.map { min($0.expires, $0.nextAttempt ?? $0.expires) } + bridges.compactMap(\.heldUntil)).min()
  }

  private mutating func open(_ connection: any ClientConnection, at now: MonotonicInstant) {
    guard let form = connection.broker?.form else { return }
    bridges.append(Bridge(connection: connection, form: form, since: now))
    // The wall clock may have been set since the fix was saved, so the remaining life of the fix is limited.
    for index in waiting.indices where waiting[index].fix.bridge == form.name {
      waiting[index].expires = min(waiting[index].expires, now + form.expires)
    }
  }

  private mutating func change(
    _ connection: any ClientConnection, at now: MonotonicInstant, _ change: (inout Bridge) -> Void
  ) -> [Action] {
    guard let index = bridges.firstIndex(where: { $0.connection === connection }) else { return [] }
    change(&bridges[index])
    return publishAll(at: now)
  }

  private func bridge(_ connection: any ClientConnection) -> Bridge? {
    bridges.first { $0.connection === connection }
  }

  private mutating func pass(
    isLocked: Bool, _ isAllowed: (OutboxEntry, SessionID?) -> Bool, at now: MonotonicInstant
  ) -> [Action] {
    for index in waiting.indices where waiting[index].nextAttempt.map({ $0 <= now }) ?? false {
      waiting[index].nextAttempt = nil
    }
    for index in bridges.indices where bridges[index].heldUntil.map({ $0 <= now }) ?? false {
      bridges[index].heldUntil = nil
    }
    let expired = waiting.filter { $0.expires <= now }.map { Action.count(.expiredPublication($0.fix.app)) }
    return expired + end(.expired) { $0.expires <= now }
      // The app's right may have been revoked while the gateway was not running.
      + end(.erased) { $0.session == nil && (isLocked || !isAllowed($0.fix, nil)) } + publishAll(at: now)
  }

  /// Removes fixes from the outbox. If the MQTT client still has a copy of a fix, the action `.recall` makes the client
  /// close its connection and drop the copy.
  private mutating func end(_ outcome: DisclosureOutcome, where isMeant: (Waiting) -> Bool) -> [Action] {
    let ended = waiting.filter(isMeant)
    waiting.removeAll(where: isMeant)
    return ended.flatMap { waiting -> [Action] in
      let recalled = bridges.filter { $0.inFlight == waiting.fix.number && outcome != .acknowledged }
      return recalled.map { .recall($0.connection, .all) } + [.settle(waiting.fix, outcome)]
    }
  }

  private func publishAll(at now: MonotonicInstant) -> [Action] {
    bridges.compactMap { bridge in
      guard bridge.isConnected, bridge.heldUntil == nil, bridge.inFlight == nil, let broker = bridge.connection.broker,
        let next = waiting.first(where: { $0.fix.bridge == bridge.form.name }), next.nextAttempt == nil
      else { return nil }
      return .publish(
        PublicationDisclosure(
          fix: next.fix, session: next.session, expires: next.expires, indicationEnd: next.indicationEnd,
          isLate: next.isLate, broker: broker))
    }
  }

  private mutating func note(
    _ number: Int64, _ result: Result<DisclosureReceipt, DisclosureFailure>, isAllowed: Bool, at now: MonotonicInstant
  ) -> [Action] {
    guard let index = waiting.firstIndex(where: { $0.fix.number == number }) else { return [] }
    let fix = waiting[index].fix
    switch result {
    case .success(.published(let published, let isLate)):
      waiting[index].fix = published
      waiting[index].isLate = isLate
      if let bridge = bridges.firstIndex(where: { $0.form.name == fix.bridge }) { bridges[bridge].inFlight = number }
    case .success, .failure(.pending), .failure(.placeless): break
    case .failure(.revoked):
      // Either the sealed data was changed on the disk, or the app's right was revoked.
      return end(isAllowed ? .lost : .erased) { $0.fix.number == number } + publishAll(at: now)
    case .failure(let failure):
      waiting[index].nextAttempt = now + Self.retryTime
      return [
        .log(
          LogMessage(
            .broker, .warning, "a fix still waits for its broker", ["app": "\(fix.app)", "cause": failure.cause]))
      ]
    }
    return []
  }

  // MARK: State

  func count(of bridge: String) -> Int { waiting.count { $0.fix.bridge == bridge } }

  func refusal(for connection: any ClientConnection) -> LineError? {
    guard let form = connection.broker?.form, count(of: form.name) >= form.mostWaiting else { return nil }
    return LineError(
      .tooMany, "\(form.mostWaiting) fixes already wait for the broker (ask again when the broker is connected)")
  }

  var sortedBridges: [Bridge] { bridges.sorted { $0.form.name < $1.form.name } }
}
