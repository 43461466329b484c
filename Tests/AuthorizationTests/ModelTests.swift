import Authorization
import Clocks
import Testing

/// Deterministic random numbers. (S. Vigna, splitmix64.c)
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000
private let names = [a, b, c]
private let buttonNames = ["main", "side"]

/// One configuration and the states in which it begins.
struct Scene: Sendable, CustomStringConvertible {
  var standings: [Standing]
  var restricted: Set<Int> = []
  var bound: [Set<Int>?] = [nil, nil]
  var servesAll = false
  var description: String { "\(standings) restricted \(restricted) bound \(bound) all \(servesAll)" }
}

/// An event as it was handled, and what came of it.
struct Moment {
  var event: Happening
  var time: Int64
  var effects: [Effect]
  /// The prompt that was open before.
  var asked: Prompt?
}

/// The authorization and the table's model side by side.
struct Pair {
  var authorization: Authorization
  var model: TableModel
  /// What a store has kept of the records; it must never lag behind.
  var kept: [AppID: AppRecord]
  var isLockKept = false
  var now: Int64 = 3600 * second
  var nextRequest: UInt64 = 1
  var nextSession: UInt64 = 1
  let scene: Scene
  /// When each request was accepted.
  var accepted: [UInt64: Int64] = [:]
  /// What happened, where it is wanted.
  var trace: [Moment] = []
  let isTraced: Bool
  /// What has gone wrong.
  var complaints: [String] = []

  init(_ scene: Scene, isTraced: Bool = false) {
    self.scene = scene
    self.isTraced = isTraced
    let records = zip(names, scene.standings).map { $1.record($0) }
    kept = Dictionary(uniqueKeysWithValues: records.map { ($0.app, $0) })
    authorization = Authorization(configuration: Self.configuration(scene), records: records)
    model = TableModel(
      apps: scene.standings.enumerated().map { index, standing in
        let record = standing.record(names[index])
        return TableModel.App(
          status: record.status, isConfirmed: record.isButtonConfirmed, isRestricted: scene.restricted.contains(index))
      }, buttons: scene.bound, servesAll: scene.servesAll)
    for app in scene.standings.indices { open(app) }
  }

  static func configuration(_ scene: Scene) -> Authorization.Configuration {
    var configuration = Authorization.Configuration()
    configuration.pressServesAll = scene.servesAll
    configuration.restrictedApps = Set(scene.restricted.map { names[$0] })
    for (button, apps) in scene.bound.enumerated() {
      if let apps { configuration.boundApps[buttonNames[button]] = Set(apps.map { names[$0] }) }
    }
    return configuration
  }

  mutating func open(_ app: Int) {
    happen(.opened(session: nextSession, app: app), at: now)
    nextSession += 1
  }

  mutating func request(_ session: UInt64, timeout: Int64) {
    happen(.requested(nextRequest, session: session, timeout: timeout), at: now)
    nextRequest += 1
  }

  /// The process dies and starts again from what was kept; every session must come back.
  mutating func restart() {
    authorization = Authorization(
      configuration: Self.configuration(scene), records: Array(kept.values), isLocked: isLockKept)
    var fresh = model
    for app in fresh.apps.indices {
      fresh.apps[app].armed = nil
      fresh.apps[app].granted = nil
    }
    fresh.sessions = [:]
    fresh.open = nil
    fresh.prompts = 0
    fresh.saidNo = nil
    fresh.lockedAt = TableModel.never
    fresh.closedWithoutPress = TableModel.never
    fresh.oneTimeEnded = TableModel.never
    model = fresh
    for app in scene.standings.indices { open(app) }
  }

  @discardableResult
  mutating func happen(_ event: Happening, at time: Int64) -> [Effect] {
    now = max(now, time)
    let before = authorization
    let effects = authorization.handle(Self.event(event), at: MonotonicInstant(nanoseconds: now))
    let expected = model.happen(event, at: now)
    let outcomes = effects.map(Self.outcome)
    var rest = expected
    var isSame = outcomes.count == expected.count
    for outcome in outcomes {
      if let index = rest.firstIndex(of: outcome) { rest.remove(at: index) } else { isSame = false }
    }
    if !isSame {
      let did = "\(event) at \(now): did \(outcomes), the table says \(expected)"
      complaints.append(did.replacing("AuthorizationTests.", with: "").replacing("Authorization.", with: ""))
    }
    if isTraced { trace.append(Moment(event: event, time: now, effects: effects, asked: before.prompt)) }
    check(event, before, effects)
    return effects
  }

