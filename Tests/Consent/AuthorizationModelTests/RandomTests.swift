import AppStandings
import Authorization
import Base
import LineProtocol
import SeededNumbers
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The number of random sequences. `ONEFIX_SEQUENCES` sets another number.
let sequences: Int = {
  guard let text = unsafe getenv("ONEFIX_SEQUENCES") else { return 20_000 }
  return unsafe Int(String(cString: text)) ?? 20_000
}()

/// The durations in the contract.
private let bounds: [Int64] = [
  0, 20 * millisecond, 300 * millisecond, 400 * millisecond, second, 2 * second, 3 * second, 5 * second, 10 * second,
  60 * second, 300 * second, 600 * second, 900 * second, 3600 * second, 8 * 3600 * second, 24 * 3600 * second,
]

extension SplitMix64 {
  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }

  mutating func pick<T>(_ some: [T]) -> T { some[Int.random(in: 0..<some.count, using: &self)] }

  /// Returns a duration of the contract, or one that differs from it by a nanosecond or a millisecond; most often a
  /// short one.
  mutating func time() -> Int64 {
    let bound = chance(6) ? pick(bounds) : bounds[Int.random(in: 0..<8, using: &self)]
    return max(0, bound + pick([0, 0, 1, -1, millisecond, -millisecond]))
  }

  /// Returns random initial states.
  ///
  /// - Parameter standings: The possible states of the apps.
  mutating func scene(_ standings: [Standing] = Standing.allCases) -> Scene {
    let apps = Int.random(in: 1...3, using: &self)
    var scene = Scene(standings: (0..<apps).map { _ in pick(standings) })
    if chance(3) { scene.reduced = [Int.random(in: 0..<apps, using: &self)] }
    if chance(3) { scene.named = [Int.random(in: 0..<apps, using: &self)] }
    if chance(6) { scene.restricted = [Int.random(in: 0..<apps, using: &self)] }
    if chance(6) { scene.displays = [Int.random(in: 0..<apps, using: &self)] }
    if chance(3) { scene.bound[1] = [Int.random(in: 0..<apps, using: &self)] }
    if chance(6) { scene.bound[0] = [0, 1] }
    scene.servesAll = chance(5)
    return scene
  }

  mutating func answer(_ prompt: Prompt?) -> Answer {
    let choices = prompt.map { $0.kind.choices(showsText: true) } ?? PromptChoice.allCases
    return Answer(
      chance(8) ? pick(PromptChoice.allCases) : pick(choices), accuracy: pick([nil, nil, .full, .reduced, .place]),
      showsText: !chance(5))
  }
}

