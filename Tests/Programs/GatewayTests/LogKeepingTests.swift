import Disclosure
import Foundation
import LineProtocol
import OneFixClient
import ReceiverStream
import SimulatedHardware
import Testing

@testable import Gateway

/// Returns the log status that owners receive after an hour of use.
private func condition(after gateway: isolated Gateway) async throws -> ServerLine.Fields {
  try await gateway.maintainLog(verifies: true)
  var fields: ServerLine.Fields = [:]
  gateway.router.log.addStatus(to: &fields)
  return fields
}

@Test(.timeLimit(.minutes(10)))
func `a log that cannot be read is not reported as one that cannot be written`() async throws {
  try await Bench.with { bench in
    let anchor = bench.folder + "/anchor"
    #expect(try await condition(after: bench.gateway) == ["log": "good"])
    try FileManager.default.moveItem(atPath: anchor, toPath: anchor + ".kept")
    try FileManager.default.createDirectory(atPath: anchor, withIntermediateDirectories: false)
    #expect(try await condition(after: bench.gateway) == ["log": "failing", "log-fault": "unreadable"])
    try FileManager.default.removeItem(atPath: anchor)
    try FileManager.default.moveItem(atPath: anchor + ".kept", toPath: anchor)
    #expect(try await condition(after: bench.gateway) == ["log": "good"])
  }
}

@Test(.timeLimit(.minutes(10)), arguments: [false, true])
func `a receiver confirms the clock for the removal of old entries only if it does not set the clock`(setsClock: Bool)
  async throws
{
  let output = setsClock ? TimeOutput(socket: "/run/chrony.onefix.sock", delay: .zero) { _ in nil } : nil
  let bench = try await Bench(
    confirmed: ["parks"], port: { SimulatedReceiver(clock: $0.waiting) }, policy: Policy(logRetention: .seconds(5)),
    timeOutput: output)
  do {
    await bench.pass { $0.snapshot(entries: 0).receiver.state == .ready }
    let client = try await bench.client("parks")
    let asking = Task { try await client.requestOnce(OnceRequest()) }
    await bench.until { $0.snapshot(entries: 0).waiting.count == 1 }
    await bench.pressInTime()
    await bench.clock.pass(.seconds(2))
    _ = try await asking.value
    // An entry without its outcome is not removed.
    await bench.pass { $0.snapshot(entries: 10).log.count >= 2 }
    await bench.clock.pass(.seconds(20))
    await bench.pass { gateway in
      guard gateway.router.receiver.latest != nil else { return false }
      gateway.submit { router, now in router.maintainLog(at: now) }
      return true
    }
    #expect(await bench.gateway.snapshot(entries: 10).log.isEmpty == !setsClock)
  } catch {
    await bench.stop()
    throw error
  }
  await bench.stop()
}