  /// The invariants, from outside.
  private mutating func check(_ event: Happening, _ before: Authorization, _ effects: [Effect]) {
    var served = 0
    var saves = kept
    for effect in effects {
      switch effect {
      case .save(let record): saves[record.app] = record
      case .saveLock(let isLocked): isLockKept = isLocked
      case .accept(let request): accepted[request.number] = now
      case .announceLock(let isLocked):
        if isLockKept != isLocked { complaints.append("a lock was told before it was kept") }
      case .announce(let app):
        if saves[app] != authorization.records[app] { complaints.append("\(effect) before \(app) was kept") }
      default: break
      }
      if case .serve(let grant) = effect {
        served += 1
        if saves[grant.app] != authorization.records[grant.app] {
          complaints.append("6: \(grant.app) was served before it was kept")
        }
        checkGiven(grant, event, before)
      }
    }
    kept = saves
    if served > 1, !scene.servesAll { complaints.append("2: a press gave \(served) fixes") }
    if kept != authorization.records { complaints.append("6: what is kept is not what is known") }
    if isLockKept != authorization.isLocked { complaints.append("6: the lock is not kept") }
    checkRights(event, before)
    if authorization.isLocked, !authorization.arms.isEmpty || !authorization.grants.isEmpty {
      complaints.append("D4: something is armed or granted while locked")
    }
    if let deadline = authorization.nextDeadline, deadline.nanoseconds < now {
      if case .pressed = event {} else { complaints.append("a deadline stays behind") }
    }
  }
}

extension Pair {
  /// Invariant 2: by a person's act, to an app armed 300 ms before the down edge, for 60 s from the release.
  private mutating func checkGiven(_ grant: Grant, _ event: Happening, _ before: Authorization) {
    switch event {
    case .pressed(_, let down, let up, _):
      if grant.press.down.nanoseconds != down || grant.expires.nanoseconds != up + 60 * second {
        complaints.append("2: a grant that is not this press's")
      }
    case .answered(_, yes: true):
      if grant.press != before.prompt?.press { complaints.append("2: a grant of another press") }
    default: complaints.append("2: served without a person's act")
    }
    guard let since = accepted.removeValue(forKey: grant.request.number) else {
      return complaints.append("2: a request was served that was not armed, or twice")
    }
    if since > grant.press.down.nanoseconds - 300 * millisecond { complaints.append("2: armed too late") }
    if grant.expires.nanoseconds <= now { complaints.append("2: served after its end") }
    if before.isLocked || authorization.isLocked { complaints.append("1: served while locked") }
  }

  /// Invariants 5 and 6: rights change only by a person's act, and grow only by a yes.
  private mutating func checkRights(_ event: Happening, _ before: Authorization) {
    let (isAct, isYes) =
      switch event {
      case .pressed, .answered(_, yes: true): (true, true)
      case .held, .answered(_, yes: false): (true, false)
      default: (false, false)
      }
    for app in names {
      let (old, new) = (before.record(of: app), authorization.record(of: app))
      let isSame =
        old.status == new.status && old.isProvisional == new.isProvisional && old.accuracy == new.accuracy
        && old.isButtonConfirmed == new.isButtonConfirmed
      if !isSame, !isAct || before.prompt?.app != app { complaints.append("5: \(app) changed without an answer") }
      let grows =
        (new.isButtonConfirmed && !old.isButtonConfirmed) || (old.status == .denied && new.status != .denied)
        || new.status == .whenInUse && old.status != .whenInUse || new.status == .always && old.status != .always
      if grows, !isYes { complaints.append("6: the rights of \(app) grew without a yes") }
    }
  }

  static func event(_ happening: Happening) -> Event {
    switch happening {
    case .opened(let session, let app): .sessionOpened(SessionID(session), names[app])
    case .left(let session): .sessionEnded(SessionID(session))
    case .requested(let request, let session, let timeout):
      .requested(RequestID(request), SessionID(session), timeout: .nanoseconds(timeout))
    case .cancelled(let session): .cancelled(SessionID(session))
    case .pressed(let button, let down, let up, let illegible):
      .pressed(
        Press(
          button: buttonNames[button], down: MonotonicInstant(nanoseconds: down), up: MonotonicInstant(nanoseconds: up)),
        illegible: illegible ? "dark" : nil)
    case .held(let button, let down, let multiple):
      .held(Hold(button: buttonNames[button], down: MonotonicInstant(nanoseconds: down), multiple: multiple))
    case .answered(let prompt, let yes): .answered(prompt: prompt, yes: yes)
    case .lockOrdered: .lockOrdered
    case .served(let request): .served(RequestID(request))
    case .failed(let request): .failed(RequestID(request))
    case .timePassed: .timePassed
    }
  }

