import Clocks
import ControlledBoard
import Hardware
import ReceiverStream
import RecordingClients
import Testing
import UBX

@testable import Gateway

@Suite struct ReceiverControlTests {
  private let power = RecordingPowerSwitch()

  private func control(_ port: FakePort? = FakePort(), name: String = "uart:test") -> ReceiverControl {
    let settings = ReceiverSettings(port: .uart1, period: 1000, messages: ReceiverSettings.completeMessages)
    return ReceiverControl(name, port, ReceiverSetup(settings), nil)
  }

  private func supplied() -> (ReceiverControl, AsyncStream<Bool>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    return (ReceiverControl("uart:test", nil, nil, ReceiverSupply(power, state: continuation)), stream)
  }

  // MARK: Settings

  @Test func `a receiver whose speed is known is configured when its port is open, and else when it sends`() {
    var control = control()
    #expect(control.handle(.opened(isSpeedKnown: true), at: at(.zero)).lines == ["to receiver bytes"])
    #expect(control.fields["settings"] == "asking" && control.nextDeadline != nil)
    _ = control.handle(.lost, at: at(.zero))
    #expect(control.handle(.opened(isSpeedKnown: false), at: at(.seconds(1))).lines == [])
    #expect(control.handle(.bytes(10, arrived: at(.seconds(2))), at: at(.seconds(2))).lines == ["to receiver bytes"])
    #expect(control.handle(.bytes(10, arrived: at(.seconds(3))), at: at(.seconds(3))).lines == [])
  }

  @Test func `a receiver that does not answer is given up, and the owner learns it`() {
    var control = control()
    _ = control.handle(.opened(isSpeedKnown: true), at: at(.zero))
    var lines: [String] = []
    for _ in 0..<1000 {
      guard let deadline = control.nextDeadline else { break }
      lines += control.handle(.timePassed, at: deadline).lines
    }
    #expect(control.nextDeadline == nil)
    #expect(lines.contains("log notice: the receiver does not answer, and is not configured"))
    #expect(control.fields["settings"] == "unanswered")
  }

  @Test func `a receiver that takes no commands is never configured`() {
    var control = control(nil)
    #expect(control.handle(.opened(isSpeedKnown: true), at: at(.zero)).lines == [])
    #expect(control.handle(.bytes(10, arrived: at(.zero)), at: at(.zero)).lines == [])
    #expect(control.nextDeadline == nil && control.fields == [:])
  }

  @Test func `the status of a receiver that sends nothing has the number of wake-ups`() {
    #expect(ReceiverControl("uart:test", FakePort(wakeUps: 2), nil, nil).fields == ["wake-ups": "2"])
    #expect(control().fields["wake-ups"] == nil)
  }

  // MARK: The line

  @Test func `settings that exceed the line are reported once`() {
    var control = control(FakePort(lineCapacity: 100))
    let text = "log warning: the settings exceed the receiver's line: the receiver will drop sentences"
    #expect(control.handle(.opened(isSpeedKnown: true), at: at(.zero)).lines == [text, "to receiver bytes"])
    _ = control.handle(.lost, at: at(.zero))
    #expect(control.handle(.opened(isSpeedKnown: true), at: at(.zero)).lines == ["to receiver bytes"])
  }

  @Test(arguments: [("uart:test", "higher baud rate"), ("i2c:/dev/i2c-1", "bus of 400 kHz")])
  func `a line that is full for five seconds is reported once, with the remedy for its kind`(
    name: String, remedy: String
  ) throws {
    var control = ReceiverControl(name, FakePort(lineCapacity: 960), nil, nil)
    _ = control.handle(.opened(isSpeedKnown: true), at: at(.zero))
    var actions: [Action] = []
    for tenth in 0..<200 {
      let now = at(.milliseconds(tenth * 100))
      actions += control.handle(.bytes(96, arrived: now), at: now)
    }
    #expect(actions.lines == ["log warning: the receiver's line is full: the receiver drops sentences"])
    guard case .log(let message) = actions.first else { return }
    #expect(message.metadata["remedy"]?.contains(remedy) == true && message.metadata["line-carries"] == "960")
    #expect(control.fields["line"] == "full")
    _ = control.handle(.opened(isSpeedKnown: true), at: at(.seconds(30)))
    #expect(control.fields["line"] == nil)
  }

  // MARK: The supply

  @Test func `the supply is on while a fix may be needed, and data counts only then`() async {
    var (control, states) = supplied()
    #expect(control.hasSupply && !control.isOn)
    #expect(control.handle(.need(true), at: at(.zero)).lines == [])
    #expect(control.isOn && power.isOn)
    #expect(control.handle(.need(true), at: at(.zero)).lines == [])
    #expect(control.handle(.need(false), at: at(.seconds(1))).lines == ["switched off"])
    #expect(!control.isOn && power.timeline == [true, false])
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next() == true)
    #expect(await iterator.next() == false)
  }

  @Test func `a supply that cannot be switched is tried again each second, and reported once for each cause`() {
    var (control, _) = supplied()
    power.fault = HardwareError(.absent, "drive", "the supply", cause: "its chip has gone")
    let warning = ["log warning: cannot switch the receiver's supply"]
    #expect(control.handle(.need(true), at: at(.zero)).lines == warning)
    #expect(control.supplyFault == "absent" && !control.isOn)
    for second in 1...3 {
      #expect(control.nextDeadline == at(.seconds(second)))
      #expect(control.handle(.need(true), at: at(.seconds(second)) - .nanoseconds(1)).lines == [])
      #expect(control.handle(.need(true), at: at(.seconds(second))).lines == [])
    }
    power.fault = HardwareError(.busy, "drive", "the supply", cause: "another program holds it")
    #expect(control.handle(.need(true), at: at(.seconds(4))).lines == warning)
    power.fault = nil
    #expect(control.handle(.need(true), at: at(.seconds(5))).lines == [])
    #expect(control.isOn && control.supplyFault == nil && control.nextDeadline == nil)
  }

  @Test func `a supply that nobody needs any more is not tried again, and its fault can still be read`() {
    var (control, _) = supplied()
    power.fault = HardwareError(.busy, "drive", "the supply", cause: "another program holds it")
    _ = control.handle(.need(true), at: at(.zero))
    #expect(control.handle(.need(false), at: at(.seconds(1))).lines == [])
    #expect(control.nextDeadline == nil && control.supplyFault == "busy")
  }

  @Test func `the supply is off at the end`() {
    var (control, _) = supplied()
    _ = control.handle(.need(true), at: at(.zero))
    control.stop(at: at(.seconds(1)))
    #expect(!power.isOn && !control.isOn)
  }

  @Test func `a receiver without a supply of its own is always on`() {
    var control = control()
    #expect(control.isOn && !control.hasSupply)
    #expect(control.handle(.need(false), at: at(.zero)).lines == [])
    #expect(control.isOn)
  }
}
