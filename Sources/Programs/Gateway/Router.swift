import Authorization
import Clocks
import Disclosure
import Hardware
import LineProtocol
import Logging
import Ports
import ReceiverStream
import StateStore
import Telemetry

/// The parts of the gateway, and the routes between them.
///
/// Each part has private state, receives inputs and returns actions. The parts do not depend on each other. The router
/// performs actions until none is left. Then it updates the dependent state: the indicator, the notifications and the
/// receiver's supply. All parts receive the same time as a parameter. Only `LogKeeper` also reads the clock: for the
/// times of entries, and to measure the duration of each write.
struct Router {
  let dependencies: GatewayDependencies
  let loggers: Loggers
  let keyring: Keyring
  let clock: @Sendable () -> ClockReading

  var authorization: Authorization
  var buttons: Buttons
  var indicator: Indicator
  var receiver: SealedReceiver
  var control: ReceiverControl
  var clocks: [any ClockOutput]
  var sessions = SessionTable()
  var owners = OwnerConnections()
  var gate: DisclosureGate
  var deliveries = DeliveryQueue()
  var updates = UpdateScheduler()
  var regions: RegionWatcher
  var outbox: BrokerOutbox
  var log: LogKeeper
  var metrics: Metrics
  var status = StatusReporter()
  var listeners = Listeners()
  var configuration: CurrentConfiguration
  private var lastID: UInt64 = 0
  /// Whether the panel of a simulated board shows the texts of prompts.
  var isPanelDrawn = false
  /// The marks of which the owners have received a message, and the number of events of the authorization until then.
  private var reportedMarks: (apps: [AppID: [String]], revision: UInt64) = ([:], 0)
  /// The apps that used the location, and whether the gateway was locked, when the apps were last notified of their
  /// indications.
  private var reportedUse: (users: Set<AppID>, isLocked: Bool)
  private var effects: [GatewayEffect] = []

  init(
    _ dependencies: GatewayDependencies, _ stored: StoredState, supply: ReceiverSupply?, loggers: Loggers,
    keyring: Keyring, clock: @escaping @Sendable () -> ClockReading
  ) {
    let now = clock()
    self.dependencies = dependencies
    self.loggers = loggers
    self.keyring = keyring
    self.clock = clock
    let policy = dependencies.policy
    authorization = stored.authorization
    reportedUse = ([], authorization.isLocked)
    buttons = Buttons(dependencies.buttons.map(\.profile))
    indicator = Indicator(
      dependencies.indicator, profile: dependencies.indicatorProfile,
      labelRestriction: dependencies.buttons.lazy.compactMap { $0.profile.restrictions.first }.first, at: now.monotonic)
    let port = dependencies.receiver.commandPort
    receiver = SealedReceiver(
      isLive: dependencies.receiver.isLive, requiresChecksum: dependencies.requiresChecksum,
      servesUnmeasured: dependencies.servesUnmeasured, keepsAnswers: port != nil && dependencies.receiverSetup != nil)
    control = ReceiverControl(dependencies.receiver.name, port, dependencies.receiverSetup, supply)
    clocks = dependencies.clocks
    gate = DisclosureGate(
      stored.cloak, places: stored.places, indicationTime: dependencies.indicatorProfile.onceDuration,
      isSimulated: dependencies.simulatedPressRefusal == nil)
    regions = stored.regions
    outbox = BrokerOutbox(stored.waitingFixes, at: now)
    log = LogKeeper(stored.store, copyPath: stored.copyPath, clock: clock)
    metrics = Metrics(labelledApps: Set(policy.authorization.newAppAccuracy.keys))
    configuration = CurrentConfiguration(policy)
    if supply != nil { receiver.switchOff() }
    perform(stored.messages.map(Action.log), at: now)
    // A lowered accuracy stays low, also after a start with another configuration.
    if !stored.loweredRecords.isEmpty {
      perform(log.handle(.save(stored.loweredRecords), at: now.monotonic), at: now)
    }
    fillKeyring(for: policy.keyedApps, at: now)
    // Rights may have been revoked while the gateway was not running, so the fixes in the outbox are checked.
    passOutbox(at: now)
  }

  mutating func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: The queue

  /// Updates the dependent state after an input. Returns the effects that the gateway must perform.
  mutating func finish(at now: ClockReading) -> [GatewayEffect] {
    settle(at: now)
    defer { effects = [] }
    return effects
  }

