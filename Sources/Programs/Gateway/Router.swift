import Authorization
import Base
import Disclosure
import Hardware
import LineProtocol
import Logging
import Ports
import StateStore

/// The state of the gateway and its reaction to each input. The router calls its parts in order, and performs the
/// effects of the state machine of the authorizations.
///
/// Each part has private state and knows no other part, with the exceptions that `architecture.md` names. After an
/// input, the router updates the indicator LED, the notifications and the power of the GNSS receiver. All parts get the
/// same time as a parameter. Only `LogKeeper` also reads the clock, for the times of log entries and to measure each
/// write.
struct Router {
  let dependencies: GatewayDependencies
  let keyring: Keyring
  var configuration: CurrentConfiguration
  var authorization: Authorization
  var buttons: Buttons
  var lastPress = LastPress()
  var sound: Sound
  var receiver: ReceiverInput
  var sessions = SessionTable()
  var owners = OwnerConnections()
  var disclosures: Disclosures
  var regions: RegionWatcher
  var listeners = Listeners()
  var metrics: Metrics
  var status = StatusReporter()
  var outputs = Outputs()
  /// The reading of the clocks at the last save of the time limits of authorizations; nil if no authorization has a
  /// time limit.
  var clockOfEnds: ClockReading?
  /// The suspensions of the machine since the start of the daemon, each with its end on the monotonic clock.
  var suspensions: [(end: MonotonicInstant, length: Duration)] = []

  init(
    _ dependencies: GatewayDependencies, _ stored: StoredState, supply: ReceiverSupply?, keyring: Keyring,
    clock: @escaping @Sendable () -> ClockReading
  ) {
    let now = clock()
    let policy = dependencies.policy
    self.dependencies = dependencies
    self.keyring = keyring
    configuration = CurrentConfiguration(policy)
    authorization = stored.authorization
    buttons = Buttons(dependencies.buttons.map(\.profile))
    sound = Sound(dependencies.buzzer)
    receiver = ReceiverInput(dependencies, supply)
    disclosures = Disclosures(
      DisclosureGate(
        stored.cloak, places: stored.places, indicationTime: dependencies.light.profile.onceDuration,
        isSimulated: dependencies.simulatedPressRefusal == nil),
      Indicator(
        dependencies.light.output, profile: dependencies.light.profile,
        labelRestriction: dependencies.buttons.lazy.compactMap { $0.profile.restrictions.first }.first,
        at: now.monotonic),
      LogKeeper(stored.store, copyPath: stored.copyPath, clock: clock), Outbox(stored.waitingFixes, at: now))
    regions = stored.regions
    metrics = Metrics(labelledApps: Set(policy.authorization.newAppAccuracy.keys))
    for message in stored.messages { outputs.log(message) }
    sound.start(at: now.monotonic, &outputs)
    // A lowered accuracy stays low, also after a start with another configuration.
    if !stored.loweredRecords.isEmpty { disclosures.log.save(stored.loweredRecords, at: now.monotonic, &outputs) }
    revokeDisusedKeys(at: now)
    fillKeyring(for: policy.keyedApps)
    // Rights for a time may have ended while the gateway was not running.
    handle(.resumed(suspended: now.suspended), at: now)
    saveTimeLimits(at: now)
    // Rights may have been revoked while the gateway was not running, so the fixes in the outbox are checked.
    passOutbox(at: now)
  }

  // MARK: The end of an input

  /// Completes an input (an event or a command): updates the indicator LED and all other state that depends on the
  /// input.
  /// - Returns: The effects that the gateway must perform.
  mutating func finish(at now: ClockReading) -> Outputs {
    settle(at: now)
    followOutputs(at: now)
    for (event, times) in outputs.events { metrics.note(event, times: times, at: now.monotonic) }
    defer { outputs = Outputs() }
    return outputs
  }

