import Base
import Hardware
import Testing

@testable import Gateway

@Suite struct ButtonsTests {
  private func ready(_ names: String...) -> Buttons {
    var buttons = Buttons(names.map { ButtonProfile(name: $0) })
    for name in names { _ = take(.initial(.inactive, at: at(.zero)), of: name, &buttons) }
    return buttons
  }

  /// Returns the acts of the person, and the outputs.
  private func acts(_ body: (inout Outputs) -> [ButtonAct]) -> [String] {
    var acts: [ButtonAct] = []
    let outputs = lines { acts = body(&$0) }
    return acts.map(text) + outputs
  }

  private func take(_ event: EdgeEvent, of name: String = "main", _ buttons: inout Buttons) -> [String] {
    acts { buttons.take(event, of: name, &$0) }
  }

  private func push(_ time: Duration, of name: String = "main", _ buttons: inout Buttons) -> [String] {
    take(.edge(Edge(.active, at: at(time))), of: name, &buttons)
  }

  private func release(_ time: Duration, _ buttons: inout Buttons) -> [String] {
    take(.edge(Edge(.inactive, at: at(time))), &buttons)
  }

  private func lose(_ name: String, _ buttons: inout Buttons, _ time: Duration) -> [String] {
    acts { buttons.lose(name, cause: "unplugged", at: at(time), &$0) }
  }

  /// - Returns: the acts of the person, and the buttons whose edges must be confirmed.
  private func pass(_ buttons: inout Buttons, to now: MonotonicInstant) -> [String] {
    var confirmations: [String] = []
    let passed = buttons.pass(to: now) { confirmations.append("confirm \($0)") }
    return passed.flatMap { $0.acts.map(text) } + confirmations
  }

  private func text(_ act: ButtonAct) -> String {
    switch act {
    case .down: "down"
    case .abandoned: "abandoned"
    case .pressed(let down, let up): "press \((up - down).milliseconds)"
    case .held(_, _, let multiple): "hold \(multiple)"
    case .stuck: "stuck"
    case .recovered: "recovered"
    }
  }

  @Test func `buttons are ready when the first level of each is known`() {
    var buttons = Buttons([ButtonProfile(name: "main"), ButtonProfile(name: "aft")])
    #expect(!buttons.areReady)
    #expect(take(.initial(.inactive, at: at(.zero)), &buttons) == ["ready"])
    #expect(buttons.isReady("main") && !buttons.isReady("aft") && !buttons.areReady)
    _ = take(.initial(.active, at: at(.zero)), of: "aft", &buttons)
    #expect(buttons.areReady)
    // A line that is active at the start is no press.
    #expect(buttons.progress(at: at(.zero)) == nil)
  }

  @Test func `a hold counts when the hold time and the transit of an edge have passed, and again after twice that`() {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    for multiple in [1, 2] {
      let deadline = at(.seconds(1 + 3 * multiple)) + Buttons.transit
      #expect(buttons.nextDeadline == deadline)
      #expect(pass(&buttons, to: deadline - .nanoseconds(1)) == [])
      #expect(pass(&buttons, to: deadline) == ["hold \(multiple)"])
    }
    #expect(release(.seconds(9), &buttons) == [])
  }

  @Test(arguments: [(4004, [], 3999), (8000, ["confirm main"], 1100)] as [(Int, [String], Int)])
  func `a release before the hold time is a press, however late the gateway receives the release`(
    now: Int, confirmations: [String], up: Int
  ) {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    #expect(pass(&buttons, to: at(.milliseconds(now))) == confirmations)
    #expect(release(.milliseconds(up), &buttons) == ["press \(up - 1000)"])
    #expect(take(.confirmed(until: at(.milliseconds(now))), &buttons) == [])
  }

  @Test func `a button that is lost during a confirmation works again when it returns`() {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    #expect(pass(&buttons, to: at(.seconds(5))) == ["confirm main"])
    _ = lose("main", &buttons, .seconds(5))
    _ = take(.initial(.inactive, at: at(.seconds(6))), &buttons)
    _ = push(.seconds(7), &buttons)
    #expect(buttons.nextDeadline == at(.seconds(10)) + Buttons.transit)
  }

  @Test func `a press during which the button goes away counts for nothing, and the owner reads of it once`() {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    #expect(lose("main", &buttons, .milliseconds(1500)) == ["abandoned", "log warning: button absent"])
    #expect(lose("main", &buttons, .seconds(2)) == [])
    #expect(buttons.faults == "main:absent" && buttons.isAnyAbsent && buttons.goodness == ["main": 0])
    let back = take(.initial(.inactive, at: at(.seconds(3))), &buttons)
    #expect(back == ["log notice: button present again", "ready"])
    #expect(buttons.faults == nil && !buttons.isAnyAbsent && buttons.goodness == ["main": 1])
  }

  @Test func `a press during which events were lost counts for nothing`() {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    #expect(
      take(.lost(now: .inactive, at: at(.seconds(2))), &buttons)
        == ["abandoned", "log warning: button events were lost: the current press has no effect"])
    #expect(buttons.progress(at: at(.zero)) == nil)
  }

  @Test func `a stuck button that can no longer be read is absent, and not released`() {
    var buttons = ready("main")
    _ = push(.seconds(1), &buttons)
    _ = take(.confirmed(until: at(.seconds(62))), &buttons)
    #expect(buttons.faults == "main:stuck")
    #expect(lose("main", &buttons, .seconds(63)) == ["log warning: button absent"])
    #expect(buttons.faults == "main:absent")
  }

  @Test func `a button that is active for a minute is stuck until it is released`() {
    var buttons = ready("main")
    _ = push(.zero, &buttons)
    #expect(pass(&buttons, to: at(.seconds(61))) == ["confirm main"])
    #expect(take(.confirmed(until: at(.seconds(61))), &buttons).last == "stuck")
    #expect(buttons.faults == "main:stuck" && !buttons.isAnyAbsent)
    #expect(release(.seconds(70), &buttons) == ["recovered"])
    #expect(buttons.faults == nil)
  }

  @Test func `each button has its own state, an unknown one has none, and the earliest deadline counts`() {
    var buttons = ready("main", "aft")
    #expect(push(.seconds(1), of: "unknown", &buttons) == [])
    #expect(lose("unknown", &buttons, .seconds(1)) == [])
    #expect(!buttons.isAnyAbsent && buttons.nextDeadline == nil)
    _ = push(.seconds(2), of: "aft", &buttons)
    _ = push(.seconds(1), &buttons)
    #expect(buttons.nextDeadline == at(.seconds(4)) + Buttons.transit)
    _ = release(.seconds(3), &buttons)
    #expect(buttons.progress(at: at(.zero)) != nil)
  }
}
