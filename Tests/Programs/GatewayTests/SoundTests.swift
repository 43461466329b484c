import Base
import ControlledBoard
import Hardware
import LineProtocol
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

  /// Returns the number of tones during an operation and the two seconds after it.
  private func tones(_ bench: Bench, _ operation: () async throws -> Void) async throws -> Int {
    let before = output.timeline.count
    try await operation()
    await bench.clock.pass(.seconds(2))
    #expect(!output.isOn)
    return output.timeline.dropFirst(before).count { $0 }
  }

  @Test(.patient)
  func `a press, a question and a lock have their tones, and nothing sounds without them`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench in
      #expect(output.timeline == [false])
      let none = try await tones(bench) { _ = await bench.button.press(for: .milliseconds(40)) }
      #expect(none == 1)
      let app = try await bench.app("parks")
      let asking = try await tones(bench) { _ = try await app.reply(to: "REQ once") }
      #expect(asking == 0)
      let refused = try await tones(bench) {
        await bench.pressInTime()
        _ = try await app.reply(to: "CANCEL")
      }
      #expect(refused == 3)
      let stranger = try await bench.app("other")
      let question = try await tones(bench) {
        _ = try await stranger.reply(to: "REQ once")
        await bench.pressInTime()
      }
      #expect(question == 2)
      // A hold while a question is open denies the app.
      let denied = try await tones(bench) { _ = await bench.button.press(for: .milliseconds(3100)) }
      #expect(denied == 3)
      let lock = try await tones(bench) { _ = await bench.button.press(for: .milliseconds(3100)) }
      #expect(lock == 2)
      let unlock = try await tones(bench) { _ = await bench.button.press(for: .milliseconds(3100)) }
      #expect(unlock == 2)
    }
    #expect(!output.isOn)
  }

  @Test(.patient)
  func `a served press has one tone, and updates have none`() async throws {
    try await Bench(confirmed(), buzzer: buzzer).run { bench in
      await bench.receiver.send(second: 1)
      let app = try await bench.app("parks")
      _ = try await app.reply(to: "REQ once")
      let served = try await tones(bench) {
        await bench.pressInTime()
        await bench.receiver.send(second: 2)
        _ = try await app.next("MSG fix/once")
      }
      #expect(served == 1)
      #expect(await bench.disclosureCount == 1)
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
