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

@Test(.patient)
func `the receiver is off until an app waits, and off again when location is not in use any more`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }).run { bench in
    #expect(await bench.gateway.snapshot(entries: 0).receiver.state == .off)
    #expect(power.timeline == [])
    for round in 1...2 {
      let asking = await Asking(try await bench.client("parks"))
      await bench.pass { $0.snapshot(entries: 0).receiver.state == .ready }
      #expect(power.isOn)
      await bench.pressInTime()
      // The receiver sends an epoch each second.
      await bench.clock.pass(.seconds(2))
      _ = try await asking.outcome.value
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
func `the supply is off when the gateway stops`() async throws {
  let power = RecordingPowerSwitch()
  var asking: Asking?
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }).run { bench in
    asking = await Asking(try await bench.client("parks"))
    await bench.until { $0.snapshot(entries: 0).receiver.state != .off }
    #expect(power.isOn)
  }
  // The request has waited until then.
  asking?.outcome.cancel()
  #expect(power.timeline.last == false)
}

@Test(.patient)
func `a receiver that is absent when it is switched off is opened again when it is needed`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench(confirmed(), power: power, port: { _ in AbsentReceiver(opens: false) }).run { bench in
    for _ in 1...2 {
      let asking = await Asking(try await bench.client("parks"))
      await bench.until { $0.snapshot(entries: 0).receiver.state == .absent }
      asking.outcome.cancel()
      await bench.until { $0.snapshot(entries: 0).receiver.state == .off }
    }
  }
}
