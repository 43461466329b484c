import Clocks
import Hardware
import Testing

@testable import Gateway

@Suite struct ButtonsTests {
  private func ready(_ names: String...) -> Buttons {
    var buttons = Buttons(names.map { ButtonProfile(name: $0) })
    for name in names { _ = buttons.handle(.event(.initial(.inactive, at: at(.zero)), of: name), at: at(.zero)) }
    return buttons
  }

  private func edge(_ activity: LineActivity, _ time: Duration) -> EdgeEvent { .edge(Edge(activity, at: at(time))) }

  @Test func `buttons are ready when the first level of each is known`() {
    var buttons = Buttons([ButtonProfile(name: "main"), ButtonProfile(name: "aft")])
    #expect(!buttons.areReady)
    #expect(buttons.handle(.event(.initial(.inactive, at: at(.zero)), of: "main"), at: at(.zero)).lines == ["ready"])
    #expect(buttons.isReady("main") && !buttons.isReady("aft") && !buttons.areReady)
    _ = buttons.handle(.event(.initial(.active, at: at(.zero)), of: "aft"), at: at(.zero))
    #expect(buttons.areReady)
    // A line that is active at the start is no press.
    #expect(!buttons.isDown)
  }

  @Test func `a press goes down, then up, then counts`() {
    var buttons = ready("main")
    #expect(
      buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1))).lines == [
        "edge", "down main",
      ])
    #expect(buttons.isDown)
    #expect(
      buttons.handle(.event(edge(.inactive, .milliseconds(1200)), of: "main"), at: at(.milliseconds(1200))).lines
        == ["edge", "up main", "press main 200"])
    #expect(!buttons.isDown)
  }

  @Test func `a hold counts when the hold time and the transit of an edge have passed, and again after twice that`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1)))
    for multiple in [1, 2] {
      let deadline = at(.seconds(1 + 3 * multiple)) + Buttons.transit
      #expect(buttons.nextDeadline == deadline)
      #expect(buttons.handle(.timePassed, at: deadline - .nanoseconds(1)).lines == [])
      #expect(buttons.handle(.timePassed, at: deadline).lines == ["up main", "hold main \(multiple)"])
    }
    #expect(buttons.handle(.event(edge(.inactive, .seconds(9)), of: "main"), at: at(.seconds(9))).lines == ["edge"])
  }

  @Test func `a release just before the hold time is a press, although it arrives after it`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1)))
    #expect(buttons.handle(.timePassed, at: at(.seconds(4)) + .milliseconds(4)).lines == [])
    #expect(
      buttons.handle(.event(edge(.inactive, .milliseconds(3999)), of: "main"), at: at(.milliseconds(4004))).lines
        == ["edge", "up main", "press main 2999"])
  }

  @Test func `a short press is no hold although the gateway receives its release only after the hold time`() {
    var buttons = ready("main")
    let late = at(.seconds(8))
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: late)
    #expect(buttons.handle(.timePassed, at: late).lines == ["confirm main"])
    #expect(
      buttons.handle(.event(edge(.inactive, .milliseconds(1100)), of: "main"), at: late).lines
        == ["edge", "up main", "press main 100"])
    #expect(buttons.handle(.event(.confirmed(until: late), of: "main"), at: late).lines == [])
  }

  @Test func `a button that is lost during a confirmation works again when it returns`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1)))
    #expect(buttons.handle(.timePassed, at: at(.seconds(5))).lines == ["confirm main"])
    _ = buttons.handle(.absent("main", cause: "unplugged"), at: at(.seconds(5)))
    _ = buttons.handle(.event(.initial(.inactive, at: at(.seconds(6))), of: "main"), at: at(.seconds(6)))
    _ = buttons.handle(.event(edge(.active, .seconds(7)), of: "main"), at: at(.seconds(7)))
    #expect(buttons.nextDeadline == at(.seconds(10)) + Buttons.transit)
  }

  @Test func `a press during which the button goes away counts for nothing, and the owner reads of it once`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1)))
    let absent = Buttons.Input.absent("main", cause: "unplugged")
    #expect(buttons.handle(absent, at: at(.milliseconds(1500))).lines == ["log warning: button absent", "up main"])
    #expect(buttons.handle(absent, at: at(.seconds(2))).lines == [])
    #expect(buttons.faults == "main:absent" && buttons.hasFault && buttons.goodness == ["main": 0])
    #expect(
      buttons.handle(.event(.initial(.inactive, at: at(.seconds(3))), of: "main"), at: at(.seconds(3))).lines
        == ["log notice: button present again", "ready"])
    #expect(buttons.faults == nil && !buttons.hasFault && buttons.goodness == ["main": 1])
  }

  @Test func `a press during which events were lost counts for nothing`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(1)))
    #expect(
      buttons.handle(.event(.lost(now: .inactive, at: at(.seconds(2))), of: "main"), at: at(.seconds(2))).lines
        == ["log warning: button events were lost: the current press has no effect", "up main"])
    #expect(!buttons.isDown)
  }

  @Test func `a button that is active for a minute is stuck until it is released`() {
    var buttons = ready("main")
    _ = buttons.handle(.event(edge(.active, .zero), of: "main"), at: at(.zero))
    #expect(buttons.handle(.timePassed, at: at(.seconds(61))).lines == ["confirm main"])
    let lines = buttons.handle(.event(.confirmed(until: at(.seconds(61))), of: "main"), at: at(.seconds(61))).lines
    #expect(lines.last == "log warning: button stuck: it has no effect until it is released")
    #expect(buttons.faults == "main:stuck")
    let released = buttons.handle(.event(edge(.inactive, .seconds(70)), of: "main"), at: at(.seconds(70))).lines
    #expect(released == ["edge", "log notice: button released: it has effect again"])
    #expect(buttons.faults == nil)
  }

  @Test func `each button has its own state, and the earliest deadline counts`() {
    var buttons = ready("main", "aft")
    _ = buttons.handle(.event(edge(.active, .seconds(2)), of: "aft"), at: at(.seconds(2)))
    _ = buttons.handle(.event(edge(.active, .seconds(1)), of: "main"), at: at(.seconds(2)))
    #expect(buttons.nextDeadline == at(.seconds(4)) + Buttons.transit)
    _ = buttons.handle(.event(edge(.inactive, .seconds(3)), of: "main"), at: at(.seconds(3)))
    #expect(buttons.isDown)
  }

  @Test func `events of an unknown button are ignored`() {
    var buttons = ready("main")
    #expect(buttons.handle(.event(edge(.active, .seconds(1)), of: "aft"), at: at(.seconds(1))).lines == [])
    #expect(buttons.handle(.absent("aft", cause: "x"), at: at(.seconds(1))).lines == [])
    #expect(!buttons.hasFault)
  }
}