  /// Updates all state that depends on the input: requests of outputs (such as MQTT brokers), the indicator LED,
  /// sounds, notifications, and the power of the GNSS receiver.
  private mutating func settle(at now: ClockReading) {
    makeEachPressRequests(at: now)
    let showsPrompts = configuration.showsPrompts || owners.showsPrompts
    if showsPrompts != authorization.areSurfacesOpen { handle(.surfacesChanged(areOpen: showsPrompts), at: now) }
    noteUse(at: now)
    let demand = Indicator.Demand(
      isLocked: authorization.isLocked, isUnsaved: disclosures.log.isUnsaved, hasPrompt: authorization.prompt != nil,
      updates: authorization.updates.isEmpty ? nil : authorization.areUpdatesInSight ? .inUse : .background,
      isAcquiring: !authorization.grants.isEmpty)
    // The light shows a question before its texts are made.
    let light = disclosures.indicator.show(demand, at: now.monotonic)
    if let changed = light.changed {
      owners.notify(.indicator, Indicator.json(changed, isLocked: demand.isLocked))
    }
    if light.isOnNow {
      servePending(at: now)
      noteUse(at: now)
    }
    owners.show(promptTexts(at: now.monotonic))
    reportMarks(at: now)
    reportIndications()
    receiver.setNeeded(isReceiverNeeded, at: now.monotonic, &outputs)
    if outputs.isReceiverOff { reportReceiver() }
    if let tell = dependencies.tellStatus { status.update(statusLine(at: now), at: now.monotonic, tell) }
  }

  /// Updates the effect of the latest press after outputs (such as MQTT brokers) have confirmed fixes, or after waiting
  /// fixes were removed. A change long after the press has no sound: no person waits for a sound then.
  private mutating func followOutputs(at now: ClockReading) {
    let before = lastPress
    for (fix, outcome) in outputs.settlements { lastPress.settle(fix.number, outcome) }
    guard let press = lastPress.instant, now.monotonic < press + Authorization.Bounds.grantLife,
      let signal = Sound.signal(for: [], isAsked: false, from: before, to: lastPress)
    else { return }
    sound.play(signal, isClockRight: clockFault(at: now) == nil, at: now)
  }

  /// Tells the state machine of the authorizations until when the LED shows one-time uses of the location. Until then,
  /// the LED shows no prompt (no question to the user), and the button answers none.
  private mutating func noteUse(at now: ClockReading) {
    guard let end = disclosures.indicator.lastUseEnd, authorization.useShownUntil < end else { return }
    handle(.useShown(until: end), at: now)
  }

  /// Whether the GNSS receiver must run, because of a request, updates (repeated fixes), a region, or an approximate
  /// position.
  private var isReceiverNeeded: Bool {
    !authorization.arms.isEmpty || !authorization.grants.isEmpty || !authorization.updates.isEmpty
      || disclosures.isReceiverWanted || areRegionsWatched
  }

  /// Sends owners (administrators) the state of each app whose button mark has changed. The next press of a button
  /// gives a marked app its fix (row A9 of the authorization reference).
  private mutating func reportMarks(at now: ClockReading) {
    guard authorization.revision != owners.marksRevision else { return }
    var marks: [AppID: [String]] = [:]
    for button in dependencies.buttons.lazy.map(\.profile.name) {
      for app in authorization.markedApps(of: button) { marks[app, default: []].append(button) }
    }
    for app in owners.noteMarks(marks, revision: authorization.revision) {
      owners.notify(.ownerApps, appJSON(app, at: now))
    }
  }

  /// Returns the name of the indication (the LED pattern) that an app may see. Only the requests of this app change the
  /// indication, so that the app learns nothing about prompts or other apps (row B5 of the authorization reference).
  func indication(for app: AppID) -> String {
    let indication: Indication =
      if authorization.isLocked { .locked } else if disclosures.indicator.isUsing(app) { .inUse } else {
        authorization.activity(of: app).map(Indication.init) ?? .off
      }
    return indication.rawValue
  }

  /// Sends each app its indication (the LED pattern), if the indication has changed.
  private mutating func reportIndications() {
    let changed = authorization.takeChangedApps().union(disclosures.indicator.takeChangedUsers())
    for app in sessions.appsToNotify(changed, isLocked: authorization.isLocked).sorted() {
      sessions.show(indication(for: app), to: app)
    }
  }

  // MARK: Time

