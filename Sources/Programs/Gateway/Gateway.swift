import Authorization
package import Cloaking
import Clocks
import Hardware
import LineProtocol
package import Ports
import Logging
package import NIOCore
package import StateStore
import OperatingSystem

/// The composition: it owns all state, reads the clock, and performs the effects that the pure parts ask for.
///
/// An actor on an event loop of its own, so that the store may block it without holding up any socket.
package actor Gateway {
  nonisolated let setup: Setup
  nonisolated let loggers: Loggers
  package nonisolated let keyring = Keyring()
  nonisolated let limiter = CommandLimiter()
  /// The receiver's port, where it takes bytes.
  nonisolated let commandPort: (any CommandPort)?
  nonisolated let eventLoop: any EventLoop

  var policy: Policy
  /// As the configuration has it that was read last; nil until one was read again.
  var reconfiguration: Reconfiguration?
  /// What administrators are to know of what was read last; nil where there is nothing.
  var configurationNote: String?
  var authorization: Authorization { didSet { derived.expire() } }
  /// What follows from the authorization alone.
  var derived = Derived()
  let store: StateStore
  var cloak: Result<Cloak, CloakUnavailable>
  /// Whether a request asked for an approximate place since the last slot boundary.
  var nodeWanted = false
  /// The receiver's clock, as it was last read.
  var receiverClock: ClockReading?
  var reception: Reception
  /// Nil where the receiver is left as it is.
  var receiverSetup: ReceiverSetup?
  /// To the receiver, while its port is open.
  var outgoing: AsyncStream<[UInt8]>.Continuation?
  var lineLoad = LineLoad()
  /// Whether it was looked at once what the settings make the line carry.
  var hasToldLoad = false
  var indicator: IndicatorDriver
  /// Nil where the receiver is always on.
  var supply: ReceiverSupply?
  var logQuota = LogQuota()
  var intervalOpening = IntervalOpening()
  var sessions = Sessions() { didSet { derived.expire() } }
  /// Whose requests and updates are accepted and have not ended.
  var requesters: [RequestID: SessionID] = [:]
  /// What the sessions of each app were last told of the indicator.
  var toldIndications: [AppID: String] = [:]
  var owners: [UInt64: OwnerSession] = [:]
  /// Until when the indicator shows that owners were notified of a region.
  var notifiedUntil: MonotonicInstant?
  /// What owners are to be shown, and nobody was there to see; oldest first.
  var untoldNotifications: [String] = []
  var deliveries: [Delivery] = []
  /// What waits for brokers.
  var outbox: OutboxKeeping
  var regions: SealedRegions
  var regionKeeping: RegionKeeping
  /// Until when an app's use of location is shown after its fix.
  var inUse: [AppID: MonotonicInstant] = [:]
  var buttons: [String: ButtonState] = [:]
  /// Commands that have not been answered, by the request that they began.
  var incoming: [RequestID: IncomingRequest] = [:]
  /// Whose act is being handled.
  var decider: Decider?
  /// Whether the panel of a simulated board shows what is asked.
  var isPanelDrawn = false
  /// What the last press, hold or blip did, for who caused it by a command.
  var lastPressOutcome = PressOutcome.nothing
  /// When the button went up for the latest press; nil for a hold.
  var lastRelease: MonotonicInstant?
  /// Changes that could not be written: nothing is disclosed until they are.
  var unsaved = Unsaved()
  var logKeeping = LogKeeping()
  var counts = Counts()
  var statusKeeping = StatusKeeping()
  var lastNumber: UInt64 = 0
  var readiness = Readiness()
  /// What owners were last told that a press and a hold do, by prompt.
  var toldWays: [Int: [String]] = [:]
  /// What owners were last told of the indicator.
  var toldIndication = Indication.off
  /// What apps were last told of the receiver.
  var toldReceiver = ""
  var watchers: [UInt64: AsyncStream<Void>.Continuation] = [:]
  private var alarm: Scheduled<Void>?
  private var alarmTime: MonotonicInstant?
  private var lateAlarms = LateAlarms()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe eventLoop.executor.asUnownedSerialExecutor()
  }

  /// - Parameter store: opened; the gateway closes it when it stops.
  package init(
    _ setup: Setup, store: sending StateStore, cloak: Result<Cloak, CloakUnavailable>, eventLoop: any EventLoop,
    loggers: Loggers
  ) throws {
    self.setup = setup
    policy = setup.policy
    self.loggers = loggers
    self.eventLoop = eventLoop
    self.cloak = cloak
    reception = Reception(
      isLive: setup.receiver.isLive, requiresChecksum: setup.requiresChecksum,
      servesUnmeasured: setup.servesUnmeasured)
    if case .bytes(let port) = setup.receiver { commandPort = port as? any CommandPort } else { commandPort = nil }
    if commandPort != nil { receiverSetup = setup.receiverSettings.map { ReceiverSetup($0) } }
    reception.listens = receiverSetup != nil
    let reading = SystemClock.reading
    let stored = try store.load(now: reading)
    Gateway.denyChangedRights(in: store, at: reading, loggers.store)
    authorization = Authorization(
      configuration: setup.policy.authorization, records: stored.apps, isLocked: stored.isLocked)
    outbox = try Gateway.keptOutbox(in: store, at: reading)
    (regions, regionKeeping) = Gateway.keptRegions(in: store, setup, authorization, loggers.regions)
    keyring.fill(from: store, for: setup.policy.keyedApps, loggers.gateway)
    supply = setup.receiverPower.map(ReceiverSupply.init)
    indicator = IndicatorDriver(setup.indicator, profile: setup.indicatorProfile, at: reading.monotonic)
    self.store = store
  }

  /// Both clocks, now.
  var clock: ClockReading { SystemClock.reading }

  // MARK: What happens

  /// Takes an event and does what follows from it.
  func handle(_ event: Event) {
    let now = SystemClock.monotonic
    let former = decider
    decider = Decider(event)
    defer { decider = former }
    perform(authorization.handle(event, at: now), at: now)
    settle(at: now)
  }

  /// Brings everything that follows from the state up to date: the indicator, what apps are told of it, the alarm.
  func settle(at now: MonotonicInstant) {
    inUse = inUse.filter { now < $0.value }
    if let end = notifiedUntil, end <= now { notifiedUntil = nil }
    noteSurfaces(at: now)
    tendPrompts()
    let indication = indication(at: now)
    if indication != indicator.shown { indicator.show(indication, at: now) } else { indicator.refresh(at: now) }
    // A disclosure shows its light before it comes here.
    if indication != toldIndication {
      toldIndication = indication
      tellOwners(.indicator, indicatorJSON(indication))
    }
    tellIndications(at: now)
    tendSupply(at: now)
    tendStatus(at: now)
    setAlarm(after: now)
    for watcher in watchers.values { watcher.yield() }
  }

  /// The time has come for something.
  private func ring() {
    alarm = nil
    alarmTime = nil
    let now = SystemClock.monotonic
    advanceButtons(to: now)
    let wasLagging = indicator.isLagging
    indicator.refresh(at: now)
    let condition = reception.condition
    reception.idle(at: now)
    let hasEpoch = serveEpochs(at: now)
    if condition != reception.condition {
      configure { setup in
        if !hasEpoch { setup.fellSilent() }
        return []
      }
      receiverChanged()
    }
    attend(at: now)
    configure { $0.timePassed(at: now) }
    let wasPutOff = intervalOpening.due.map { $0 <= now } ?? false
    if !hasEpoch, wasPutOff || wasLagging && !indicator.isLagging || nextQuarterHour.map({ $0 <= now }) ?? false {
      servePending(at: now)
    }
    if tendCloak(at: now) { servePending(at: now) }
    tellRegions(at: now)
    perform(authorization.handle(.timePassed, at: now), at: now)
    tendDeliveries(at: now)
    tendOutbox(at: now)
    settle(at: now)
    guard lateAlarms.rang(at: now, next: alarmTime) else { return }
    if let source = lateAlarms.news(nextDeadline(after: now).source) {
      loggers.gateway.error(
        "a deadline stays behind, and is put off by a second again and again",
        metadata: ["deadline": "\(source)", "remedy": "this is a fault of this program: please report it"])
    }
    // Those ahead are kept to.
    let ahead = nextDeadline(after: now, isAhead: true).time
    schedule(min(now + LateAlarms.pause, ahead ?? now + LateAlarms.pause))
  }

  /// When something is to be done next, and what; nil where nothing is.
  /// - Parameter isAhead: only what is not due yet.
  private func nextDeadline(
    after now: MonotonicInstant, isAhead: Bool = false
  ) -> (time: MonotonicInstant?, source: String) {
    var (next, source) = (MonotonicInstant?.none, "")
    func take(_ time: MonotonicInstant?, _ name: String) {
      guard let time, !isAhead || time > now, next.map({ time < $0 }) ?? true else { return }
      (next, source) = (time, name)
    }
    take(nextAuthorizationDeadline, "authorization")
    take(indicator.nextChange(after: now), "indicator")
    take(reception.nextDeadline, "reception")
    take(intervalOpening.due, "updates")
    take(receiverSetup?.nextDeadline, "receiver setup")
    for button in buttons.values { take(button.nextDeadline, "button") }
    for delivery in deliveries { take(delivery.nextDeadline, "delivery") }
    for deadline in outboxDeadlines { take(deadline, "outbox") }
    for end in inUse.values { take(end, "light") }
    for news in regionKeeping.news { take(news.expires, "region") }
    take(cloakDue, "slot")
    take(notifiedUntil, "notification")
    take(supply?.retry, "receiver power")
    take(statusKeeping.due, "status")
    // What is due and could not be sent is tried at the next look at the indicator.
    take(nextQuarterHour(after: now), "quarter hour")
    return (next, source)
  }

  private func setAlarm(after now: MonotonicInstant) { schedule(nextDeadline(after: now).time) }

  private func schedule(_ next: MonotonicInstant?) {
    guard next != alarmTime else { return }
    alarm?.cancel()
    alarm = nil
    alarmTime = next
    guard let next else { return }
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, next.nanoseconds)))
    alarm = eventLoop.scheduleTask(deadline: deadline) { [weak self] in
      self?.assumeIsolated { $0.ring() }
    }
  }

  // MARK: What people see

  private func indication(at now: MonotonicInstant) -> Indication {
    if authorization.isLocked { return .off }
    if !inUse.isEmpty { return .inUse }
    // No app waits for a press meanwhile: the question has to be seen.
    if authorization.prompt != nil { return .prompt }
    if let indication = running.indication { return indication }
    if !authorization.grants.isEmpty || buttons.values.contains(where: \.isGettingReady) { return .acquiring }
    return notifiedUntil == nil ? .off : .prompt
  }

  /// What an app may see of the indicator: what its own requests cause. A question that is none of them (B5) it does
  /// not see.
  func appIndication(_ app: AppID, at now: MonotonicInstant) -> String {
    if authorization.isLocked { return "locked" }
    if inUse[app] != nil { return Indication.inUse.rawValue }
    // What it asked for looks the same however long the question waits for the button.
    if authorization.isAsking(app) || authorization.prompts.contains(where: { $0.app == app && $0.press != nil }) {
      return Indication.prompt.rawValue
    }
    if let indication = indicationOfUse(by: app) { return indication.rawValue }
    if authorization.grants.values.contains(where: { $0.app == app }) { return Indication.acquiring.rawValue }
    return Indication.off.rawValue
  }

  /// What the indicator shows to whoever looks at it, with the lock said.
  var indicationName: String {
    authorization.isLocked ? Indication.locked.rawValue : indicator.shown.rawValue
  }

  func indicatorJSON(_ indication: Indication) -> String {
    "{\"state\":\"\(authorization.isLocked ? Indication.locked.rawValue : indication.rawValue)\"}"
  }

  // MARK: The end

  /// The light goes off and the store is closed; what is undelivered stays in memory only and is gone.
  package func stop() {
    alarm?.cancel()
    alarm = nil
    erase { _ in true }
    derived.expire()
    closeIntervals(sessions.values.compactMap { session in session.updates.map { ($0.id, .shutdown) } })
    tendLog()
    indicator.clearSign()
    indicator.show(.off, at: SystemClock.monotonic)
    _ = supply?.set(isOn: false, at: SystemClock.monotonic)
    for watcher in watchers.values { watcher.finish() }
    store.close()
  }

  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }
}

/// Why reduced fixes cannot be made: then none is given.
package struct CloakUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A command that has not been answered.
struct IncomingRequest {
  enum Kind {
    case once(OnceRequest)
    case updates(UpdatesRequest)
    /// With what the app says of itself.
    case authorization(purpose: String?)
  }

  let session: SessionID
  let kind: Kind
  let tag: String?
  let connection: any ClientConnection
}

/// Changes that could not be written yet.
struct Unsaved {
  var apps: Set<AppID> = []
  var lock = false
  /// Why.
  var cause: String?
}

/// What a press has done.
enum PressOutcome: String, CaseIterable {
  case nothing
  case served
  case granted
  case prompt
  case answered
  case locked
  case unlocked
}
