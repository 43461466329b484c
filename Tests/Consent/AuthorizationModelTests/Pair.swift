import AppStandings
import Authorization
import Base
import LineProtocol

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000
let names = [a, b, c]
let buttonNames = ["main", "side"]

/// A configuration with the initial states of the apps.
struct Scene: Sendable, CustomStringConvertible {
  var standings: [Standing]
  var reduced: Set<Int> = []
  /// The apps that receive names of places.
  var named: Set<Int> = []
  var restricted: Set<Int> = []
  var displays: Set<Int> = []
  var bound: [Set<Int>?] = [nil, nil]
  var servesAll = false

  var description: String {
    "\(standings) reduced \(reduced) named \(named) restricted \(restricted) displays \(displays) bound \(bound) all \(servesAll)"
  }

  func record(_ app: Int) -> AppRecord {
    var record = standings[app].record(names[app])
    if reduced.contains(app) { record.accuracy = .reduced }
    if named.contains(app) { record.accuracy = .place }
    return record
  }

  var configuration: Authorization.Configuration {
    var configuration = Authorization.Configuration()
    configuration.pressServesAll = servesAll
    configuration.restrictedApps = Set(restricted.map { names[$0] })
    configuration.displays = Set(displays.map { names[$0] })
    configuration.hasButtonForAllApps = bound.contains(nil)
    for (button, apps) in bound.enumerated() {
      if let apps { configuration.boundApps[buttonNames[button]] = Set(apps.map { names[$0] }) }
    }
    return configuration
  }

  var model: TableModel {
    let fresh = TableModel.ModelRecord(status: .notDetermined, isConfirmed: false, accuracy: .full)
    return TableModel(
      apps: standings.indices.map { app in
        TableModel.App(
          kept: Pair.kept(record(app)), isRestricted: restricted.contains(app), isDisplay: displays.contains(app))
      }, fresh: standings.map { _ in fresh }, buttons: bound, servesAll: servesAll, marks: bound.map { _ in [] })
  }
}

/// A handled event with its effects.
struct TraceEntry {
  var event: ModelEvent
  var time: Int64
  var effects: [Effect]
  /// The prompt that was open before the event.
  var asked: Prompt?
}

/// The authorization and the model of the table, which handle the same events.
struct Pair {
  var authorization: Authorization
  var model: TableModel
  var watch: InvariantChecker
  var now: Int64 = 3600 * second
  var nextRequest: UInt64 = 1
  var nextSession: UInt64 = 1
  /// The time for which the machine has slept.
  var slept: Int64 = 0
  let scene: Scene
  /// The handled events, if they are recorded.
  var trace: [TraceEntry] = []
  let isTraced: Bool
  /// The differences and violations that were found.
  var violations: [String] { watch.violations }

  init(_ scene: Scene, isTraced: Bool = false) {
    self.scene = scene
    self.isTraced = isTraced
    let records = scene.standings.indices.map(scene.record)
    authorization = Authorization(configuration: scene.configuration, records: records)
    watch = InvariantChecker(records: records, servesAll: scene.servesAll)
    model = scene.model
    for app in scene.standings.indices { open(app) }
  }

  mutating func sleep(_ time: Int64) {
    slept += time
    handle(.slept(total: slept), at: now)
  }

  mutating func open(_ app: Int) {
    handle(.opened(session: nextSession, app: app), at: now)
    nextSession += 1
  }

  mutating func request(
    _ session: UInt64, timeout: Int64 = 300 * second, needsPress: Bool, _ kind: RequestKind = .explicit
  ) {
    handle(.requested(nextRequest, session: session, timeout: timeout, needsPress: needsPress, kind: kind), at: now)
    nextRequest += 1
  }

  mutating func start(_ session: UInt64, background: Bool) {
    handle(.started(nextRequest, session: session, background: background), at: now)
    nextRequest += 1
  }

  mutating func ask(_ session: UInt64, _ requested: RequestedAuthorization) {
    handle(.asked(nextRequest, session: session, requested), at: now)
    nextRequest += 1
  }

  /// Restarts the process from its saved state. All sessions must connect again.
  mutating func restart() {
    authorization = Authorization(
      configuration: scene.configuration, records: Array(watch.kept.values), isLocked: watch.isLockSaved)
    var fresh = scene.model
    for app in fresh.apps.indices { fresh.apps[app].kept = model.apps[app].kept }
    fresh.isLocked = model.isLocked
    model = fresh
    watch.restart()
    sleep(0)
    for app in scene.standings.indices { open(app) }
  }

