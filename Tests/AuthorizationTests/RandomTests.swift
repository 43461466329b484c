import Authorization
import Clocks
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

/// How many random sequences are tried; `ONEFIX_SEQUENCES` asks for another number.
private let sequences: Int = {
  guard let text = unsafe getenv("ONEFIX_SEQUENCES") else { return 100_000 }
  return unsafe Int(String(cString: text)) ?? 100_000
}()

/// The lengths of time that the contract knows.
private let bounds: [Int64] = [
  0, 20 * millisecond, 300 * millisecond, 400 * millisecond, second, 2 * second, 3 * second, 10 * second, 60 * second,
  300 * second, 600 * second,
]

extension SplitMix64 {
  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

  /// A length of time at, or a nanosecond or a millisecond beside, one that the contract knows; mostly short.
  mutating func time() -> Int64 {
    let bound = chance(4) ? bounds.randomElement(using: &self)! : bounds[0..<7].randomElement(using: &self)!
    return max(0, bound + [0, 0, 1, -1, millisecond, -millisecond].randomElement(using: &self)!)
  }

  mutating func scene() -> Scene {
    let apps = Int.random(in: 2...3, using: &self)
    var scene = Scene(standings: (0..<apps).map { _ in Standing.allCases.randomElement(using: &self)! })
    if chance(4) { scene.restricted = [Int.random(in: 0..<apps, using: &self)] }
    if chance(3) { scene.bound[1] = [Int.random(in: 0..<apps, using: &self)] }
    if chance(6) { scene.bound[0] = [0, 1] }
    scene.servesAll = chance(5)
    return scene
  }
}

extension Pair {
  /// Lets anything happen that may.
  mutating func step(_ random: inout SplitMix64, _ lastHold: inout (button: Int, down: Int64)) {
    let anySession = UInt64.random(in: 1..<nextSession, using: &random)
    let moment = now + (random.chance(2) ? 0 : random.time())
    switch Int.random(in: 0..<32, using: &random) {
    case 0..<10:
      now = moment
      let timeouts = [300 * second, 5 * second, 10 * second, 0, second]
      request(anySession, timeout: random.chance(3) ? timeouts.randomElement(using: &random)! : 300 * second)
    case 10..<20:
      // Before what was heard last, or after it; heard at once, or late.
      let down = random.chance(5) ? now - random.time() : now + random.time()
      let lengths = [20 * millisecond, 100 * millisecond, 3 * second - 1]
      let up = down + lengths.randomElement(using: &random)!
      let heard = max(now, up) + (random.chance(4) ? random.time() : 0)
      let button = random.chance(3) ? 1 : 0
      happen(.pressed(button: button, down: down, up: up, illegible: random.chance(12)), at: heard)
    case 20, 21:
      let down = random.chance(4) ? now - random.time() : now + random.time()
      lastHold = (random.chance(3) ? 1 : 0, down)
      happen(.held(button: lastHold.button, down: down, multiple: 1), at: down + 3 * second)
      if random.chance(3) {
        happen(.held(button: lastHold.button, down: down, multiple: 2), at: down + 6 * second)
      }
    case 22:
      happen(
        .held(button: lastHold.button, down: lastHold.down, multiple: 2), at: max(moment, lastHold.down + 6 * second))
    case 23: happen(.cancelled(session: anySession), at: moment)
    case 24:
      happen(.left(session: anySession), at: moment)
      open(Int.random(in: scene.standings.indices, using: &random))
    case 25, 26:
      let prompt = random.chance(6) ? 1 : authorization.prompt?.id ?? 1
      happen(.answered(prompt: prompt, yes: random.chance(2)), at: moment)
    case 27: if random.chance(3) { happen(.lockOrdered, at: moment) }
    case 28, 29:
      let request = authorization.grants.keys.map(\.number).min() ?? UInt64.random(in: 0..<nextRequest, using: &random)
      happen(random.chance(4) ? .failed(request) : .served(request), at: moment)
    default:
      let deadline = authorization.nextDeadline?.nanoseconds ?? moment
      let beside: Int64 = [0, 0, -1, 1, second].randomElement(using: &random)!
      happen(.timePassed, at: random.chance(2) ? moment : deadline + beside)
    }
  }
}

@Test(arguments: 0..<2)
func `random sequences around every bound do what the table says and keep the invariants`(half: Int) {
  var failures = 0
  for number in stride(from: half, to: sequences, by: 2) where failures < 3 {
    var random = SplitMix64(state: UInt64(number) &* 0x1_0000_0001)
    var pair = Pair(random.scene())
    var lastHold = (button: 0, down: pair.now)
    for _ in 0..<Int.random(in: 7...18, using: &random) where pair.complaints.isEmpty {
      if random.chance(60) { pair.restart() } else { pair.step(&random, &lastHold) }
    }
    if let complaint = pair.complaints.first {
      failures += 1
      Issue.record("sequence \(number), \(pair.scene): \(complaint)")
    }
  }
}

