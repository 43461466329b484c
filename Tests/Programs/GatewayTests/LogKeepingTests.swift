import Foundation
import LineProtocol
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
