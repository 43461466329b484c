import Authorization
import ControlledBoard
import Decoding
import Disclosure
import Foundation
import LineProtocol
import OneFixClient
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import Synchronization
import Testing

@testable import Gateway

/// Returns the log status that owners receive after an hour of use.
private func condition(after gateway: isolated Gateway) async throws -> ServerLine.Fields {
  try await LogMaintenance.run(verifies: true, on: gateway)
  var fields: ServerLine.Fields = [:]
  gateway.router.disclosures.log.addStatus(to: &fields)
  return fields
}

@Test(.patient)
func `a log that cannot be read is not reported as one that cannot be written`() async throws {
  try await Bench(confirmed()).run { bench in
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

@Test(.patient, arguments: [false, true])
func `a receiver confirms the clock for the removal of old entries only if it does not set the clock`(setsClock: Bool)
  async throws
{
  try await Bench(
    confirmed(), port: { SimulatedReceiver(clock: $0.waiting) }, policy: Policy { $0.logRetention = .seconds(5) },
    clocks: setsClock ? [RecordingClock()] : []
  ).run { bench in
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
    #expect(await bench.log.isEmpty == !setsClock)
  }
}

/// Returns the number of other inputs that the gateway can handle during a command of an owner.
func turns(
  during command: OwnerCommand, _ owner: RecordingConnection, on gateway: isolated Gateway
) async -> Int {
  let counter = Task {
    _ = gateway
    var count = 0
    while !Task.isCancelled {
      count += 1
      await Task.yield()
    }
    return count
  }
  await gateway.perform(.owner(command), tag: "1", on: owner)
  counter.cancel()
  return await counter.value
}

@Test(.patient)
func `the record of an app that gets a fix is written with the log entry of the fix`() async throws {
  try await Bench(confirmed()).run { bench in
    let asking = await Asking(try await bench.client("parks"))
    await bench.receiver.send(second: 1)
    let before = await bench.gateway.state(of: parks)
    await bench.pressInTime()
    _ = try await asking.outcome.value
    let after = await bench.gateway.state(of: parks)
    #expect(after.record != before.record && after.pending == 0)
    #expect(after.writes["disclosure"] == 1 && after.writes["right"] == before.writes["right"])
  }
}

@Test(.patient)
func `the kill switch erases all undelivered fixes in one write`() async throws {
  try await Bench([record(.always)]).run { bench in
    await bench.receive(nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    for number in 1...3 {
      let connection = RecordingConnection(UInt64(number))
      await bench.gateway.open(on: connection)
      await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
    }
    let before = await bench.gateway.state(of: parks)
    await bench.gateway.handle(.lockOrdered)
    let after = await bench.gateway.state(of: parks)
    #expect(await bench.outcomes == [.erased, .erased, .erased])
    #expect(after.writes["outcome"] == (before.writes["outcome"] ?? 0) + 1)
  }
}

extension Gateway {
  /// The record of an app, the number of changes that are not written, and the number of writes by kind.
  fileprivate func state(of app: AppID) -> (record: AppRecord, pending: Int, writes: [String: Int]) {
    let log = router.disclosures.log
    return (router.authorization.record(of: app), log.pendingChanges, log.writes.mapValues(\.count))
  }
}

@Test(.patient)
func `the gateway handles other inputs while it reads the log for an owner`() async throws {
  try await Bench(confirmed()).run { bench in
    let count = 3 * LogKeeper.entriesAtOnce
    await bench.gateway.fillLog(of: parks, count)
    for (name, limit, found) in [("parks", 1000, count), ("other", 1000, 0), ("parks", 5, 5), ("-", 5, 0)] {
      for after in [nil, 0] {
        let lines = Mutex<[ServerLine]>([])
        let owner = RecordingConnection(role: .owner) { call in
          if case .line(let line) = call { lines.withLock { $0.append(line) } }
        }
        let command = OwnerCommand.log(since: nil, app: name, limit: limit, after: after)
        let turns = await turns(during: command, owner, on: bench.gateway)
        #expect(lines.withLock { $0.count } == found + 1)
        #expect(lines.withLock { $0.last } == .ok(tag: "1", ["count": "\(found)"]))
        // Each turn reads or sends a limited number of entries.
        #expect(turns >= (limit == 5 ? 0 : 3), "\(name) \(limit) \(turns)")
      }
    }
  }
}