  /// Performs actions without recursion. The actions that result from an action come before the waiting actions.
  mutating func perform(_ actions: [Action], at now: ClockReading) {
    guard !actions.isEmpty else { return }
    var waiting = Array(actions.reversed())
    var outcome = PressOutcome.nothing
    while let action = waiting.popLast() {
      switch action {
      case .press: outcome = .nothing
      case .hold(let hold) where hold.multiple == 1: outcome = .nothing
      case .outcome(let next): outcome = next
      case .endPress(let press):
        metrics.count(.press(outcome), at: now.monotonic)
        effects.append(.actEnded(press.button, outcome, release: press.up))
      case .endHold(let hold):
        // A person can hold the button for several times the hold time. The outcome of the first hold time is always
        // reported. The outcome of a further hold time is reported only if the state has changed.
        if hold.multiple == 1 || outcome != .nothing {
          effects.append(.actEnded(hold.button, outcome, release: nil))
        }
      default: break
      }
      waiting.append(contentsOf: step(action, at: now).reversed())
    }
  }

  /// Performs one action. Returns the actions that result from it.
  private mutating func step(_ action: Action, at now: ClockReading) -> [Action] {
    switch action {
    case .log(let message): loggers.log(message)
    case .send(let line, let connection): connection.send(line)
    case .refuse(let connection, let error, let tag): connection.refuse(error, tag: tag)
    case .recall(let connection, let kinds): connection.recall(kinds)
    case .sendToReceiver(let bytes): return control.send(bytes)
    case .becameReady: effects.append(.becameReady)
    case .outcome, .endPress, .endHold: break

    case .confirmEdges(let name): dependencies.buttons.first { $0.profile.name == name }?.input.confirmEdges()
    case .buttonDown(let name, let instant):
      guard authorization.expectsPress(of: name, down: instant) else { break }
      return indicator.handle(.buttonDown(name), at: now.monotonic)
    case .buttonUp(let name): return indicator.handle(.buttonUp(name), at: now.monotonic)
    case .press(let press): return actions(for: press)
    case .hold(let hold):
      return (hold.multiple == 1 ? [.count(.hold)] : []) + [.event(.held(hold)), .endHold(hold)]

    case .event(let event): return handle(event, at: now.monotonic)
    case .answer(let prompt, let answer, let way, let language):
      return handle(.answered(prompt: prompt, answer), by: way, in: language, at: now.monotonic)
    case .effect(let effect, let source): return actions(for: effect, by: source, at: now)
    case .saveRecords(let records):
      return log.handle(.save(records), at: now.monotonic) + records.map { checkRegions(of: $0.app) }
    case .closeIntervals(let ends): return closeIntervals(ends, at: now.monotonic)
    case .saveDeferred(let apps): return log.handle(.saveDeferred(apps), at: now.monotonic)

    case .accepted(let request, let session, let options):
      guard let app = sessions[session]?.app else { break }
      return updates.handle(.add(UpdateStream(request, session, of: app, options)), at: now.monotonic)
    case .sessionEnded(let session, let app):
      return deliveries.handle(.erase(.session(session)), at: now.monotonic) + [checkRegions(of: app)] + [
        .log(LogMessage(.server, .info, "disconnected", ["app": "\(app)"]))
      ]
    case .endRequest(let request, let error): return end(request, error, at: now.monotonic)
    case .notifyOwners(let topic, let json): return owners.handle(.notify(topic, json))
    case .refused(let answer, let app):
      metrics.count(.refused(answer, app), at: now.monotonic)
      return log.handle(.refused(answer, app, day: now.utc.day), at: now.monotonic)

    case .serve(let grant): return serve(grant, at: now)
    case .update(let request):
      guard let stream = updates[request] else { break }
      return updates.handle(.beginRound(ofAll: false), at: now.monotonic) + update(stream, at: now)
    case .updateAll: return updateAll(at: now)
    case .servePending:
      // A right that has ended must end before the next fix is served, even if the alarm of the gateway is late.
      let isDue = authorization.nextDeadline.map { $0 <= now.monotonic } ?? false
      return (isDue ? handle(.timePassed, at: now.monotonic) : []) + pendingDisclosures
    case .servePendingOf(let session):
      let grants = sessions[session].map { authorization.grants.values(of: $0.app) } ?? []
      return grants.filter { $0.session == session }.map(Action.serve)
        + deliveries.kept.filter { $0.session == session }.map(Action.redeliver)
        + (authorization.updates[session].map { [.update($0.request)] } ?? []) + [.reportCrossings]
    case .redeliver(let delivery): return redeliver(delivery, at: now)
    case .publish(let publication): return publish(publication, at: now)
    case .reportCrossings: return regions.handle(.reportAll, at: now.monotonic)
    case .reportCrossing(let crossing): return report(crossing, at: now)
    case .close(let events): return log.handle(.close(events), at: now.monotonic)
    case .settle(let fix, let outcome): return log.handle(.settle(fix, outcome), at: now.monotonic)

    case .checkRegions(let app, let mayHave):
      return regions.handle(.rightChanged(app, mayHave: mayHave), at: now.monotonic)
    case .saveRegions(let changed, let change):
      let failure = log.save(changed)
      return regions.handle(.saved(changed, change, failure: failure), at: now.monotonic)

    case .advanceReceiver: return serveNextEpoch(at: now)
    case .watchRegions: return watchRegions(at: now.monotonic)
    case .receiverChanged: return receiverChanged(at: now.monotonic)
    case .switchedOff:
      effects.append(.receiverSwitchedOff)
      receiver.switchOff()
      return [.receiverChanged]
    case .count(let event): metrics.count(event, at: now.monotonic)
    }
    return []
  }

