import Base
import ControlledBoard
import Decoding
import Hardware
import RecordingClients
import Testing

@testable import Gateway

@Suite struct ReceiverControlTests {
  private let power = RecordingPowerSwitch()

  private let record = Record()

  private func control(
    takesCommands: Bool = true, lineCapacity: Int? = nil, fault: HardwareError? = nil
  ) -> ReceiverControl {
    let settings = ReceiverSettings(port: .uart1, period: 1000, messages: ReceiverSettings.completeMessages)
    let port = FakePort(lineCapacity: lineCapacity) { [record] bytes in
      if let fault { throw fault }
      record.note("\(bytes.isEmpty ? "no " : "")bytes")
    }
    return ReceiverControl("uart:test", takesCommands ? port : nil, ReceiverSetup(settings), nil)
  }

  private func supplied() -> (ReceiverControl, AsyncStream<Bool>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
    return (ReceiverControl("uart:test", nil, nil, ReceiverSupply(power, state: continuation)), stream)
  }

  // MARK: Settings

  @Test func `a receiver whose speed is known is configured when its port is open, and else when it sends`() {
    var control = control()
    #expect(record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) } == ["bytes"])
    #expect(control.fields["settings"] == "asking" && control.nextDeadline != nil)
    control.lose()
    #expect(record.lines { control.open(isSpeedKnown: false, at: at(.seconds(1)), &$0) } == [])
    #expect(record.lines { control.receive(10, arrived: at(.seconds(2)), at: at(.seconds(2)), &$0) } == ["bytes"])
    #expect(record.lines { control.receive(10, arrived: at(.seconds(3)), at: at(.seconds(3)), &$0) } == [])
  }

  @Test func `a receiver that does not answer is given up, and the owner learns it`() {
    var control = control()
    _ = record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) }
    var lines: [String] = []
    for _ in 0..<1000 {
      guard let deadline = control.nextDeadline else { break }
      lines += record.lines { control.pass(to: deadline, &$0) }
    }
    #expect(control.nextDeadline == nil)
    #expect(lines.contains("log notice: the receiver does not answer, and is not configured"))
    #expect(control.fields["settings"] == "unanswered")
  }

  @Test func `a command that cannot be sent is reported once until the port is opened again`() throws {
    var control = control(fault: HardwareError(.failed, "write to", "uart:test", cause: "its line is full"))
    for start in [Duration.zero, .seconds(100)] {
      #expect(
        record.lines { control.open(isSpeedKnown: true, at: at(start), &$0) }
          == ["log warning: cannot send a command to the receiver"])
      let deadline = try #require(control.nextDeadline)
      #expect(record.lines { control.pass(to: deadline, &$0) } == [])
      control.lose()
    }
  }

  @Test func `a receiver that takes no commands is never configured, and one without a supply is always on`() {
    var control = control(takesCommands: false)
    #expect(record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) } == [])
    #expect(record.lines { control.receive(10, arrived: at(.zero), at: at(.zero), &$0) } == [])
    #expect(control.nextDeadline == nil && control.fields == [:])
    #expect(record.lines { control.setNeeded(false, at: at(.zero), &$0) } == [])
    #expect(control.isOn && !control.hasSupply)
  }

  @Test func `the status of a receiver that sends nothing has the number of wake-ups`() {
    #expect(ReceiverControl("uart:test", FakePort(wakeUps: 2), nil, nil).fields == ["wake-ups": "2"])
    #expect(control().fields["wake-ups"] == nil)
  }

  // MARK: The line

  @Test func `settings that exceed the line are reported once`() {
    var control = control(lineCapacity: 100)
    let text = "log warning: the settings exceed the receiver's line: the receiver will drop sentences"
    #expect(record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) } == ["bytes", text])
    control.lose()
    #expect(record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) } == ["bytes"])
  }

  @Test(arguments: [("uart:test", "higher baud rate"), ("i2c:/dev/i2c-1", "bus of 400 kHz")])
  func `a line that is full for five seconds is reported once, with the remedy for its kind`(
    name: String, remedy: String
  ) throws {
    var control = ReceiverControl(name, FakePort(lineCapacity: 960), nil, nil)
    _ = record.lines { control.open(isSpeedKnown: true, at: at(.zero), &$0) }
    var outputs = Outputs()
    for tenth in 0..<200 {
      let now = at(.milliseconds(tenth * 100))
      control.receive(96, arrived: now, at: now, &outputs)
    }
    #expect(outputs.messages.map(\.text) == ["the receiver's line is full: the receiver drops sentences"])
    let message = try #require(outputs.messages.first)
    #expect(message.metadata["remedy"]?.contains(remedy) == true && message.metadata["line-carries"] == "960")
    #expect(control.fields["line"] == "full")
    _ = record.lines { control.open(isSpeedKnown: true, at: at(.seconds(30)), &$0) }
    #expect(control.fields["line"] == nil)
  }

  // MARK: The supply

  @Test func `the supply is on while a fix may be needed, and off at the end, and data counts only then`() async {
    var (control, states) = supplied()
    #expect(control.hasSupply && !control.isOn)
    #expect(record.lines { control.setNeeded(true, at: at(.zero), &$0) } == [])
    #expect(control.isOn && power.isOn)
    #expect(record.lines { control.setNeeded(true, at: at(.zero), &$0) } == [])
    #expect(record.lines { control.setNeeded(false, at: at(.seconds(1)), &$0) } == ["switched off"])
    #expect(!control.isOn && power.timeline == [true, false])
    _ = record.lines { control.setNeeded(true, at: at(.seconds(2)), &$0) }
    control.stop(at: at(.seconds(3)))
    #expect(!power.isOn && !control.isOn)
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next() == true)
    #expect(await iterator.next() == false)
  }

  @Test func `a supply that cannot be switched is tried again each second, and reported once for each cause`() {
    var (control, _) = supplied()
    power.fault = HardwareError(.absent, "drive", "the supply", cause: "its chip has gone")
    let warning = ["log warning: cannot switch the receiver's supply"]
    #expect(record.lines { control.setNeeded(true, at: at(.zero), &$0) } == warning)
    #expect(control.supplyFault == "absent" && !control.isOn)
    for second in 1...3 {
      #expect(control.nextDeadline == at(.seconds(second)))
      #expect(record.lines { control.setNeeded(true, at: at(.seconds(second)) - .nanoseconds(1), &$0) } == [])
      #expect(record.lines { control.setNeeded(true, at: at(.seconds(second)), &$0) } == [])
    }
    power.fault = HardwareError(.busy, "drive", "the supply", cause: "another program holds it")
    #expect(record.lines { control.setNeeded(true, at: at(.seconds(4)), &$0) } == warning)
    // A supply that is not needed any more is not tried again, and its fault can still be read.
    #expect(record.lines { control.setNeeded(false, at: at(.seconds(4)), &$0) } == [])
    #expect(control.nextDeadline == nil && control.supplyFault == "busy")
    power.fault = nil
    #expect(record.lines { control.setNeeded(true, at: at(.seconds(5)), &$0) } == [])
    #expect(control.isOn && control.supplyFault == nil && control.nextDeadline == nil)
  }
}
