import Authorization
import Base
import LineProtocol
import Testing

@testable import Gateway

/// An authorization with the connected apps a and b, and the effect of its latest press.
private struct PressBench {
  private var authorization: Authorization
  private(set) var lastPress = LastPress()
  private var requests: UInt64 = 0

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

  mutating func handle(_ event: Event, _ time: Duration) {
    let effects = authorization.handle(event, at: at(time))
    lastPress.note(event, effects, in: authorization, at: at(time))
  }

  /// Makes a request of app a (1) or b (2).
  mutating func request(_ session: UInt64 = 1, _ time: Duration = .zero, timeout: Duration = .seconds(300)) {
    requests += 1
    handle(
      .requested(RequestID(requests), SessionID(session), timeout: timeout, requiresPress: true, kind: .explicit), time)
  }

  mutating func press(_ time: Duration, of button: String = "main", illegible: String? = nil, showsText: Bool = false) {
    let press = Press(button: button, down: at(time - .milliseconds(100)), up: at(time))
    handle(.pressed(press, illegible: illegible, showsText: showsText), time)
  }

  mutating func hold(_ time: Duration, multiple: Int = 1) {
    handle(.held(Hold(button: "main", down: at(time - .seconds(3) * multiple), multiple: multiple)), time)
  }

  /// The effect with the apps, as in `served a`.
  var effect: String? {
    lastPress.effect.map { ([$0.rawValue] + lastPress.apps.map(\.name)).joined(separator: " ") }
  }
}

@Test func `the effect of a press names the app, and follows the fix until the app has it`() {
  var bench = PressBench(confirmed: [a])
  #expect(bench.effect == nil)
  bench.request()
  bench.press(.seconds(2))
  #expect(bench.effect == "acquiring a")
  bench.press(.seconds(3))
  #expect(bench.effect == "repeated")
  bench.handle(.served(RequestID(1)), .seconds(4))
  #expect(bench.effect == "served a" && bench.lastPress.outcome == .served)
  #expect(bench.lastPress.instant == at(.seconds(3)))
  bench.press(.milliseconds(5500))
  #expect(bench.effect == "repeated", "row A8")
  bench.press(.seconds(7))
  #expect(bench.effect == "nothing-waiting")
}

@Test func `a press whose fix fails or whose app withdraws says that the app got no fix`() {
  for event in [Event.failed(RequestID(1)), .cancelled(SessionID(1)), .sessionEnded(SessionID(1))] {
    var bench = PressBench(confirmed: [a])
    bench.request()
    bench.press(.seconds(2))
    bench.handle(event, .seconds(3))
    #expect(bench.effect == "no-fix a", "\(event)")
  }
}

@Test func `a press for all apps names each app that got a fix`() {
  var bench = PressBench({ $0.pressServesAll = true }, confirmed: [a, b])
  bench.request(1)
  bench.request(2)
  bench.press(.seconds(2))
  #expect(bench.effect == "acquiring a b")
  bench.handle(.served(RequestID(2)), .seconds(3))
  #expect(bench.effect == "served b")
  bench.handle(.failed(RequestID(1)), .seconds(3))
  #expect(bench.effect == "served b")
}

@Test func `a press that asks a question follows the question`() {
  func asked() -> PressBench {
    var bench = PressBench()
    bench.request()
    bench.press(.seconds(2))
    #expect(bench.effect == "asked a" && bench.lastPress.outcome == .prompt)
    return bench
  }
  var bench = asked()
  bench.press(.milliseconds(2500))
  #expect(bench.effect == "too-early", "the question was not open for a second")
  bench.press(.seconds(4))
  #expect(bench.effect == "acquiring a")

  bench = asked()
  bench.hold(.seconds(6))
  #expect(bench.effect == "denied a" && bench.lastPress.outcome == .answered)
  bench.hold(.seconds(9), multiple: 2)
  #expect(bench.effect == "locked")

  bench = asked()
  bench.handle(.answered(prompt: 1, Answer(.no, showsText: true)), .seconds(4))
  #expect(bench.effect == "denied a")
  bench = asked()
  bench.handle(.cancelled(SessionID(1)), .seconds(4))
  #expect(bench.effect == "withdrawn a")
}

@Test func `after a question without an answer, a press says that the app must wait`() {
  var bench = PressBench()
  bench.request()
  bench.press(.seconds(2))
  bench.handle(.timePassed, .seconds(13))
  #expect(bench.effect == "unanswered a")
  bench.request(1, .seconds(14))
  bench.press(.seconds(16))
  #expect(bench.effect == "paused a", "the request was refused, so no app waits")
  bench.request(2, .seconds(17))
  bench.press(.seconds(19))
  #expect(bench.effect == "asked b")
}

@Test func `a press without an effect says why`() {
  var bench = PressBench({ $0.boundApps = ["side": [b]] }, confirmed: [a, b])
  bench.press(.seconds(1))
  #expect(bench.effect == "nothing-waiting" && bench.lastPress.outcome == .nothing)
  bench.request(1, .seconds(2))
  bench.press(.milliseconds(2900))
  #expect(bench.effect == "too-early")
  bench.press(.seconds(4), of: "side")
  #expect(bench.effect == "other-button")
  bench.press(.seconds(5), illegible: "indicator-dark")
  #expect(bench.effect == "light-unseen")
  bench.hold(.seconds(9))
  #expect(bench.effect == "locked")
  bench.press(.seconds(11))
  #expect(bench.effect == "while-locked")
  bench.hold(.seconds(15))
  #expect(bench.effect == "unlocked" && bench.lastPress.outcome == .unlocked)
  bench = PressBench { $0.restrictedApps = [a] }
  bench.request()
  bench.press(.seconds(2))
  #expect(bench.effect == "restricted a")
}

@Test func `a press that no question and no app was marked for came too early`() {
  // The mark moves from app a to app b less than one second before the press.
  var bench = PressBench(confirmed: [a, b])
  bench.request(1, timeout: .seconds(3))
  bench.request(2)
  bench.press(.milliseconds(3500))
  #expect(bench.effect == "too-early")
  // The question of an app waits until the button was quiet for 2 s.
  bench = PressBench()
  bench.handle(.edge(at(.seconds(1))), .seconds(1))
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .seconds(2))
  bench.press(.milliseconds(2500))
  #expect(bench.effect == "too-early")
}

@Test func `only the second press of a double press, or its absence, is an effect`() {
  var bench = PressBench()
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .zero)
  bench.press(.seconds(2), showsText: true)
  #expect(bench.effect == nil)
  bench.handle(.timePassed, .seconds(4))
  #expect(bench.effect == "allowed a")
}

@Test func `an owner's answer to an app's own question is no effect of a press`() {
  var bench = PressBench()
  bench.press(.seconds(1))
  bench.handle(.asked(RequestID(9), SessionID(1), .whenInUse), .seconds(4))
  bench.handle(.answered(prompt: 1, Answer(.once, showsText: true)), .seconds(6))
  bench.handle(.lockOrdered, .seconds(7))
  #expect(bench.effect == "nothing-waiting")
}
