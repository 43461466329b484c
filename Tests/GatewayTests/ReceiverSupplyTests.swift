import Clocks
import Gateway
import Hardware
import LineProtocol
import OneFixClient
import SimulatedHardware
import SystemClock
import Testing

@Test(.timeLimit(.minutes(1)))
func `the receiver is off until an app waits, and off again when location is in use no more`() async throws {
  let power = SimulatedPowerSwitch()
  try await Bench.with(power: power, port: SimulatedReceiver(settings: .init())) { bench in
    #expect(await bench.gateway.snapshot(entries: 0).receiver.state == .off)
    #expect(power.timeline == [])
    for round in 1...2 {
      let client = try await bench.client("parks")
      let asking = Task { try await client.requestOnce(OnceRequest()) }
      await bench.until { $0.snapshot(entries: 0).receiver.state == .ready }
      #expect(power.isOn)
      try await bench.pressInTime()
      _ = try await asking.value
      await bench.until { $0.snapshot(entries: 0).receiver.state == .off }
      #expect(power.timeline == Array(repeating: [true, false], count: round).flatMap { $0 })
      #expect(await bench.gateway.snapshot(entries: 0).isLit == false)
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func `a supply that cannot be switched is tried again until it can`() async throws {
  let power = SimulatedPowerSwitch()
  power.fault = HardwareError(.absent, "drive", "the supply", cause: "its chip has gone")
  try await Bench.with(power: power, port: SimulatedReceiver(settings: .init())) { bench in
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).waiting.count == 1 }
    #expect(!power.isOn)
    power.fault = nil
    await bench.until { $0.snapshot(entries: 0).receiver.state == .ready }
    #expect(power.isOn)
    asking.cancel()
    await bench.until {
      let now = $0.snapshot(entries: 0)
      return now.waiting.isEmpty && now.receiver.state == .off
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func `the supply is off when the gateway stops`() async throws {
  let power = SimulatedPowerSwitch()
  var asking: Task<FixReport, any Error>?
  try await Bench.with(power: power, port: SimulatedReceiver(settings: .init())) { bench in
    let client = try await bench.client("parks")
    asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).receiver.state != .off }
    #expect(power.isOn)
  }
  // It has waited until then.
  asking?.cancel()
  #expect(power.timeline.last == false)
}
