import Base
import Hardware
import LineProtocol
import OperatingSystem
import Requirements
import Testing

@testable import Gateway

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
