import Authorization
import ControlledBoard
import LineProtocol
import Ports
import RecordingClients
import Requirements
import StateStore
import Synchronization
import TemporaryFiles
import Testing

@testable import Gateway

/// The faults of a configuration, as the daemon reports them.
private struct ConfigurationFaults: Error, CustomStringConvertible {
  let description = "onefix.toml:1: error: first\nonefix.toml:2: error: second"
}

@Test(.patient)
func `the former configuration stays in force after a faulty one, and the status text says so`() async throws {
  try await Bench(confirmed(), reload: { throw ConfigurationFaults() }).run { bench, app, owner in
    let reply = try await owner.reply(to: "RELOAD")
    #expect(
      reply == "-ERR 405 bad-argument :nothing was changed: onefix.toml:1: error: first; onefix.toml:2: error: second")
    #expect(
      await bench.gateway.currentStatus().hasSuffix(
        "; the configuration on the disk has an error: the former configuration stays in force"))
    #expect(try await app.reply(to: "REQ once") == "+OK state=awaiting-press")
  }
}

@Test(.patient)
func `a reload changes rights, ends excluded sessions, revokes keys, and names the keys that need a restart`()
  async throws
{
  let former = Policy {
    $0.authorization.newAppAccuracy = [parks: .full]
    $0.keyedApps = [parks]
  }
  let calls = Mutex(0)
  let putInForce: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
  let reload: @Sendable () -> Reconfiguration = {
    Reconfiguration(
      policy: Policy { $0.authorization.newAppAccuracy = [parks: .reduced] }, waiting: ["board", "gateway"],
      admits: { identity, _, _ in identity.app == parks }, putInForce: putInForce)
  }
  try await Bench(policy: former, reload: reload).run { bench, app, owner in
    let other = try await bench.app("other")
    #expect(try await app.reply(to: "STATUS").contains(" accuracy=full "))
    #expect(try await owner.reply(to: "KEY ADD parks").hasPrefix("+OK "))
    #expect(try await owner.reply(to: "RELOAD") == "+OK restart-for=board,gateway")
    #expect(await bench.gateway.ownerStatus["restart-for"] == "board,gateway")
    #expect(calls.withLock { $0 } == 1)
    #expect(try await app.reply(to: "STATUS").contains(" accuracy=reduced "))
    #expect(try await other.next("-ERR").hasPrefix("-ERR 902 auth-failed :"))
    try await other.hungUp()
    #expect(try await owner.reply(to: "KEY ADD parks").hasPrefix("-ERR 405 "))
    #expect(bench.book.all.contains { $0.hasPrefix("a key was revoked ") })
    #expect(await bench.gateway.currentStatus().hasSuffix("; from the next start on: board, gateway"))
  }
}

@Test(.patient, arguments: ["KEY ADD parks", "KEY ADD parks token"])
func `a start without "key = true" erases the key or token of the app`(command: String) async throws {
  let folder = try TemporaryDirectory()
  for mayHaveKey in [true, true, false] {
    let policy = Policy {
      $0.authorization.newAppAccuracy = [parks: .full]
      $0.keyedApps = mayHaveKey ? [parks] : []
    }
    let bench = try await Bench(in: folder, policy: policy)
    let owner = try await bench.owner()
    if mayHaveKey { #expect(try await owner.reply(to: command).hasPrefix("+OK ")) }
    await bench.stop()
    let names = try bench.stored { try $0.sealedNames }
    #expect(names.contains { $0.hasSuffix(" of parks") } == mayHaveKey)
  }
}
