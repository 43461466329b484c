import Authorization
import LineProtocol
import StateStore
import Testing

@testable import Gateway

/// An authorization with the connected apps a and b, and the effect of its latest press.
private struct PressBench {
  private var authorization: Authorization
  private(set) var lastPress = LastPress()
  private var requests: UInt64 = 0
  /// The outputs of sessions. A session of a client has no output.
  var outputs: [SessionID: String] = [:]
  /// The sessions of the outputs that get a fix by each press.
  private var eachPress: Set<SessionID> = []
  /// The outputs for which too many fixes wait.
  var full: [(app: AppID, address: String)] = []

  init(_ configure: (inout Authorization.Configuration) -> Void = { _ in }, confirmed: [AppID] = []) {
    var configuration = Authorization.Configuration()
    configure(&configuration)
    let records = confirmed.map { app in
      var record = AppRecord(app: app)
      record.isButtonConfirmed = true
      return record
    }
    authorization = Authorization(configuration: configuration, records: records)
    handle(.sessionOpened(SessionID(1), a), .zero)
    handle(.sessionOpened(SessionID(2), b), .zero)
  }

  /// Handles an event, and returns the effect of the latest press, with the apps, as in `served a`.
  @discardableResult mutating func handle(_ event: Event, _ time: Duration) -> String? {
    let effects = authorization.handle(event, at: at(time))
    lastPress.note(event, effects, in: authorization, full: full, at: at(time)) { [outputs, eachPress] session in
      outputs[session].map { ($0, eachPress.contains(session)) }
    }
    return effect
  }

  /// The effect of the latest press, with the apps, the outputs that got the fix, and those that did not, as in
  /// `served a file !server`.
  private var effect: String? {
    let missed = (lastPress.reply["last-press-failed"] ?? "").split(separator: ",").map { "!\($0)" }
    return lastPress.effect.map {
      ([$0.rawValue] + lastPress.apps.map(\.name) + lastPress.outputs + missed).joined(separator: " ")
    }
  }

  /// Saves the fix for a request of an output, and returns the effect of the latest press.
  mutating func store(_ fix: Int64, for request: UInt64, _ time: Duration) -> String? {
    lastPress.store(fix, for: RequestID(request))
    return handle(.served(RequestID(request)), time)
  }

  /// Ends a fix for an output, and returns the effect of the latest press.
  mutating func settle(_ fix: Int64, _ outcome: DisclosureOutcome) -> String? {
    lastPress.settle(fix, outcome)
    return effect
  }

  /// Makes a request of app a (1) or b (2).
  mutating func request(
    _ session: UInt64 = 1, _ time: Duration = .zero, timeout: Duration = .seconds(300), kind: RequestKind = .explicit
  ) {
    requests += 1
    if kind == .eachPress { eachPress.insert(SessionID(session)) }
    handle(
      .requested(RequestID(requests), SessionID(session), timeout: timeout, requiresPress: true, kind: kind), time)
  }

  mutating func press(
    _ time: Duration, of button: String = "main", illegible: String? = nil, showsText: Bool = false
  ) -> String? {
    let press = Press(button: button, down: at(time - .milliseconds(100)), up: at(time))
    return handle(.pressed(press, illegible: illegible, showsText: showsText), time)
  }

  mutating func hold(_ time: Duration, multiple: Int = 1) -> String? {
    handle(.held(Hold(button: "main", down: at(time - .seconds(3) * multiple), multiple: multiple)), time)
  }
}

@Test func `the effect of a press names the app, and follows the fix until the app has it`() {
  var bench = PressBench(confirmed: [a])
  #expect(bench.handle(.timePassed, .zero) == nil)
  bench.request()
  #expect(bench.press(.seconds(2)) == "acquiring a")
  #expect(bench.press(.seconds(3)) == "repeated")
  #expect(bench.handle(.served(RequestID(1)), .seconds(4)) == "served a")
  #expect(bench.lastPress.outcome == .served && bench.lastPress.instant == at(.seconds(3)))
  #expect(bench.press(.milliseconds(5500)) == "repeated", "row A8")
  #expect(bench.press(.seconds(7)) == "nothing-waiting")
}

@Test func `a press whose fix fails or whose app withdraws says that the app got no fix`() {
  for event in [Event.failed(RequestID(1)), .cancelled(SessionID(1)), .sessionEnded(SessionID(1))] {
    var bench = PressBench(confirmed: [a])
    bench.request()
    _ = bench.press(.seconds(2))
    #expect(bench.handle(event, .seconds(3)) == "no-fix a", "\(event)")
  }
}

/// An authorization with the confirmed apps a and b, whose sessions belong to outputs.
private func outputBench() -> PressBench {
  var bench = PressBench({ $0.pressServesAll = true }, confirmed: [a, b])
  bench.outputs = [SessionID(1): "file", SessionID(2): "server"]
  return bench
}