// MARK: Invariant 7

/// What one app's sessions are told, in order.
private func told(_ effects: [Effect], to app: Int, _ sessions: Set<UInt64>, _ requests: Set<UInt64>) -> [Outcome] {
  effects.map(Pair.outcome).filter {
    switch $0 {
    case .accepted(let request), .refused(let request, _), .ended(let request, _): requests.contains(request)
    case .served(_, _, let served, _, _), .announced(let served): served == app
    case .told(let session, _): session.map(sessions.contains) ?? true
    case .announcedLock: true
    case .saved, .savedLock, .erased, .shown, .closed, .blipped: false
    }
  }
}

/// What one app is told, and what it would have been told alone in the world. There an act at the button happens only
/// where it did something for this app; and where the kill switch was thrown for another's sake, an owner threw it.
private func views(of app: Int, _ pair: Pair) -> (real: [Outcome], alone: [Outcome]) {
  let id = [a, b, c][app]
  var sessions: Set<UInt64> = []
  var requests: Set<UInt64> = []
  for moment in pair.trace {
    if case .opened(let session, app) = moment.event { sessions.insert(session) }
    if case .requested(let request, let session, _) = moment.event, sessions.contains(session) {
      requests.insert(request)
    }
  }
  var other = Authorization(
    configuration: Pair.configuration(pair.scene), records: [pair.scene.standings[app].record(id)])
  var real: [Outcome] = []
  var alone: [Outcome] = []
  var isLocked = false
  for moment in pair.trace {
    var event = moment.event
    let isKept =
      switch moment.event {
      case .opened(_, let opened): opened == app
      case .left(let session), .cancelled(let session), .requested(_, let session, _): sessions.contains(session)
      case .served(let request), .failed(let request): requests.contains(request)
      case .answered(let prompt, _): moment.asked?.app == id && moment.asked?.id == prompt
      case .held: moment.asked == nil || moment.asked?.app == id
      case .pressed: moment.effects.contains { concerns($0, id, sessions) }
      case .lockOrdered, .timePassed: true
      }
    // Prompts are numbered through all apps.
    if case .answered(_, let yes) = event, let prompt = other.prompt { event = .answered(prompt: prompt.id, yes: yes) }
    // What did not happen there still took its time.
    var time = MonotonicInstant(nanoseconds: moment.time)
    if !isKept {
      if case .pressed(_, _, let up, _) = event { time = MonotonicInstant(nanoseconds: up) }
      event = .timePassed
    }
    var effects = other.handle(Pair.event(event), at: time)
    time = MonotonicInstant(nanoseconds: moment.time)
    for effect in moment.effects { if case .saveLock(let lock) = effect { isLocked = lock } }
    if isLocked, !other.isLocked { effects += other.handle(.lockOrdered, at: time) }
    real += told(moment.effects, to: app, sessions, requests)
    alone += told(effects, to: app, sessions, requests)
  }
  // What is overdue in one of the two is told in both.
  let end = MonotonicInstant(nanoseconds: pair.now)
  var finished = pair.authorization
  real += told(finished.handle(.timePassed, at: end), to: app, sessions, requests)
  alone += told(other.handle(.timePassed, at: end), to: app, sessions, requests)
  return (real, alone)
}

/// Whether a press did something for an app.
private func concerns(_ effect: Effect, _ app: AppID, _ sessions: Set<UInt64>) -> Bool {
  switch effect {
  case .serve(let grant): grant.app == app
  case .show(let prompt): prompt.app == app
  case .tellPress(let session, _): session.map { sessions.contains($0.number) } ?? true
  default: false
  }
}

@Test func `7: what an app is told, it could be told in a world in which no other app exists`() {
  var failures = 0
  var servedOthers = 0
  for number in 0..<sequences / 4 where failures < 3 {
    var random = SplitMix64(state: ~UInt64(number))
    let scene = random.scene()
    var pair = Pair(scene, isTraced: true)
    var lastHold = (button: 0, down: pair.now)
    for _ in 0..<Int.random(in: 7...18, using: &random) { pair.step(&random, &lastHold) }
    for app in scene.standings.indices {
      for moment in pair.trace where moment.effects.served.contains(where: { $0.app != [a, b, c][app] }) {
        servedOthers += 1
      }
      let (real, alone) = views(of: app, pair)
      guard real != alone else { continue }
      failures += 1
      let what = "\(real), alone \(alone)".replacing("AuthorizationTests.", with: "")
      Issue.record("sequence \(number), \(scene), app \(app): \(what)")
    }
  }
  #expect(failures > 0 || servedOthers >= sequences / 20, "too little happened: \(servedOthers)")
}
