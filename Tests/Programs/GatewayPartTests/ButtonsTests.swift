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

  /// Takes an event.
  /// - Returns: the acts of the person, and the outputs.
  private func take(_ event: EdgeEvent, of name: String = "main", _ buttons: inout Buttons) -> [String] {
    var acts: [ButtonAct] = []
    let outputs = lines { acts = buttons.take(event, of: name, &$0) }
    return acts.map(text) + outputs
  }

  private func lose(_ name: String, _ buttons: inout Buttons, _ time: Duration) -> [String] {
    var acts: [ButtonAct] = []
    let outputs = lines { acts = buttons.lose(name, cause: "unplugged", at: at(time), &$0) }
    return acts.map(text) + outputs
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

  private func edge(_ activity: LineActivity, _ time: Duration) -> EdgeEvent { .edge(Edge(activity, at: at(time))) }

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

  @Test func `a press goes down, then up, then counts`() {
    var buttons = ready("main")
    #expect(
      take(edge(.active, .seconds(1)), &buttons) == ["down"])
    #expect(buttons.progress(at: at(.zero)) != nil)
    #expect(
      take(edge(.inactive, .milliseconds(1200)), &buttons)
        == ["press 200"])
    #expect(buttons.progress(at: at(.zero)) == nil)
  }

  @Test func `a hold counts when the hold time and the transit of an edge have passed, and again after twice that`() {
    var buttons = ready("main")
    _ = take(edge(.active, .seconds(1)), &buttons)
    for multiple in [1, 2] {
      let deadline = at(.seconds(1 + 3 * multiple)) + Buttons.transit
      #expect(buttons.nextDeadline == deadline)
      #expect(pass(&buttons, to: deadline - .nanoseconds(1)) == [])
      #expect(pass(&buttons, to: deadline) == ["hold \(multiple)"])
    }
    #expect(take(edge(.inactive, .seconds(9)), &buttons) == [])
  }

  @Test func `a release just before the hold time is a press, although it arrives after it`() {
    var buttons = ready("main")
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(pass(&buttons, to: at(.seconds(4)) + .milliseconds(4)) == [])
    #expect(
      take(edge(.inactive, .milliseconds(3999)), &buttons)
        == ["press 2999"])
  }

  @Test func `a short press is no hold although the gateway receives its release only after the hold time`() {
    var buttons = ready("main")
    let late = at(.seconds(8))
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(pass(&buttons, to: late) == ["confirm main"])
    #expect(
      take(edge(.inactive, .milliseconds(1100)), &buttons)
        == ["press 100"])
    #expect(take(.confirmed(until: late), &buttons) == [])
  }

  @Test func `a button that is lost during a confirmation works again when it returns`() {
    var buttons = ready("main")
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(pass(&buttons, to: at(.seconds(5))) == ["confirm main"])
    _ = lose("main", &buttons, .seconds(5))
    _ = take(.initial(.inactive, at: at(.seconds(6))), &buttons)
    _ = take(edge(.active, .seconds(7)), &buttons)
    #expect(buttons.nextDeadline == at(.seconds(10)) + Buttons.transit)
  }

  @Test func `a press during which the button goes away counts for nothing, and the owner reads of it once`() {
    var buttons = ready("main")
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(lose("main", &buttons, .milliseconds(1500)) == ["abandoned", "log warning: button absent"])
    #expect(lose("main", &buttons, .seconds(2)) == [])
    #expect(buttons.faults == "main:absent" && buttons.hasFault && buttons.goodness == ["main": 0])
    #expect(
      take(.initial(.inactive, at: at(.seconds(3))), &buttons)
        == ["log notice: button present again", "ready"])
    #expect(buttons.faults == nil && !buttons.hasFault && buttons.goodness == ["main": 1])
  }

  @Test func `a press during which events were lost counts for nothing`() {
    var buttons = ready("main")
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(
      take(.lost(now: .inactive, at: at(.seconds(2))), &buttons)
        == ["abandoned", "log warning: button events were lost: the current press has no effect"])
    #expect(buttons.progress(at: at(.zero)) == nil)
  }

  @Test func `a button that is active for a minute is stuck until it is released`() {
    var buttons = ready("main")
    _ = take(edge(.active, .zero), &buttons)
    #expect(pass(&buttons, to: at(.seconds(61))) == ["confirm main"])
    let lines = take(.confirmed(until: at(.seconds(61))), &buttons)
    #expect(lines.last == "stuck")
    #expect(buttons.faults == "main:stuck")
    let released = take(edge(.inactive, .seconds(70)), &buttons)
    #expect(released == ["recovered"])
    #expect(buttons.faults == nil)
  }

  @Test func `each button has its own state, and the earliest deadline counts`() {
    var buttons = ready("main", "aft")
    _ = take(edge(.active, .seconds(2)), of: "aft", &buttons)
    _ = take(edge(.active, .seconds(1)), &buttons)
    #expect(buttons.nextDeadline == at(.seconds(4)) + Buttons.transit)
    _ = take(edge(.inactive, .seconds(3)), &buttons)
    #expect(buttons.progress(at: at(.zero)) != nil)
  }

  @Test func `events of an unknown button are ignored`() {
    var buttons = ready("main")
    #expect(take(edge(.active, .seconds(1)), of: "aft", &buttons) == [])
    #expect(lose("aft", &buttons, .seconds(1)) == [])
    #expect(!buttons.hasFault)
  }
}