@Test(arguments: [
  (DisclosureOutcome.acknowledged, "served a file"), (.erased, "no-fix a !file"), (.refused, "no-fix a !file"),
  (.expired, "unconfirmed a"), (.lost, "unconfirmed a"),
])
func `the effect of a press for an output follows the fix until the output has it`(
  outcome: DisclosureOutcome, effect: String
) {
  var bench = outputBench()
  bench.request()
  #expect(bench.press(.seconds(2)) == "acquiring a")
  #expect(bench.store(7, for: 1, .seconds(3)) == "acquiring a")
  #expect(bench.settle(6, .acknowledged) == "acquiring a", "another fix")
  #expect(bench.settle(7, outcome) == effect)
  #expect(bench.lastPress.outcome == (outcome == .acknowledged ? .served : .granted))
}

@Test func `the effect of a press names the outputs that have the fix, and not those that wait for it`() {
  var bench = outputBench()
  bench.request(1)
  bench.request(2)
  #expect(bench.press(.seconds(2)) == "acquiring a b")
  _ = bench.store(7, for: 1, .seconds(3))
  _ = bench.store(8, for: 2, .seconds(3))
  #expect(bench.settle(8, .acknowledged) == "served b server")
  #expect(bench.settle(7, .acknowledged) == "served b a server file")
}

/// The outputs `file` and `server` of app a, after a press that gives a fix to both.
private func pressedOutputs(_ configure: (inout PressBench) -> Void = { _ in }) -> PressBench {
  var bench = PressBench(confirmed: [a])
  configure(&bench)
  bench.outputs = [SessionID(1): "file", SessionID(3): "server"]
  bench.handle(.sessionOpened(SessionID(3), a), .zero)
  bench.request(1, kind: .eachPress)
  bench.request(3, kind: .eachPress)
  #expect(bench.press(.seconds(2))?.hasPrefix("acquiring a") == true)
  return bench
}

@Test(
  arguments: [
    ([(7, .refused), (8, .acknowledged)], ["acquiring a !file", "served a server !file"]),
    ([(7, .acknowledged), (8, .refused)], ["served a file", "served a file !server"]),
    ([(7, .refused), (8, .erased)], ["acquiring a !file", "no-fix a !file !server"]),
    ([(7, .refused), (8, .expired)], ["acquiring a !file", "unconfirmed a !file"]),
    ([(7, .lost), (8, .refused)], ["acquiring a", "unconfirmed a !server"]),
  ] as [([(Int64, DisclosureOutcome)], [String])])
func `a press gave no fix only after each of its outputs failed, and the effect names those that failed`(
  outcomes: [(Int64, DisclosureOutcome)], effects: [String]
) {
  var bench = pressedOutputs()
  _ = bench.store(7, for: 1, .seconds(3))
  _ = bench.store(8, for: 2, .seconds(3))
  #expect(outcomes.map { bench.settle($0, $1) } == effects)
}

@Test func `an output to which the gateway cannot give the fix does not end the press of another output`() {
  var bench = pressedOutputs()
  #expect(bench.handle(.failed(RequestID(1)), .seconds(3)) == "acquiring a !file")
  #expect(bench.store(8, for: 2, .seconds(3)) == "acquiring a !file")
  #expect(bench.settle(8, .acknowledged) == "served a server !file")
  // Without a fix of the receiver, no output failed.
  bench = pressedOutputs()
  #expect(bench.handle(.sessionEnded(SessionID(1)), .seconds(3)) == "acquiring a")
  #expect(bench.handle(.sessionEnded(SessionID(3)), .seconds(3)) == "no-fix a")
}

@Test func `a press that gives no app a fix names the outputs for which too many fixes wait`() {
  var bench = PressBench({ $0.boundApps = ["side": [b]] }, confirmed: [a, b])
  bench.full = [(a, "file"), (a, "server")]
  #expect(bench.press(.seconds(1)) == "output-full a !file !server")
  #expect(bench.lastPress.outcome == .nothing)
  bench.request(2, .seconds(2))
  #expect(bench.press(.milliseconds(2900)) == "too-early")
  bench.full = []
  #expect(bench.press(.seconds(4)) == "acquiring b")
}

@Test func `a press for another output of an app also names the outputs of the app for which too many fixes wait`() {
  var bench = pressedOutputs { $0.full = [(a, "disk"), (b, "port")] }
  #expect(bench.handle(.failed(RequestID(1)), .seconds(3)) == "acquiring a !disk !file")
  // An app that asks comes before its own outputs.
  bench = PressBench(confirmed: [a])
  bench.full = [(a, "disk")]
  bench.request()
  #expect(bench.press(.seconds(2)) == "acquiring a")
  // The request of an app over its broker is no request of an output for each press.
  bench = outputBench()
  bench.full = [(a, "disk"), (b, "port")]
  bench.request(1)
  #expect(bench.press(.seconds(2)) == "acquiring a")
}

@Test func `while the fix of one app is on its way, the effect does not name an app that got none`() {
  var bench = outputBench()
  bench.request(1)
  bench.request(2)
  _ = bench.press(.seconds(2))
  _ = bench.store(7, for: 1, .seconds(3))
  #expect(bench.settle(7, .refused) == "acquiring b !file")
  #expect(bench.handle(.failed(RequestID(2)), .seconds(3)) == "no-fix a b !file !server")
}

