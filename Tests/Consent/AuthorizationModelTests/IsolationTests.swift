import AppStandings
import Authorization
import Base
import LineProtocol
import SeededNumbers
import Testing

/// Returns the messages to one app's sessions, in order.
private func messages(_ effects: [Effect], to app: Int, _ sessions: Set<UInt64>, _ requests: Set<UInt64>) -> [Outcome] {
  effects.map(Pair.outcome).filter {
    switch $0 {
    case .accepted(let request), .acquiring(let request), .asking(let request), .presented(let request),
      .refused(let request, _), .ended(let request, _):
      requests.contains(request)
    case .served(_, _, let served, _, _, _), .began(_, _, let served, _, _, _), .announced(let served),
      .crossingSent(let served, _):
      served == app
    case .pressReported(let session, _): session.map(sessions.contains) ?? true
    case .sessionEnded(let session): sessions.contains(session)
    case .announcedLock: true
    case .saved, .forgotten, .savedLock, .withheld, .erased, .ownersNotified, .shown, .closed, .answerRecorded,
      .rightEnded, .blipped, .legibilityRequested:
      false
    }
  }
}

/// Returns the messages to one app, and the messages that it would receive if no other app existed. In that second
/// case, an act at the button happens only if it had an effect for this app. If the kill switch was activated by a hold
/// for another app, an owner activates it instead.
private func views(of app: Int, _ pair: Pair) -> (real: [Outcome], alone: [Outcome]) {
  let id = [a, b, c][app]
  var sessions: Set<UInt64> = []
  var requests: Set<UInt64> = []
  for moment in pair.trace {
    if case .opened(let session, app) = moment.event { sessions.insert(session) }
    switch moment.event {
    case .requested(let request, let session, _, _, _), .started(let request, let session, _):
      if sessions.contains(session) { requests.insert(request) }
    default: break
    }
  }
  var other = Authorization(configuration: pair.scene.configuration, records: [pair.scene.record(app)])
  var real: [Outcome] = []
  var alone: [Outcome] = []
  var isLocked = false
  for moment in pair.trace {
    var event = moment.event
    let isKept =
      switch moment.event {
      case .opened(_, let opened): opened == app
      case .left(let session), .cancelled(let session), .requested(_, let session, _, _, _), .lost(let session),
        .resumed(let session), .moved(let session, _), .started(_, let session, _), .stopped(let session),
        .asked(_, let session, _):
        sessions.contains(session)
      case .crossed(let other, _), .setStatus(let other, _, _), .setAccuracy(let other, _), .use(let other),
        .reset(let other):
        other == app
      case .served(let request), .failed(let request): requests.contains(request)
      case .answered(let prompt, _): moment.asked?.app == id && moment.asked?.id == prompt
      case .held: moment.asked == nil || moment.asked?.app == id
      case .pressed: moment.effects.contains { concerns($0, id, sessions) }
      case .lockOrdered, .timePassed, .legible, .edge, .surfaces, .used, .slept: true
      }
    // Prompts of all apps share one sequence of numbers.
    if case .answered(_, let answer) = event, let prompt = other.prompt { event = .answered(prompt: prompt.id, answer) }
    // An event that does not happen in the second case still takes the same time.
    var time = MonotonicInstant(nanoseconds: moment.time)
    if !isKept {
      if case .pressed(_, _, let up, _, _) = event { time = MonotonicInstant(nanoseconds: up) }
      event = .timePassed
    }
    var effects = other.handle(Pair.event(event), at: time)
    time = MonotonicInstant(nanoseconds: moment.time)
    for effect in moment.effects { if case .saveLock(let lock) = effect { isLocked = lock } }
    if isLocked, !other.isLocked { effects += other.handle(.lockOrdered, at: time) }
    real += messages(moment.effects, to: app, sessions, requests)
    alone += messages(effects, to: app, sessions, requests)
  }
  // Effects that are due in one of the two cases only are included in both.
  let end = MonotonicInstant(nanoseconds: pair.now)
  var finished = pair.authorization
  real += messages(finished.handle(.timePassed, at: end), to: app, sessions, requests)
  alone += messages(other.handle(.timePassed, at: end), to: app, sessions, requests)
  return (real, alone)
}

/// Whether an effect of a press concerns an app.
private func concerns(_ effect: Effect, _ app: AppID, _ sessions: Set<UInt64>) -> Bool {
  switch effect {
  case .serve(let grant): grant.app == app
  case .show(let prompt): prompt.app == app
  case .notifyPress(let session, _): session.map { sessions.contains($0.number) } ?? true
  default: false
  }
}

@Test func `7: an app receives only what it could receive if no other app existed`() {
  // A prompt that waits for its turn at the button affects only the time of its answer, so provisional apps are
  // excluded.
  let standings = Standing.allCases.filter { $0 != .provisional }
  var failures = 0
  var servedOthers = 0
  for number in 0..<sequences / 16 where failures < 3 {
    var random = SplitMix64(seed: ~UInt64(number))
    let scene = random.scene(standings)
    var pair = Pair(scene, isTraced: true)
    var lastHold = (button: 0, down: pair.now)
    for _ in 0..<Int.random(in: 7...18, using: &random) { pair.step(&random, &lastHold, mayAsk: false) }
    for app in scene.standings.indices {
      for case .serve(let grant) in pair.trace.flatMap(\.effects) where grant.app != [a, b, c][app] {
        servedOthers += 1
      }
      let (real, alone) = views(of: app, pair)
      guard real != alone else { continue }
      failures += 1
      let what = "\(real), alone \(alone)".replacing("AuthorizationModelTests.", with: "")
      Issue.record("sequence \(number), \(scene), app \(app): \(what)")
    }
  }
  #expect(failures > 0 || servedOthers >= sequences / 200, "too little happened: \(servedOthers)")
}
