import Base
import ControlledBoard
import Hardware
import LineProtocol
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import Testing

@testable import Gateway

/// The sounds of a gateway: each press has one. (Sources/Documentation/sound.md)
@Suite struct SoundTests {
  private let output = RecordingPowerSwitch()

  private var buzzer: GatewayDependencies.Buzzer {
    GatewayDependencies.Buzzer(output, SoundProfile()) { _ in 720 }
  }

  /// Counts the tones during an operation and the two seconds after it.
  private func expect(_ count: Int, _ bench: Bench, _ name: Comment, _ operation: () async throws -> Void) async throws
  {
    let before = output.timeline.count
    try await operation()
    await bench.clock.pass(.seconds(2))
    #expect(!output.isOn, name)
    #expect(output.timeline.dropFirst(before).count { $0 } == count, name)
  }

  @Test(.patient)
  func `each press has its tones, and nothing sounds without one`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench, app in
      func hold() async { _ = await bench.button.press(for: .milliseconds(3100)) }
      #expect(output.timeline == [false])
      try await expect(1, bench, "a press for nothing") { _ = await bench.button.press(for: .milliseconds(40)) }
      try await expect(0, bench, "a request") { try await app.reply(to: "REQ once") }
      try await expect(3, bench, "a press without a fix") {
        await bench.pressInTime()
        try await app.reply(to: "CANCEL")
      }
      try await app.reply(to: "REQ once")
      try await expect(1, bench, "a press that serves") {
        await bench.pressInTime()
        await bench.receiver.send(second: 2)
        _ = try await app.next("MSG fix/once")
        // The gateway would send the fix again during the hold, and a hold while the light shows a use denies no app.
        try await app.reply(to: "ACK 1")
      }
      let stranger = try await bench.app("other")
      try await expect(2, bench, "a question") {
        try await stranger.reply(to: "REQ once")
        await bench.pressInTime()
      }
      try await expect(3, bench, "a hold that denies the app") { await hold() }
      try await expect(2, bench, "a lock") { await hold() }
      try await expect(2, bench, "an unlock") { await hold() }
    }
    #expect(!output.isOn)
  }

  @Test(.patient)
  func `a question sounds when the button begins to answer it, and an answer sounds`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench, app in
      try await app.reply(to: "REQ once")
      let other = try await bench.app("other")
      // Until the request has ended, a press gives the first app a fix.
      try await expect(0, bench, "a question behind a request") { try await other.reply(to: "AUTHORIZE when-in-use") }
      try await expect(2, bench, "the end of the request") { try await app.reply(to: "CANCEL") }
      try await expect(1, bench, "a press that allows") { await bench.pressInTime() }
      let status = await bench.gateway.ownerStatus
      #expect(status["last-press"] == "allowed" && status["last-press-number"] == "1")
    }
  }

  @Test(.patient)
  func `a fix for an output sounds when the output has confirmed it, but not a minute after the press`() async throws {
    for pause in [Duration.seconds(1), .seconds(61)] {
      try await Bench(confirmed(), buzzer: buzzer).run { bench in
        let connection = RecordedConnection(.init(expires: .seconds(600)))
        await bench.gateway.open(on: connection)
        await bench.gateway.connect(connection)
        await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@a", on: connection)
        var number: Int64 = 0
        try await expect(0, bench, "a press whose fix the output has not confirmed") {
          await bench.pressInTime()
          await bench.receiver.send(second: 1)
          number = try await connection.fix().number
        }
        await bench.clock.pass(pause)
        let before = await bench.gateway.ownerStatus
        #expect(before["last-press"] == "acquiring")
        try await expect(pause < .seconds(60) ? 1 : 0, bench, "the confirmation") {
          await bench.gateway.acknowledged(number, on: connection)
        }
        #expect(await bench.gateway.ownerStatus["last-press"] == "served")
      }
    }
  }

  @Test(.patient)
  func `a press sounds as refused only after each of its outputs failed`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench in
      var outputs: [RecordedConnection] = []
      for name in ["first", "second"] {
        let output = RecordedConnection(.init(name: "mqtt://\(name) parks"))
        await bench.gateway.open(on: output)
        await bench.gateway.open(on: EachPressConnection(to: output, over: .mqtt, peer: output.peer))
        await bench.gateway.connect(output)
        outputs.append(output)
      }
      await bench.pressInTime()
      await bench.receiver.send(second: 1)
      let numbers = [try await outputs[0].fix().number, try await outputs[1].fix().number]
      #expect(await bench.disclosureCount == 2, "each output has an entry in the log")
      try await expect(0, bench, "the first refusal") { await bench.gateway.refused(numbers[0], on: outputs[0]) }
      #expect(await bench.gateway.ownerStatus["last-press"] == "acquiring")
      try await expect(3, bench, "the last refusal") { await bench.gateway.refused(numbers[1], on: outputs[1]) }
    }
  }

  @Test(.patient)
  func `a press that only an output with too many waiting fixes could get sounds as refused`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench in
      let output = RecordedConnection(.init(mostWaiting: 1))
      await bench.gateway.open(on: EachPressConnection(to: output, over: .mqtt, peer: output.peer))
      try await expect(0, bench, "a press whose fix waits") {
        await bench.pressInTime()
        await bench.receiver.send(second: 1)
        await bench.until { !$0.snapshot(entries: 1).log.isEmpty }
      }
      try await expect(3, bench, "a press while the fix waits") { await bench.pressInTime() }
    }
  }

  @Test(.patient)
  func `a broken buzzer is a fault of the status, and changes nothing else`() async throws {
    output.fault = HardwareError(.absent, "find", "PWM chip pwmchip0", cause: "there is none")
    try await Bench(confirmed(), buzzer: buzzer).run { bench in
      #expect(await bench.gateway.snapshot(entries: 0).status["sound-fault"] == "absent")
      await bench.receiver.send(second: 1)
      let app = try await bench.app("parks")
      _ = try await app.reply(to: "REQ once")
      await bench.pressInTime()
      await bench.receiver.send(second: 2)
      _ = try await app.next("MSG fix/once")
      #expect(await bench.disclosureCount == 1)
    }
  }
}