  static func outcome(_ effect: Effect) -> Outcome {
    func number(_ app: AppID) -> Int { names.firstIndex(of: app)! }
    return switch effect {
    case .save(let record):
      .saved(
        app: number(record.app), status: record.status, isConfirmed: record.isButtonConfirmed,
        pauseUntil: record.promptPause?.until.nanoseconds, pauseLength: record.promptPause?.length.clampedNanoseconds,
        turn: record.lastServed)
    case .saveLock(let isLocked): .savedLock(isLocked)
    case .accept(let request): .accepted(request.number)
    case .refuse(let request, let why): .refused(request.number, why)
    case .end(let request, let why): .ended(request.number, why)
    case .serve(let grant):
      .served(
        request: grant.request.number, session: grant.session.number, app: number(grant.app), right: grant.right,
        expires: grant.expires.nanoseconds)
    case .eraseUndelivered: .erased
    case .tellPress(let session, let news): .told(session: session?.number, news)
    case .announce(let app): .announced(app: number(app))
    case .announceLock(let isLocked): .announcedLock(isLocked)
    case .show(let prompt):
      .shown(
        app: number(prompt.app), prompt.kind, at: prompt.shown.nanoseconds, until: prompt.deadline.nanoseconds)
    case .close(let prompt, let why): .closed(app: number(prompt.app), why)
    case .blip(let blip): .blipped(blip)
    }
  }
}

// MARK: Every short sequence

/// What may happen next in the exhaustive test; each step carries its own time.
enum Step: CaseIterable {
  case requestA, requestB, cancelA, press, pressSoon, pressSide, hold, holdOn, waitForDeadline, serve, answerYes, lock

  func apply(to pair: inout Pair, lastHold: inout Int64) {
    let now = pair.now
    func press(_ button: Int, after: Int64) {
      let down = now + after
      pair.happen(
        .pressed(button: button, down: down, up: down + 100 * millisecond, illegible: false),
        at: down + 100 * millisecond)
    }
    switch self {
    case .requestA: pair.request(1, timeout: 15 * second)
    case .requestB: pair.request(2, timeout: 300 * second)
    case .cancelA: pair.happen(.cancelled(session: 1), at: now + millisecond)
    // Exactly at the bounds of answers and guards; their nanoseconds are the random test's.
    case .press: press(0, after: second)
    case .pressSoon: press(0, after: 300 * millisecond)
    case .pressSide: press(1, after: 2 * second)
    case .hold:
      lastHold = now + 400 * millisecond
      pair.happen(.held(button: 0, down: lastHold, multiple: 1), at: lastHold + 3 * second)
    case .holdOn: pair.happen(.held(button: 0, down: lastHold, multiple: 2), at: lastHold + 6 * second)
    case .waitForDeadline:
      pair.happen(.timePassed, at: pair.authorization.nextDeadline?.nanoseconds ?? now + 600 * second)
    case .serve:
      let request = pair.authorization.grants.keys.min()
      pair.happen(.served(request?.number ?? 1), at: now + millisecond)
    case .answerYes: pair.happen(.answered(prompt: 1, yes: true), at: now + millisecond)
    case .lock: pair.happen(.lockOrdered, at: now + millisecond)
    }
  }
}

private let shortScenes: [(Scene, [Step])] = [
  (
    Scene(standings: [.new, .confirmed], bound: [nil, [1]]),
    [.requestA, .requestB, .press, .pressSoon, .pressSide, .hold, .waitForDeadline]
  ),
  (
    Scene(standings: [.new, .denied], bound: [nil, [0]]),
    [.requestA, .requestB, .press, .pressSide, .hold, .holdOn, .answerYes]
  ),
  (
    Scene(standings: [.whenInUse, .confirmed]),
    [.requestA, .requestB, .cancelA, .press, .pressSoon, .serve, .lock]
  ),
]

@Test(arguments: shortScenes.indices)
func `every sequence of up to six events does what the table says`(index: Int) {
  let (scene, steps) = shortScenes[index]
  var count = 0
  var failures = 0
  func descend(_ pair: Pair, _ lastHold: Int64, _ path: [Step]) {
    for step in steps where failures < 3 {
      var next = pair
      var hold = lastHold
      step.apply(to: &next, lastHold: &hold)
      count += 1
      if let complaint = next.complaints.first {
        failures += 1
        Issue.record("\((path + [step]).map { "\($0)" }): \(complaint)")
      } else if path.count < 5 {
        descend(next, hold, path + [step])
      }
    }
  }
  descend(Pair(scene), 0, [])
  if failures == 0 {
    #expect(
      count == (1...6).reduce(0) { sum, length in sum + (0..<length).reduce(1) { power, _ in power * steps.count } })
  }
}