extension Pair {
  /// Handles a random event.
  mutating func step(_ random: inout SplitMix64, _ lastHold: inout (button: Int, down: Int64), mayAsk: Bool = true) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: ask(&random, mayAsk: mayAsk)
    case 5..<9: press(&random)
    case 9: hold(&random, &lastHold)
    case 10..<13: session(&random)
    case 13, 14:
      let prompt = random.chance(2) ? authorization.prompts.randomElement(using: &random) : authorization.prompt
      let number = random.chance(6) ? 1 : prompt?.id ?? 1
      handle(.answered(prompt: number, random.answer(prompt)), at: moment(&random))
    case 15: owner(&random)
    case 16, 17: outcome(&random)
    default:
      let deadline = authorization.nextDeadline?.nanoseconds ?? moment(&random)
      handle(.timePassed, at: random.chance(2) ? moment(&random) : deadline + random.pick([0, 0, -1, 1, second]))
    }
  }

  /// Checks that nothing becomes due before the next deadline. Between deadlines, the gateway does not handle the passing
  /// of time, so a deadline that is missing would make it late.
  mutating func passTimeUntilDeadline() {
    let deadline = authorization.nextDeadline?.nanoseconds ?? now + 90 * 86_400 * second
    // After a press that is handled late, effects that are due follow with the next event.
    guard deadline > now else { return }
    var later = authorization
    let effects = later.handle(.timePassed, at: MonotonicInstant(nanoseconds: deadline - 1))
    let isSame =
      names.allSatisfy { later.activity(of: $0) == authorization.activity(of: $0) }
      && later.prompt?.id == authorization.prompt?.id
      && buttonNames.allSatisfy { later.markedRequests(of: $0) == authorization.markedRequests(of: $0) }
    if effects.isEmpty, isSame { return }
    watch.violations.append("before the deadline \(deadline), the authorization did \(effects.map(Self.outcome))")
  }

  private func moment(_ random: inout SplitMix64) -> Int64 { now + (random.chance(2) ? 0 : random.time()) }

  private func anySession(_ random: inout SplitMix64) -> UInt64 {
    let first = nextSession > 4 && !random.chance(8) ? nextSession - 4 : 1
    return UInt64.random(in: first..<nextSession, using: &random)
  }

  private mutating func ask(_ random: inout SplitMix64, mayAsk: Bool) {
    let session = anySession(&random)
    now = moment(&random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<3:
      let timeout = random.chance(3) ? random.pick([300 * second, 5 * second, 10 * second, 0, second]) : 300 * second
      let kind = random.chance(4) ? random.pick([RequestKind.watching, .polling, .eachPress]) : .explicit
      request(
        session, timeout: kind.isImplicit ? 48 * 3600 * second : timeout,
        needsPress: kind == .eachPress || random.chance(2), kind)
    case 3, 4: start(session, background: random.chance(2))
    case 5, 6: if mayAsk { ask(session, random.pick(RequestedAuthorization.allCases)) }
    default:
      let app = Int.random(in: scene.standings.indices, using: &random)
      handle(
        .crossed(app: app, RegionEvent(region: random.pick(["home", "work"]), isEntry: random.chance(2))), at: now)
    }
  }

  private mutating func press(_ random: inout SplitMix64) {
    if random.chance(10) { handle(.edge(now), at: now) }
    // The press is before or after the last edge, and is handled immediately or late.
    let down = random.chance(5) ? now - random.time() : now + random.time()
    let up = down + random.pick([20 * millisecond, 100 * millisecond, 3 * second - 1])
    let heard = max(now, up) + (random.chance(4) ? random.time() : 0)
    let button = random.chance(3) ? 1 : 0
    let text = random.chance(2)
    handle(.pressed(button: button, down: down, up: up, illegible: random.chance(12), text: text), at: heard)
    guard text, random.chance(2) else { return }
    let second = up + random.pick([0, 100 * millisecond, 379 * millisecond, 380 * millisecond, 381 * millisecond])
    handle(
      .pressed(button: button, down: second, up: second + 20 * millisecond, illegible: false, text: true),
      at: max(now, second + 20 * millisecond))
  }

  private mutating func hold(_ random: inout SplitMix64, _ lastHold: inout (button: Int, down: Int64)) {
    if random.chance(3) {
      let time = max(now + (random.chance(2) ? 0 : random.time()), lastHold.down + 6 * second)
      handle(.held(button: lastHold.button, down: lastHold.down, multiple: 2), at: time)
      return
    }
    let down = random.chance(4) ? now - random.time() : now + random.time()
    lastHold = (random.chance(3) ? 1 : 0, down)
    handle(.held(button: lastHold.button, down: down, multiple: 1), at: down + 3 * second)
    if random.chance(3) { handle(.held(button: lastHold.button, down: down, multiple: 2), at: down + 6 * second) }
  }

  private mutating func session(_ random: inout SplitMix64) {
    let number = anySession(&random)
    let time = moment(&random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1: handle(.moved(session: number, background: true), at: time)
    case 2: handle(.moved(session: number, background: false), at: time)
    case 3, 4:
      handle(.lost(session: number), at: time)
      // The client reconnects without its token and requests again.
      guard random.chance(3), let app = authorization.sessions[SessionID(number)]?.app else { break }
      open(Self.number(app))
      request(nextSession - 1, needsPress: true)
    case 5, 6: handle(.resumed(session: number), at: time)
    case 7: handle(.cancelled(session: number), at: time)
    case 8: handle(.stopped(session: number), at: time)
    case 9:
      handle(.left(session: number), at: time)
      open(Int.random(in: scene.standings.indices, using: &random))
    default: open(Int.random(in: scene.standings.indices, using: &random))
    }
  }

  private mutating func owner(_ random: inout SplitMix64) {
    let app = Int.random(in: scene.standings.indices, using: &random)
    let time = moment(&random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: handle(.setStatus(app: app, random.pick(AuthorizationStatus.allCases)), at: time)
    case 1:
      let length = random.pick([random.time(), 60 * second, 2 * 3600 * second, 60 * 86_400 * second])
      handle(.setStatus(app: app, random.pick([.whenInUse, .always]), length: length), at: time)
    case 2: handle(.setAccuracy(app: app, random.pick(FixAccuracy.allCases)), at: time)
    case 3..<6: handle(.use(app: app), at: time)
    case 6: handle(.reset(app: app), at: time)
    default: if random.chance(2) { handle(.lockOrdered, at: time) }
    }
  }

  private mutating func outcome(_ random: inout SplitMix64) {
    let time = moment(&random)
    if random.chance(4) { return _ = handle(.surfaces(random.chance(2)), at: time) }
    if random.chance(4) { return _ = handle(.used(until: time + random.time()), at: time) }
    if random.chance(8) { return sleep(random.chance(2) ? random.time() : 3600 * second) }
    if random.chance(8) { return _ = handle(.legible(!random.chance(3)), at: time) }
    let running = authorization.grants.keys.map(\.number) + authorization.updates.values.map(\.request.number)
    let request = running.min() ?? UInt64.random(in: 0..<nextRequest, using: &random)
    handle(random.chance(4) ? .failed(request) : .served(request), at: time)
  }
}