  @discardableResult
  mutating func handle(_ event: ModelEvent, at time: Int64) -> [Effect] {
    now = max(now, time)
    let before = authorization
    let effects = authorization.handle(Self.event(event), at: MonotonicInstant(nanoseconds: now))
    let expected = model.handle(event, at: now)
    let outcomes = effects.map(Self.outcome)
    var rest = expected
    var isSame = outcomes.count == expected.count
    for outcome in outcomes {
      if let index = rest.firstIndex(of: outcome) { rest.remove(at: index) } else { isSame = false }
    }
    if !isSame {
      let did = "\(event) at \(now): the authorization did \(outcomes), but the table requires \(expected)"
      watch.violations.append(did.replacing("AuthorizationModelTests.", with: "").replacing("Authorization.", with: ""))
    }
    if isTraced { trace.append(TraceEntry(event: event, time: now, effects: effects, asked: before.prompt)) }
    watch.check(event, now, before, authorization, effects)
    compareDisplays()
    compareAuthorizations()
    for case .close(let prompt, _) in effects {
      let next = authorization.nextPress(beside: prompt, of: buttonNames)
      if next != .otherwise(nil), next != .otherwise(.anotherButton) {
        watch.violations.append("beside the closed prompt \(prompt.id): \(next)")
      }
    }
    return effects
  }

  /// Compares the values that only displays for owners show with the values of the model.
  private mutating func compareDisplays() {
    for app in model.apps.indices where authorization.isForEachPress(names[app]) != model.isForEachPress(app) {
      watch.violations.append("the display is wrong whether only outputs of \(names[app]) wait")
    }
    for (button, name) in buttonNames.enumerated()
    where authorization.markedPrompt(of: name)?.id != model.markedPrompt(of: button) {
      watch.violations.append("the display shows a wrong prompt at the button \(name)")
    }
    for prompt in authorization.prompts {
      if authorization.answerDeadline(of: prompt).nanoseconds != model.answerDeadline(of: prompt.id) {
        watch.violations.append("the display shows a wrong end of the prompt \(prompt.id)")
      }
      for buttons in [[1], [0, 1]] {
        let next = authorization.nextPress(beside: prompt, of: buttons.map { buttonNames[$0] })
        let expected = model.nextPress(beside: prompt.id, of: buttons)
        if next != expected {
          watch.violations.append("beside the prompt \(prompt.id): \(next), not \(String(describing: expected))")
        }
      }
    }
  }

  /// Compares the authorization that each session sees with that of the model.
  private mutating func compareAuthorizations() {
    for client in model.clients {
      let (app, session) = (names[client.app], SessionID(client.number))
      let seen = (authorization.visibleStatus(of: app, in: session), authorization.accuracy(of: app, in: session))
      let expected = model.visible(to: client)
      if seen != expected { watch.violations.append("\(session) sees \(seen), but the table requires \(expected)") }
    }
  }

  // MARK: Translation