  // MARK: Settling

  private mutating func settle(at now: ClockReading) {
    let showsPrompts = showsPrompts || owners.showsPrompts
    if showsPrompts != authorization.areSurfacesOpen {
      perform([.event(.surfacesChanged(areOpen: showsPrompts))], at: now)
    }
    let demand = Indicator.Demand(
      isLocked: authorization.isLocked, isUnsaved: log.isUnsaved, hasPrompt: authorization.prompt != nil,
      updates: authorization.updates.isEmpty ? nil : authorization.areUpdatesInSight ? .inUse : .background,
      isAcquiring: !authorization.grants.isEmpty)
    // The light shows a question before its texts are made.
    perform(indicator.handle(.demand(demand), at: now.monotonic), at: now)
    perform(owners.handle(.prompts(promptTexts(at: now.monotonic))), at: now)
    reportMarks(at: now)
    reportIndications(at: now)
    perform(control.handle(.need(isReceiverNeeded), at: now.monotonic), at: now)
    if let tell = dependencies.tellStatus { status.update(statusLine(at: now), at: now.monotonic, tell) }
  }

  /// Whether the receiver must be on: an app may receive a fix soon, or a clock gets the receiver's time.
  private var isReceiverNeeded: Bool {
    !clocks.isEmpty || !authorization.arms.isEmpty || !authorization.grants.isEmpty || !authorization.updates.isEmpty
      || indicator.isUsed || indicator.isButtonReady || areRegionsWatched || gate.isNodeWanted
      || gate.isPlaceWanted
  }

