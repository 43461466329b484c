import Clocks
import Hardware
import LineProtocol
import OneFixClient
import SimulatedHardware
import SystemClock
import Testing

@testable import Gateway

/// A receiver that cannot be opened.
private struct AbsentReceiver: BytePort {
  let name = "absent"
  let isLive = true

  func run(
    opened: @Sendable () async -> Void, _ receive: @Sendable ([UInt8], MonotonicInstant) async -> Void
  ) async throws {
    throw HardwareError(.absent, "open", name, cause: "there is none")
  }
}

private func withBench(
  _ power: SimulatedPowerSwitch, port: any BytePort = SimulatedReceiver(settings: .init()),
  _ body: (Bench) async throws -> Void
) async throws {
  let bench = try await Bench(confirmed: ["parks"], power: power, port: port)
  do { try await body(bench) } catch {
    await bench.stop()
    throw error
  }
  await bench.stop()
}

/// Waits until the gateway looks like that.
private func wait(for bench: Bench, until isSo: (Snapshot) -> Bool) async {
  for await _ in await bench.gateway.changes() where isSo(await bench.gateway.snapshot(entries: 0)) { return }
}

@Test(.timeLimit(.minutes(1)))
func `the receiver is off until an app waits, and off again when location is in use no more`() async throws {
  let power = SimulatedPowerSwitch()
  try await withBench(power) { bench in
    #expect(await bench.gateway.snapshot(entries: 0).receiver.state == .off)
    #expect(power.timeline == [])
    for round in 1...2 {
      let client = try await bench.client("parks")
      let asking = Task { try await client.requestOnce(OnceRequest()) }
      await wait(for: bench) { $0.receiver.state == .ready }
      #expect(power.isOn)
      try await bench.pressInTime()
      _ = try await asking.value
      await wait(for: bench) { $0.receiver.state == .off }
      #expect(power.timeline == Array(repeating: [true, false], count: round).flatMap { $0 })
      #expect(await bench.gateway.snapshot(entries: 0).isLit == false)
    }
  }
}

@Test(.timeLimit(.minutes(1)))
func `a supply that cannot be switched is tried again until it can`() async throws {
  let power = SimulatedPowerSwitch()
  power.fault = HardwareError(.absent, "drive", "the supply", cause: "its chip has gone")
  try await withBench(power) { bench in
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await wait(for: bench) { $0.waiting.count == 1 }
    #expect(!power.isOn)
    power.fault = nil
    await wait(for: bench) { $0.receiver.state == .ready }
    #expect(power.isOn)
    asking.cancel()
    await wait(for: bench) { $0.waiting.isEmpty && $0.receiver.state == .off }
  }
}

@Test(.timeLimit(.minutes(1)))
func `the supply is off when the gateway stops`() async throws {
  let power = SimulatedPowerSwitch()
  try await withBench(power) { bench in
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await wait(for: bench) { $0.receiver.state != .off }
    asking.cancel()
  }
  #expect(power.timeline.last == false)
}

@Test(.timeLimit(.minutes(1)))
func `a receiver that is absent when it is switched off is looked for when it is needed again`() async throws {
  let power = SimulatedPowerSwitch()
  try await withBench(power, port: AbsentReceiver()) { bench in
    for _ in 1...2 {
      let client = try await bench.client("parks")
      let asking = Task { try await client.requestOnce(OnceRequest()) }
      await wait(for: bench) { $0.receiver.state == .absent }
      asking.cancel()
      await wait(for: bench) { $0.receiver.state == .off }
    }
  }
}

@Test func `what could not be switched is tried again as long as somebody needs it, and not after that`() {
  let power = SimulatedPowerSwitch()
  power.fault = HardwareError(.busy, "drive", "the supply", cause: "somebody holds it")
  var supply = ReceiverSupply(power)
  let start = MonotonicInstant(nanoseconds: 0)
  let isNews = supply.set(isOn: true, at: start)
  #expect(isNews)
  #expect(supply.retry == start + ReceiverSupply.retryTime)
  let isTold = supply.set(isOn: true, at: start + ReceiverSupply.retryTime)
  #expect(!isTold)
  #expect(supply.retry == start + ReceiverSupply.retryTime * 2)
  // Nobody needs it any more: nothing is to be done, and why it failed can still be asked.
  let isChanged = supply.set(isOn: false, at: start + ReceiverSupply.retryTime)
  #expect(!isChanged)
  #expect(supply.retry == nil)
  #expect(supply.fault?.kind == .busy)
  power.fault = nil
  let isOn = supply.set(isOn: true, at: start + ReceiverSupply.retryTime)
  #expect(isOn && supply.isOn)
  #expect(supply.fault?.kind == nil)
}