  static func event(_ happening: ModelEvent) -> Event {
    switch happening {
    case .opened(let session, let app): .sessionOpened(SessionID(session), names[app])
    case .lost(let session): .sessionLost(SessionID(session))
    case .resumed(let session): .sessionResumed(SessionID(session))
    case .left(let session): .sessionEnded(SessionID(session))
    case .moved(let session, let background): .stateChanged(SessionID(session), isInBackground: background)
    case .requested(let request, let session, let timeout, let needsPress, let kind):
      .requested(
        RequestID(request), SessionID(session), timeout: .nanoseconds(timeout), requiresPress: needsPress,
        kind: kind)
    case .cancelled(let session): .cancelled(SessionID(session))
    case .started(let request, let session, let background):
      .started(RequestID(request), SessionID(session), background: background)
    case .stopped(let session): .stopped(SessionID(session))
    case .asked(let request, let session, let requested): .asked(RequestID(request), SessionID(session), requested)
    case .crossed(let app, let event): .regionCrossed(names[app], event)
    case .edge(let time): .edge(MonotonicInstant(nanoseconds: time))
    case .pressed(let button, let down, let up, let illegible, let text):
      .pressed(
        Press(
          button: buttonNames[button], down: MonotonicInstant(nanoseconds: down), up: MonotonicInstant(nanoseconds: up)),
        illegible: illegible ? "dark" : nil, showsText: text)
    case .held(let button, let down, let multiple):
      .held(Hold(button: buttonNames[button], down: MonotonicInstant(nanoseconds: down), multiple: multiple))
    case .answered(let prompt, let answer): .answered(prompt: prompt, answer)
    case .setStatus(let app, let status, let length):
      .ordered(.setStatus(names[app], status, for: length.map { .nanoseconds($0) }))
    case .setAccuracy(let app, let accuracy): .ordered(.setAccuracy(names[app], accuracy))
    case .use(let app): .ordered(.use(names[app]))
    case .reset(let app): .ordered(.reset(names[app]))
    case .lockOrdered: .lockOrdered
    case .served(let request): .served(RequestID(request))
    case .failed(let request): .failed(RequestID(request))
    case .surfaces(let areOpen): .surfacesChanged(areOpen: areOpen)
    case .used(let end): .useShown(until: MonotonicInstant(nanoseconds: end))
    case .legible(let isLegible): .legibilityChecked(isLegible ? nil : "dark")
    case .slept(let total): .resumed(suspended: .nanoseconds(total))
    case .timePassed: .timePassed
    }
  }

  static func kept(_ record: AppRecord) -> TableModel.ModelRecord {
    TableModel.ModelRecord(
      status: record.status, isConfirmed: record.isButtonConfirmed, accuracy: record.accuracy,
      isProvisional: record.isProvisional, seesAlwaysUntil: record.seesAlwaysUntil?.nanoseconds,
      upgradeAsked: record.hasAskedUpgrade, pauseUntil: record.promptPause?.until.nanoseconds,
      pauseLength: record.promptPause?.length.clampedNanoseconds, turn: record.lastServed,
      end: record.timeLimit?.end.nanoseconds, back: record.timeLimit?.formerStatus,
      isBackProvisional: record.timeLimit?.wasProvisional ?? false)
  }

  static func number(_ app: AppID) -> Int { names.firstIndex(of: app)! }

  static func outcome(_ effect: Effect) -> Outcome {
    switch effect {
    case .save(let record): .saved(app: number(record.app), kept(record))
    case .forget(let app): .forgotten(app: number(app))
    case .saveLock(let isLocked): .savedLock(isLocked)
    case .accept(let request): .accepted(request.number)
    case .acquire(let request): .acquiring(request.number)
    case .ask(let request): .asking(request.number)
    case .present(let request): .presented(request.number)
    case .refuse(let request, let why): .refused(request.number, why)
    case .end(let request, let why): .ended(request.number, why)
    case .serve(let grant):
      .served(
        request: grant.request.number, session: grant.session.number, app: number(grant.app), right: grant.right,
        notBefore: grant.notBefore.nanoseconds, expires: grant.expires.nanoseconds)
    case .begin(let updates):
      .began(
        request: updates.request.number, session: updates.session.number, app: number(updates.app),
        right: updates.right, background: updates.goesOnInBackground, notBefore: updates.notBefore.nanoseconds)
    case .withhold(let request): .withheld(request.number)
    case .eraseUndelivered(let app): .erased(app: app.map(number))
    case .notifyPress(let session, let news): .pressReported(session: session?.number, news)
    case .announce(let app): .announced(app: number(app))
    case .announceLock(let isLocked): .announcedLock(isLocked)
    case .notifyRegion(let app, let event): .crossingSent(app: number(app), event)
    case .notifyOwners(let app, let event): .ownersNotified(app: number(app), event)
    case .endSession(let session): .sessionEnded(session.number)
    case .show(let prompt):
      .shown(app: number(prompt.app), prompt.kind, at: prompt.shown.nanoseconds, until: prompt.deadline.nanoseconds)
    case .close(let prompt, let why): .closed(app: number(prompt.app), why)
    case .recordAnswer(let prompt, let choice, let accuracy):
      .answerRecorded(app: number(prompt.app), prompt.kind, choice, accuracy)
    case .recordEnd(let app, let right, let status):
      .rightEnded(app: number(app), right == .always ? .always : .whenInUse, back: status)
    case .blip(let blip): .blipped(blip)
    case .checkLegibility: .legibilityRequested
    }
  }
}
