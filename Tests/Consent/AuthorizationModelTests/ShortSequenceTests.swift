import AppStandings
import Base
import LineProtocol
import Testing

@testable import Authorization

/// An event of the exhaustive tests. Each event has a fixed duration.
private enum Step: Hashable {
  /// A request in the first session of the app with this number.
  case request(Int), requestStanding(Int), watch(Int), poll(Int), start(Int), startBehind(Int)
  /// The each-press request of an output of the app: in its first session, or in a session of another output.
  case output(Int), otherOutput(Int)
  case ask(Int, RequestedAuthorization), cancel(Int), stop(Int)
  case behind(Int), front(Int), lose(Int), resume(Int), cross(Int)
  case press, pressSoon, pressSide, pressRead, hold, holdOn
  case answer(PromptChoice, accuracy: FixAccuracy? = nil, showsText: Bool = true)
  case wait, waitForGrace, waitForDeadline, serve, dark, lock, surfaces, showUse
  case set(Int, AuthorizationStatus), setAccuracy(Int, FixAccuracy), use(Int), reset(Int)
  case limit(Int, AuthorizationStatus), sleep

  func apply(to pair: inout Pair, lastHold: inout Int64) {
    let now = pair.now
    func press(_ button: Int, after: Int64, text: Bool = false) {
      let down = now + after
      pair.handle(
        .pressed(button: button, down: down, up: down + 100 * millisecond, illegible: false, text: text),
        at: down + 100 * millisecond)
    }
    func session(_ app: Int) -> UInt64 { UInt64(app + 1) }
    switch self {
    case .request(let app): pair.request(session(app), timeout: app == 0 ? 15 * second : 300 * second, needsPress: true)
    case .requestStanding(let app): pair.request(session(app), timeout: 15 * second, needsPress: false)
    case .watch(let app):
      pair.request(session(app), timeout: 24 * 3600 * second, needsPress: false, .watching)
    case .poll(let app):
      pair.request(session(app), timeout: 24 * 3600 * second, needsPress: false, .polling)
    case .output(let app): pair.request(session(app), timeout: 24 * 3600 * second, needsPress: true, .eachPress)
    case .otherOutput(let app):
      let other = session(app) + 10
      if pair.authorization.sessions[SessionID(other)] == nil {
        pair.handle(.opened(session: other, app: app), at: now)
      }
      pair.request(other, timeout: 24 * 3600 * second, needsPress: true, .eachPress)
    case .start(let app): pair.start(session(app), background: false)
    case .startBehind(let app): pair.start(session(app), background: true)
    case .ask(let app, let requested): pair.ask(session(app), requested)
    case .cancel(let app): pair.handle(.cancelled(session: session(app)), at: now + millisecond)
    case .stop(let app): pair.handle(.stopped(session: session(app)), at: now + millisecond)
    case .behind(let app): pair.handle(.moved(session: session(app), background: true), at: now + millisecond)
    case .front(let app): pair.handle(.moved(session: session(app), background: false), at: now + 3 * second)
    case .lose(let app): pair.handle(.lost(session: session(app)), at: now + millisecond)
    case .resume(let app): pair.handle(.resumed(session: session(app)), at: now + 3 * second)
    case .cross(let app):
      pair.handle(.crossed(app: app, RegionEvent(region: "home", isEntry: true)), at: now + millisecond)
    // The times are exactly at the bounds of answers and guards. The random tests cover the nanoseconds around them.
    case .press: press(0, after: second)
    case .pressSoon: press(0, after: 300 * millisecond - 1)
    case .pressSide: press(1, after: 2 * second)
    case .pressRead:
      let shown = pair.authorization.turn?.since?.nanoseconds ?? now
      press(0, after: max(0, shown + second - now), text: true)
    case .hold:
      lastHold = now + 400 * millisecond
      pair.handle(.held(button: 0, down: lastHold, multiple: 1), at: lastHold + 3 * second)
    case .holdOn: pair.handle(.held(button: 0, down: lastHold, multiple: 2), at: lastHold + 6 * second)
    case .wait: pair.handle(.timePassed, at: now + 2 * second)
    // While updates run, each deadline is the next check of the indicator, and thus at most 1 s later.
    case .waitForGrace: pair.handle(.timePassed, at: now + 5 * second)
    case .waitForDeadline:
      pair.handle(.timePassed, at: pair.authorization.nextDeadline?.nanoseconds ?? now + 600 * second)
    case .serve:
      let request = pair.authorization.grants.keys.min() ?? pair.authorization.updates.values.map(\.request).min()
      pair.handle(.served(request?.number ?? 1), at: now + millisecond)
    case .answer(let choice, let accuracy, let showsText):
      let prompt = (pair.authorization.prompt ?? pair.authorization.prompts.first)?.id ?? 1
      let answer = Answer(choice, accuracy: accuracy, showsText: showsText)
      pair.handle(.answered(prompt: prompt, answer), at: now + millisecond)
    case .dark: pair.handle(.legible(false), at: now + millisecond)
    case .surfaces: pair.handle(.surfaces(true), at: now + millisecond)
    case .showUse: pair.handle(.used(until: now + 2 * second), at: now + millisecond)
    case .lock: pair.handle(.lockOrdered, at: now + millisecond)
    case .set(let app, let status): pair.handle(.setStatus(app: app, status), at: now + millisecond)
    case .limit(let app, let status):
      pair.handle(.setStatus(app: app, status, length: 7200 * second), at: now + millisecond)
    case .sleep: pair.sleep(7000 * second)
    case .setAccuracy(let app, let accuracy): pair.handle(.setAccuracy(app: app, accuracy), at: now + millisecond)
    case .use(let app): pair.handle(.use(app: app), at: now + millisecond)
    case .reset(let app): pair.handle(.reset(app: app), at: now + millisecond)
    }
  }
}

