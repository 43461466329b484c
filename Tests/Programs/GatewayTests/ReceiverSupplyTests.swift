import Base
import ControlledBoard
@testable import Gateway
import Decoding
import Hardware
import LineProtocol
import OneFixClient
import RecordingClients
import Requirements
import SimulatedHardware
import Testing

/// A receiver that cannot be opened.
private struct AbsentReceiver: BytePort {
  let name = "absent"
  let isLive = true

  func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) async throws {
    throw HardwareError(.absent, "open", name, cause: "there is none")
  }
}

@Test(.patient)
func `the receiver is off until an app waits, and off again when location is not in use any more`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }).run { bench in
    #expect(await bench.gateway.snapshot(entries: 0).receiver.state == .off)
    #expect(power.timeline == [])
    for round in 1...2 {
      let client = try await bench.client("parks")
      let asking = Task { try await client.requestOnce(OnceRequest()) }
      await bench.until { $0.snapshot(entries: 0).waiting.count == 1 }
      await bench.pass { $0.snapshot(entries: 0).receiver.state == .ready }
      #expect(power.isOn)
      await bench.pressInTime()
      // The receiver sends an epoch each second.
      await bench.clock.pass(.seconds(2))
      _ = try await asking.value
      await bench.pass { $0.snapshot(entries: 0).receiver.state == .off }
      #expect(power.timeline == Array(repeating: [true, false], count: round).flatMap { $0 })
      #expect(await bench.gateway.snapshot(entries: 0).isLit == false)
    }
  }
}

@Test(.patient)
func `the receiver stays on while a clock gets its time`() async throws {
  let power = RecordingPowerSwitch()
  let clock = RecordingClock()
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }, clocks: [clock]).run {
    bench in
    await bench.pass { _ in clock.count >= 10 }
    #expect(power.timeline == [true])
    #expect(await bench.gateway.snapshot(entries: 0).isLit == false)
  }
}

@Test(.patient)
func `a supply that fails to switch is tried again until it switches`() async throws {
  let power = RecordingPowerSwitch()
  power.fault = HardwareError(.absent, "drive", "the supply", cause: "its chip has gone")
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }).run { bench in
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).waiting.count == 1 }
    #expect(!power.isOn)
    power.fault = nil
    await bench.pass { $0.snapshot(entries: 0).receiver.state == .ready }
    #expect(power.isOn)
    asking.cancel()
    await bench.until { $0.snapshot(entries: 0).waiting.isEmpty }
    await bench.pass { $0.snapshot(entries: 0).receiver.state == .off }
  }
}

@Test(.patient)
func `the supply is off when the gateway stops`() async throws {
  let power = RecordingPowerSwitch()
  var asking: Task<FixReport, any Error>?
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }).run { bench in
    let client = try await bench.client("parks")
    asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).receiver.state != .off }
    #expect(power.isOn)
  }
  // The request has waited until then.
  asking?.cancel()
  #expect(power.timeline.last == false)
}

@Test(.patient)
func `a receiver that is absent when it is switched off is opened again when it is needed`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench(confirmed(), power: power, port: { _ in AbsentReceiver() }).run { bench in
    for _ in 1...2 {
      let client = try await bench.client("parks")
      let asking = Task { try await client.requestOnce(OnceRequest()) }
      await bench.until { $0.snapshot(entries: 0).receiver.state == .absent }
      asking.cancel()
      await bench.until { $0.snapshot(entries: 0).receiver.state == .off }
    }
  }
}
