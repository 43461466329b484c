import Base
import ControlledBoard
import Decoding
import Foundation
import Hardware
import LineProtocol
import OneFixClient
import OperatingSystem
import RecordingClients
import Requirements
import SimulatedHardware
import Testing

@testable import Gateway

@Test(.patient)
func `the receiver stays on while a clock gets its time, until the gateway stops`() async throws {
  let power = RecordingPowerSwitch()
  let clock = RecordingClock()
  try await Bench(confirmed(), power: power, port: { SimulatedReceiver(clock: $0.waiting) }, clocks: [clock]).run {
    bench in
    await bench.pass { _ in clock.count >= 10 }
    #expect(power.timeline == [true])
    #expect(await bench.gateway.snapshot(entries: 0).isLit == false)
  }
  #expect(power.timeline.last == false)
}

@Test(.patient)
func `the status text does not show that a receiver is absent if only a request switches it on`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench(confirmed(), power: power, port: { _ in AbsentReceiver(opens: false) }).run { bench in
    // For the second request, the receiver is opened again.
    for _ in 1...2 {
      let asking = await Asking(try await bench.client("parks"))
      await bench.until { $0.snapshot(entries: 0).receiver.state == .absent }
      #expect(await bench.gateway.currentStatus() == "running")
      asking.outcome.cancel()
      await bench.until { $0.snapshot(entries: 0).receiver.state == .off }
    }
  }
}

@Test(.patient)
func `signs of an attack and contradictions of the receiver are in the status and in the metrics`() async throws {
  try await Bench().run { bench in
    func receive(_ second: Int, latitude: String = "4722.6133", after verdicts: [UInt8] = []) async {
      let time = String(format: "07%02d%02d.00", 31 + second / 60, second % 60)
      await bench.receive(verdicts + nmea("GNGGA,\(time),\(latitude),N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    }
    /// The values for jamming, a jump and spoofing, and the number of jumps.
    func metrics() async -> [Substring?] {
      let lines = await bench.gateway.metrics().lines
      let attacks = ["jamming", "jump", "spoofing"].map { #"attack{kind="\#($0)"}"# }
      return (attacks + ["jumps_total"]).map { name in
        lines.first { $0.hasPrefix("onefix_receiver_\(name) ") }?.split(separator: " ").last
      }
    }
    // The check of the receiver needs 60 epochs. These epochs have no speed.
    for second in 0..<60 { await receive(second) }
    #expect(await bench.gateway.ownerStatus["receiver-defects"] == "no-speed")
    #expect(await bench.gateway.ownerStatus["attack"] == nil)
    await receive(60, after: UBXFrame.encode(.secSIG, [2, 0x1B, 0, 0]))
    #expect(await bench.gateway.ownerStatus["attack"] == "none")
    #expect(await metrics() == ["0", "0", "0", "0"])
    // Ten minutes of latitude are 18.5 km.
    await receive(61, latitude: "4732.6133", after: UBXFrame.encode(.secSIG, [2, 0x2D, 0, 0]))
    #expect(await bench.gateway.ownerStatus["attack"] == "spoofing-suspected,jump,interference")
    #expect(await metrics() == ["1", "1", "1", "1"])
  }
}

/// A receiver on a bus that fails: it is absent when it is read, or already when it is opened.
struct AbsentReceiver: CommandPort {
  let name = "absent"
  let isLive = false
  let isSpeedKnown = true
  let lineCapacity: Int? = nil
  let faults = ["i2c-timeout": 3, "i2c-no-answer": 12]
  var opens = true

  func send(_ bytes: [UInt8]) throws {}

  func run(
    opened: @Sendable () async -> Void, _ receive: @escaping @Sendable ([UInt8], MonotonicInstant) -> Void
  ) async throws {
    if opens { await opened() }
    throw HardwareError(.absent, opens ? "read" : "open", name, cause: "nothing answers")
  }
}

@Test(.patient)
func `a failure of the receiver's bus is reported to owners and counted`() async throws {
  let bench = try await Bench(port: { _ in AbsentReceiver() })
  let errors = await bench.gateway.ownerStatus["errors"]
  let lines = await bench.gateway.metrics().lines
  await bench.stop()
  #expect(errors == "i2c-no-answer:12,i2c-timeout:3")
  #expect(lines.contains(#"onefix_receiver_errors_total{cause="i2c-timeout"} 3"#))
}