private struct Group: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let scene: Scene
  let steps: [Step]
}

private let groups = [
  Group(
    testDescription: "A1, A2, A6, A8", scene: Scene(standings: [.new, .confirmed], bound: [nil, [1]]),
    steps: [.request(0), .request(1), .press, .pressSoon, .pressSide, .hold, .waitForDeadline]),
  Group(
    testDescription: "A4, D2", scene: Scene(standings: [.new, .denied], bound: [nil, [0]]),
    steps: [.request(0), .request(1), .press, .hold, .holdOn, .answer(.yes)]),
  Group(
    testDescription: "A3, D4", scene: Scene(standings: [.whenInUse, .confirmed]),
    steps: [.request(0), .request(1), .cancel(0), .press, .serve, .lock]),
  Group(
    testDescription: "prompts and the button", scene: Scene(standings: [.new, .confirmed, .new]),
    steps: [
      .ask(0, .whenInUse), .ask(2, .whenInUse), .request(1), .cancel(1), .cancel(0), .pressRead, .waitForDeadline,
    ]),
  Group(
    testDescription: "prompts and one-time uses", scene: Scene(standings: [.new, .whenInUse]),
    steps: [.ask(0, .whenInUse), .request(0), .showUse, .press, .pressRead, .hold, .waitForDeadline]),
  Group(
    testDescription: "back-off", scene: Scene(standings: [.new, .confirmed]),
    steps: [.ask(0, .whenInUse), .request(1), .surfaces, .cancel(0), .cancel(1), .wait, .waitForDeadline]),
  Group(
    testDescription: "requests that a pause ends", scene: Scene(standings: [.new, .new]),
    steps: [.ask(1, .whenInUse), .request(1), .pressRead, .waitForDeadline]),
  Group(
    testDescription: "A5: apps that no press can serve",
    scene: Scene(standings: [.new, .confirmed, .confirmed], restricted: [2], bound: [[0, 2], [0]]),
    steps: [.ask(0, .whenInUse), .ask(1, .whenInUse), .request(1), .request(2), .pressRead]),
  Group(
    testDescription: "implicit arms", scene: Scene(standings: [.confirmed, .new, .whenInUse]),
    steps: [.watch(0), .watch(1), .request(1), .request(2), .ask(1, .whenInUse), .press, .pressRead]),
  Group(
    testDescription: "B4, D5: implicit arms of denied apps",
    scene: Scene(standings: [.confirmed, .denied, .whenInUse], restricted: [2]),
    steps: [.watch(0), .watch(1), .watch(2), .request(1), .set(0, .denied), .reset(1), .press]),
  Group(
    testDescription: "A1, A6, A8, B4: each-press requests of outputs", scene: Scene(standings: [.confirmed, .new]),
    steps: [.output(0), .otherOutput(0), .output(1), .request(1), .press, .serve, .set(0, .denied)]),
  Group(
    testDescription: "A1: each-press requests of outputs of a new app",
    scene: Scene(standings: [.new, .confirmed], servesAll: true),
    steps: [
      .output(0), .otherOutput(0), .output(1), .press, .answer(.yes, accuracy: .reduced), .hold, .waitForDeadline,
    ]),
  Group(
    testDescription: "A8: clients that poll", scene: Scene(standings: [.confirmed, .confirmed, .new]),
    steps: [.poll(0), .poll(2), .request(1), .press, .wait, .serve, .answer(.yes)]),
  Group(
    testDescription: "B1", scene: Scene(standings: [.new, .confirmed]),
    steps: [.ask(0, .whenInUse), .request(1), .wait, .pressRead, .answer(.whileUsing), .hold, .start(0)]),
  Group(
    testDescription: "B1, B6: allow once", scene: Scene(standings: [.new]),
    steps: [
      .ask(0, .whenInUse), .answer(.once, accuracy: .reduced), .start(0), .behind(0), .waitForGrace, .waitForDeadline,
      .requestStanding(0),
    ]),
  Group(
    testDescription: "B2, B3, B7", scene: Scene(standings: [.new, .whenInUse]),
    steps: [.ask(0, .always), .ask(1, .always), .answer(.whileUsing), .answer(.always), .press, .waitForDeadline]),
  Group(
    testDescription: "B5", scene: Scene(standings: [.provisional, .refused]),
    steps: [.start(0), .requestStanding(1), .cross(0), .answer(.always), .answer(.keep), .waitForDeadline, .stop(0)]),
  Group(
    testDescription: "B5: out of use", scene: Scene(standings: [.provisional]),
    steps: [.use(0), .startBehind(0), .start(0), .behind(0), .waitForDeadline, .answer(.always), .serve]),
  Group(
    testDescription: "B5: after another prompt of the app, whose answer pauses its prompts",
    scene: Scene(standings: [.provisional], reduced: [0]),
    steps: [.ask(0, .fullAccuracy), .answer(.no), .setAccuracy(0, .full), .cross(0)]),
  Group(
    testDescription: "B5, D2: a hold during the prompt of another app", scene: Scene(standings: [.provisional, .new]),
    steps: [.cross(0), .ask(1, .whenInUse), .hold, .start(0), .answer(.always)]),
  Group(
    testDescription: "C1 to C4", scene: Scene(standings: [.whenInUse, .confirmed]),
    steps: [.use(0), .start(0), .startBehind(0), .behind(0), .front(0), .waitForDeadline]),
  Group(
    testDescription: "C5, C6", scene: Scene(standings: [.always, .whenInUse], displays: [1]),
    steps: [.start(0), .requestStanding(0), .start(1), .dark, .lose(0), .resume(0)]),
  Group(
    testDescription: "D1, D5", scene: Scene(standings: [.whenInUse, .new]),
    steps: [
      .request(0), .use(0), .start(0), .set(0, .always), .set(0, .notDetermined), .reset(0), .setAccuracy(0, .reduced),
    ]),
  Group(
    testDescription: "D6", scene: Scene(standings: [.new, .provisional]),
    steps: [
      .limit(0, .whenInUse), .limit(0, .always), .limit(1, .always), .set(0, .whenInUse), .start(0), .sleep,
      .waitForDeadline,
    ]),
  Group(
    testDescription: "B3, D6", scene: Scene(standings: [.denied]),
    steps: [
      .limit(0, .whenInUse), .ask(0, .always), .answer(.always), .set(0, .denied), .lock, .waitForDeadline, .request(0),
    ]),
  Group(
    testDescription: "D3", scene: Scene(standings: [.whenInUse], reduced: [0]),
    steps: [.ask(0, .fullAccuracy), .answer(.yes), .press, .wait, .start(0), .behind(0), .waitForDeadline]),
  Group(
    testDescription: "D3: updates in the background", scene: Scene(standings: [.whenInUse], reduced: [0]),
    steps: [.ask(0, .fullAccuracy), .answer(.yes), .startBehind(0), .behind(0), .waitForGrace]),
  Group(
    testDescription: "B1, D1, D3, D5: names of places", scene: Scene(standings: [.new], named: [0]),
    steps: [
      .ask(0, .whenInUse), .answer(.whileUsing, accuracy: .place), .answer(.once, accuracy: .reduced, showsText: false),
      .ask(0, .fullAccuracy), .answer(.yes), .start(0), .setAccuracy(0, .reduced),
    ]),
  Group(
    testDescription: "B5: names of places", scene: Scene(standings: [.provisional], named: [0]),
    steps: [.cross(0), .requestStanding(0), .answer(.always), .answer(.always, accuracy: .reduced), .waitForDeadline]),
]

@Test(arguments: groups.indices)
func `every sequence of up to six events agrees with the model`(index: Int) {
  let group = groups[index]
  var count = 0
  var failures = 0
  func descend(_ pair: Pair, _ lastHold: Int64, _ path: [Step]) {
    for step in group.steps where failures < 3 {
      var next = pair
      var hold = lastHold
      step.apply(to: &next, lastHold: &hold)
      count += 1
      if let complaint = next.violations.first {
        failures += 1
        Issue.record("\(group.testDescription): \((path + [step]).map { "\($0)" }): \(complaint)")
      } else if path.count < 5 {
        descend(next, hold, path + [step])
      }
    }
  }
  descend(Pair(group.scene), 0, [])
  if failures == 0 {
    let expected = (1...6).reduce(0) { sum, length in
      sum + (0..<length).reduce(1) { power, _ in power * group.steps.count }
    }
    #expect(count == expected)
  }
}