  /// Sends the owners the state of each app that got or lost the mark of a button. (A9)
  private mutating func reportMarks(at now: ClockReading) {
    guard authorization.revision != reportedMarks.revision else { return }
    let former = reportedMarks.apps
    var present: [AppID: [String]] = [:]
    for button in dependencies.buttons.lazy.map(\.profile.name) {
      for arm in authorization.markedRequests(of: button) { present[arm.app, default: []].append(button) }
    }
    reportedMarks = (present, authorization.revision)
    guard present != former else { return }
    let moved = Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }
    perform(moved.sorted().map { .notifyOwners(.ownerApps, appJSON($0, at: now)) }, at: now)
  }

  /// Whether the person at the button can read the text of an open prompt.
  var showsPrompts: Bool { configuration.policy.hasPromptDisplay || isPanelDrawn }

  /// Returns the indication that an app may see. The app sees only indications that its own requests cause, and no
  /// prompts of another app or of the gateway (B5).
  func indication(for app: AppID) -> String {
    let indication: Indication =
      if authorization.isLocked { .locked } else if indicator.isUsing(app) { .inUse } else {
        authorization.activity(of: app).map(Indication.init) ?? .off
      }
    return indication.rawValue
  }

  /// Notifies the apps whose indication may have changed. All other apps, of which there can be thousands, cost nothing.
  private mutating func reportIndications(at now: ClockReading) {
    let former = reportedUse
    reportedUse = (Set(indicator.users), authorization.isLocked)
    var apps = authorization.takeChangedApps().union(reportedUse.users.symmetricDifference(former.users))
    if reportedUse.isLocked != former.isLocked { apps.formUnion(sessions.apps) }
    guard !apps.isEmpty else { return }
    let indications = apps.sorted().map { (app: $0, indication: indication(for: $0)) }
    perform(sessions.handle(.indications(indications), at: now.monotonic), at: now)
  }

  // MARK: Time

  mutating func pass(to now: ClockReading) {
    perform(buttons.handle(.timePassed, at: now.monotonic), at: now)
    perform(indicator.handle(.timePassed, at: now.monotonic), at: now)
    passReceiver(at: now)
    if updates.isDue(at: now.monotonic) { perform([.servePending], at: now) }
    // Both calls are necessary, because the slots of the cloak and of the places begin at different times.
    let isNodeNew = advanceCloak(at: now)
    if advancePlaces(at: now) || isNodeNew { perform([.servePending], at: now) }
    saveSlots(at: now)
    perform([.reportCrossings, .event(.timePassed)], at: now)
    perform(deliveries.handle(.timePassed, at: now.monotonic), at: now)
    passOutbox(at: now)
    perform(log.handle(.timePassed, at: now.monotonic), at: now)
  }

  /// Returns the next deadline and its name. The caller must call `pass` at that time, unless another input arrives
  /// first.
  /// The function is mutating only because its caller would otherwise copy the whole router for each input.
  /// - Parameter isAhead: if true, the function ignores deadlines that have already passed.
  mutating func nextDeadline(after now: MonotonicInstant, isAhead: Bool = false) -> (
    time: MonotonicInstant, of: String
  )? {
    let deadlines: [12 of (MonotonicInstant?, String)] = [
      (authorization.nextDeadline, "authorization"), (indicator.nextDeadline(after: now), "indicator"),
      (receiver.nextDeadline, "receiver"), (control.nextDeadline, "receiver control"),
      (buttons.nextDeadline, "button"), (updates.nextDeadline(after: now), "updates"),
      (deliveries.nextDeadline, "delivery"), (outbox.nextDeadline, "outbox"), (regions.nextDeadline, "region"),
      (gate.nextDeadline, "slot"), (log.nextDeadline, "log"), (status.nextDeadline, "status"),
    ]
    var next: (time: MonotonicInstant, of: String)?
    for index in deadlines.indices {
      guard let time = deadlines[index].0, !isAhead || time > now, next.map({ time < $0.time }) ?? true else {
        continue
      }
      next = (time, deadlines[index].1)
    }
    return next
  }

  /// The sign that the clock of this machine is wrong, if any.
  func clockFault(at now: ClockReading) -> ClockFault? {
    let received = dependencies.receiver.isLive ? receiver.latest?.utc(at: now.monotonic) : nil
    return log.clockFault(at: now, received: received)
  }

  /// Returns the time of an earlier instant; nil while the clock of this machine is wrong.
  func time(of instant: MonotonicInstant, at now: ClockReading) -> UTCTime? {
    clockFault(at: now) == nil ? now.utc(at: instant) : nil
  }

  mutating func maintainLog(at now: ClockReading) {
    // If the clock gets its time from the receiver, a false time of the receiver would seem to confirm the clock.
    let received = clocks.isEmpty ? receiver.latest.flatMap { $0.utc(at: now.monotonic) } : nil
    let retention = configuration.policy.logRetention
    let fault = clockFault(at: now)
    perform(log.handle(.maintain(received: received, clock: fault, retention: retention), at: now.monotonic), at: now)
  }

  /// Stops the gateway's parts: erases undelivered fixes, switches the indicator off, and closes the store.
  mutating func stop(at now: ClockReading) {
    perform(deliveries.handle(.erase(.all), at: now.monotonic), at: now)
    perform([.closeIntervals(updates.all.map { ($0.request, .shutdown) })], at: now)
    perform(log.handle(.savePending, at: now.monotonic), at: now)
    saveSlots(isStopping: true, at: now)
    maintainLog(at: now)
    indicator.stop(at: now.monotonic)
    control.stop(at: now.monotonic)
    log.close()
  }
}

extension Indication {
  fileprivate init(_ activity: Activity) {
    self =
      switch activity {
      case .acquiring, .waiting: .acquiring
      case .background: .background
      case .inUse: .inUse
      case .prompt: .prompt
      }
  }
}

/// An effect that the gateway performs outside the router.
enum GatewayEffect {
  case becameReady
  /// The receiver's supply was switched off, so the reading of the receiver must end.
  case receiverSwitchedOff
  /// A press or a hold of the named button has taken effect. `release` is the instant of the release, or nil for a
  /// hold.
  case actEnded(String, PressOutcome, release: MonotonicInstant?)
}