  /// Handles all deadlines that have passed, for example the hold time of a button or the expiry of a fix.
  mutating func pass(to now: ClockReading) {
    let devices = dependencies.buttons
    let passed = buttons.pass(to: now.monotonic) { name in
      devices.first { $0.profile.name == name }?.input.confirmEdges()
    }
    for (name, acts) in passed { perform(acts, of: name, at: now) }
    if disclosures.indicator.pass(to: now.monotonic) { servePending(at: now) }
    sound.pass(to: now.monotonic, &outputs)
    passReceiver(at: now)
    if disclosures.areUpdatesDue(at: now.monotonic) { servePending(at: now) }
    let slots = disclosures.advanceSlots(receiver.latest, under: authorization, at: now)
    if slots.isNodeNew || slots.isPlaceNew { servePending(at: now) }
    disclosures.saveSlots(&outputs)
    reportCrossings(at: now)
    handle(.timePassed, at: now)
    passDeliveries(at: now)
    passOutbox(at: now)
    disclosures.log.pass(to: now.monotonic, &outputs)
  }

  /// Returns the earliest deadline and the name of the part that waits for the deadline; nil if there is none. The
  /// caller must call `pass(to:)` at this time.
  ///
  /// The function is mutating only to avoid a copy of the whole router for each input.
  /// - Parameter isAhead: Whether to ignore deadlines that have already passed.
  mutating func nextDeadline(after now: MonotonicInstant, isAhead: Bool = false) -> (
    time: MonotonicInstant, of: String
  )? {
    var next: (time: MonotonicInstant, of: String)?
    func compare(_ deadline: (MonotonicInstant?, String)) {
      guard let time = deadline.0, !isAhead || time > now, next.map({ time < $0.time }) ?? true else { return }
      next = (time, deadline.1)
    }
    compare((authorization.nextDeadline, "authorization"))
    if authorization.nextTimeLimit != nil { compare((now + Self.suspensionCheck, "suspension")) }
    compare((receiver.nextDeadline, "receiver"))
    compare((receiver.nextControlDeadline, "receiver control"))
    compare((buttons.nextDeadline, "button"))
    compare((sound.nextDeadline(after: now), "sound"))
    compare((regions.nextDeadline, "region"))
    compare((status.nextDeadline, "status"))
    let deadlines = disclosures.deadlines(after: now)
    for index in deadlines.indices { compare(deadlines[index]) }
    return next
  }

  /// Returns the sign that the wall clock of this machine is wrong; nil if there is none.
  func clockFault(at now: ClockReading) -> ClockFault? {
    disclosures.log.upkeep.clockFault(at: now, received: receiver.liveTime(at: now.monotonic))
  }

  /// Converts an instant in the past to UTC. Returns nil while the wall clock of this machine is wrong.
  func time(of instant: MonotonicInstant, at now: ClockReading) -> UTCTime? {
    clockFault(at: now) == nil ? utc(of: instant, at: now) : nil
  }

  /// Converts an instant in the past to the time of the wall clock of this machine. The monotonic clock does not count
  /// the suspensions of the machine.
  func utc(of instant: MonotonicInstant, at now: ClockReading) -> UTCTime {
    now.utc(at: suspensions.reduce(instant) { instant < $1.end ? $0 - $1.length : $0 })
  }

  /// Begins one maintenance of the disclosure log (the log of fixes sent to apps): the removal of old entries, and a
  /// new anchor (the record of the end of the log).
  mutating func maintainLog(at now: ClockReading) {
    disclosures.log.maintain(
      received: receiver.independentTime(at: now.monotonic), clock: clockFault(at: now),
      retention: configuration.policy.logRetention, &outputs)
  }

  /// Stops the gateway: erases unsent fixes, saves the state, switches the indicator LED and the GNSS receiver off, and
  /// closes the store.
  /// - Returns: The effects that the gateway must perform.
  mutating func stop(at now: ClockReading) -> Outputs {
    endErased(disclosures.erase(.all, &outputs), at: now)
    disclosures.stop(receiver.latest, under: authorization, at: now, &outputs)
    maintainLog(at: now)
    disclosures.indicator.stop(at: now.monotonic)
    sound.stop(at: now.monotonic, &outputs)
    receiver.stop(at: now.monotonic)
    regions.stop(in: &disclosures.log, &outputs)
    disclosures.log.close()
    return outputs
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