@Test func `a fix of an earlier press that an output gets does not change the effect of the latest press`() {
  var bench = outputBench()
  bench.request()
  _ = bench.press(.seconds(2))
  _ = bench.store(7, for: 1, .seconds(3))
  #expect(bench.press(.seconds(9)) == "nothing-waiting")
  #expect(bench.settle(7, .acknowledged) == "nothing-waiting")
}

@Test func `a press that asks a question follows the question`() {
  func asked() -> PressBench {
    var bench = PressBench()
    bench.request()
    #expect(bench.press(.seconds(2)) == "asked a")
    #expect(bench.lastPress.outcome == .prompt)
    return bench
  }
  var bench = asked()
  #expect(bench.press(.milliseconds(2500)) == "too-early", "the question was not open for a second")
  #expect(bench.press(.seconds(4)) == "acquiring a")

  bench = asked()
  #expect(bench.hold(.seconds(6)) == "denied a")
  #expect(bench.lastPress.outcome == .answered)
  #expect(bench.hold(.seconds(9), multiple: 2) == "locked")

  bench = asked()
  #expect(bench.handle(.answered(prompt: 1, Answer(.no, showsText: true)), .seconds(4)) == "denied a")
  bench = asked()
  #expect(bench.handle(.cancelled(SessionID(1)), .seconds(4)) == "withdrawn a")
  bench = asked()
  #expect(bench.handle(.lockOrdered, .seconds(4)) == "withdrawn a")
}

@Test func `after a question without an answer, a press says that the app must wait`() {
  var bench = PressBench()
  bench.request()
  _ = bench.press(.seconds(2))
  #expect(bench.handle(.timePassed, .seconds(13)) == "unanswered a")
  bench.request(1, .seconds(14))
  #expect(bench.press(.seconds(16)) == "paused a", "the request was refused, so no app waits")
  bench.request(2, .seconds(17))
  #expect(bench.press(.seconds(19)) == "asked b")
}

@Test func `a press without an effect says why`() {
  var bench = PressBench({ $0.boundApps = ["side": [b]] }, confirmed: [a, b])
  #expect(bench.press(.seconds(1)) == "nothing-waiting")
  #expect(bench.lastPress.outcome == .nothing)
  bench.request(1, .seconds(2))
  #expect(bench.press(.milliseconds(2900)) == "too-early")
  #expect(bench.press(.seconds(4), of: "side") == "other-button")
  #expect(bench.press(.seconds(5), illegible: "indicator-dark") == "light-unseen")
  #expect(bench.hold(.seconds(9)) == "locked")
  #expect(bench.press(.seconds(11)) == "while-locked")
  #expect(bench.hold(.seconds(15)) == "unlocked")
  #expect(bench.lastPress.outcome == .unlocked)
  bench = PressBench { $0.restrictedApps = [a] }
  bench.request()
  #expect(bench.press(.seconds(2)) == "restricted a")
}

@Test func `a press that no question and no app was marked for came too early`() {
  // The mark moves from app a to app b less than one second before the press.
  var bench = PressBench(confirmed: [a, b])
  bench.request(1, timeout: .seconds(3))
  bench.request(2)
  #expect(bench.press(.milliseconds(3500)) == "too-early")
  // The question of an app waits until the button was quiet for 2 s.
  bench = PressBench()
  bench.handle(.edge(at(.seconds(1))), .seconds(1))
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .seconds(2))
  #expect(bench.press(.milliseconds(2500)) == "too-early")
}

@Test(
  arguments: [
    (.timePassed, .seconds(4), "allowed a"), (.cancelled(SessionID(1)), .milliseconds(2200), "withdrawn a"),
    (.lockOrdered, .milliseconds(2200), "withdrawn a"),
    (.answered(prompt: 1, Answer(.no, showsText: true)), .milliseconds(2200), "denied a"),
  ] as [(Event, Duration, String)])
func `a press that can become a double press has an effect at the end of this time, or when its question is closed`(
  event: Event, time: Duration, effect: String
) {
  var bench = PressBench()
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .zero)
  #expect(bench.press(.seconds(2), showsText: true) == nil)
  #expect(bench.handle(event, time) == effect)
}

@Test func `an owner's answer to an app's own question is no effect of a press`() {
  var bench = PressBench()
  _ = bench.press(.seconds(1))
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .seconds(4))
  bench.handle(.answered(prompt: 1, Answer(.once, showsText: true)), .seconds(6))
  #expect(bench.handle(.lockOrdered, .seconds(7)) == "nothing-waiting")
}

@Test func `the answer to another question about the app is no effect of the press that asked`() {
  var bench = PressBench()
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .zero)
  bench.request(1)
  #expect(bench.press(.seconds(2)) == "asked a")
  #expect(bench.handle(.answered(prompt: 1, Answer(.once, showsText: true)), .seconds(3)) == "withdrawn a")
}