@Test(arguments: 0..<2)
func `random sequences around every bound agree with the model and keep the invariants`(half: Int) {
  var failures = 0
  for number in stride(from: half, to: sequences, by: 2) where failures < 3 {
    var random = SplitMix64(seed: UInt64(number) &* 0x1_0000_0001)
    var pair = Pair(random.scene())
    var lastHold = (button: 0, down: pair.now)
    for _ in 0..<Int.random(in: 7...24, using: &random) where pair.violations.isEmpty {
      if random.chance(60) { pair.restart() } else { pair.step(&random, &lastHold) }
      pair.passTimeUntilDeadline()
    }
    if let complaint = pair.violations.first {
      failures += 1
      Issue.record("sequence \(number), \(pair.scene): \(complaint)")
    }
  }
}

@Test func `the random sequences reach every kind of effect`() {
  var seen: Set<String> = []
  for number in 0..<3000 {
    var random = SplitMix64(seed: UInt64(number) &* 0x1_0000_0001)
    var pair = Pair(random.scene(), isTraced: true)
    var lastHold = (button: 0, down: pair.now)
    for _ in 0..<24 { pair.step(&random, &lastHold) }
    for outcome in pair.trace.lazy.flatMap(\.effects).map(Pair.outcome) {
      switch outcome {
      case .refused(_, let why): seen.insert("refused \("\(why)".prefix { $0 != "(" })")
      case .ended(_, let why): seen.insert("ended \("\(why)".prefix { $0 != "(" })")
      case .served(_, _, _, let right, _, _): seen.insert("served \(right)")
      case .began(_, _, _, let right, let background, _): seen.insert("began \(right) \(background)")
      case .shown(_, let kind, _, _): seen.insert("shown \(kind)")
      case .closed(_, let how): seen.insert("closed \(how)")
      case .pressReported(_, let news): seen.insert("reported \("\(news)".prefix { $0 != "(" })")
      default: seen.insert(String("\(outcome)".prefix { $0 != "(" }.split(separator: ".").last!))
      }
    }
  }
  let expected: Set = [
    "saved", "forgotten", "answerRecorded", "rightEnded", "savedLock", "accepted", "acquiring", "asking", "presented",
    "withheld", "erased", "announced", "announcedLock", "crossingSent", "ownersNotified", "sessionEnded", "blipped",
    "legibilityRequested",
    "refused locked", "refused alreadyArmed", "refused alreadyStarted", "refused notDetermined", "refused denied",
    "refused restricted", "refused notInUse", "refused illegible", "refused tooSoon", "refused noSession",
    "ended cancelled", "ended sessionEnded", "ended noPress", "ended denied", "ended locked", "ended expired",
    "ended notInUse", "ended illegible", "ended changed", "ended takenOver",
    "served once", "served allowedOnce", "served whenInUse", "served always", "began allowedOnce false",
    "began whenInUse false", "began whenInUse true", "began always false", "began always true",
    "shown confirm", "shown introduce", "shown authorize", "shown authorizeAlways", "shown upgrade", "shown always",
    "shown precise", "closed yes", "closed no", "closed unanswered", "closed withdrawn", "closed locked",
    "reported authorized", "reported restricted", "reported locked", "reported nothingArmed", "reported armedTooLate",
    "reported illegible",
  ]
  #expect(seen.symmetricDifference(expected) == [])
}
