import LineProtocol
import OneFixClient
import Requirements
import ScriptedGateways
import Testing

@testable import OwnerClients

/// Waits for the cancellation of the task.
func untilCancelled() async {
  let (never, continuation) = AsyncStream.makeStream(of: Void.self)
  for await _ in never {}
  continuation.finish()
}

/// Runs the body of a test with a client of a gateway that plays a script after its greeting. Without a script, the
/// gateway answers each command.
func withClient(
  of play: @escaping @Sendable (inout GatewayConnection) async throws -> Void = { try await $0.agree() },
  _ body: (OwnerClient) async throws -> Void
) async throws {
  let socket = TemporarySocket()
  let gateway = try await ScriptedGateway(socket.path) { connection, _ in
    try await connection.send("INFO proto=1 id=x")
    try await play(&connection)
  }
  try await OwnerClient.with(socket.endpoint, body)
  await gateway.stop()
}

@Suite(.patient) struct GatewayWatcherTests {

  @Test func `without a change a watcher looks again after each heartbeat`() async throws {
    let slept = Recorder<Duration>()
    try await withClient { client in
      let watcher = GatewayWatcher(
        client, topics: [.indicator], heartbeat: .seconds(7), pause: .seconds(1),
        sleep: {
          slept.record($0)
          await Task.yield()
          try Task.checkCancellation()
        })
      var looks: [GatewayWatcher.Changes] = []
      try await watcher.run {
        looks.append($0)
        return looks.count < 3
      }
      #expect(looks.map(\.isChanged) == [true, false, false] && looks.dropFirst().allSatisfy { $0.isHeartbeat })
      #expect(Set(slept.values) == [.seconds(7), .seconds(1)])
    }
  }

  @Test func `a watcher looks again after the time that the latest look has returned`() async throws {
    let slept = Recorder<Duration>()
    try await withClient { client in
      let watcher = GatewayWatcher(
        client, topics: [.indicator], heartbeat: .seconds(7), pause: .zero, sleep: { slept.record($0) })
      var looks: [GatewayWatcher.Changes] = []
      try await watcher.run(pacedBy: {
        looks.append($0)
        return looks.count < 3 ? .seconds(looks.count) : nil
      })
      #expect(looks.map(\.isChanged) == [true, false, false] && looks.map(\.isHeartbeat) == [false, true, true])
      #expect(slept.values.filter { $0 > .zero } == [.seconds(1), .seconds(2)])
    }
  }

  @Test func `a watcher looks at each message of its topics, and ends with the connection`() async throws {
    try await withClient(of: { connection in
      var sid: String?
      while sid == nil {
        let (words, tag, _) = try await connection.command()
        try await connection.send("+OK \(tag)")
        if words.first == "SUB" { sid = words.last }
      }
      for number in 1...3 {
        try await connection.send("MSG \(Topic.indicator.rawValue) \(sid ?? "-") {\"n\":\(number)}")
      }
      // The end of the script closes the connection after the last look.
      _ = try await connection.command()
    }) { client in
      var seen: [String] = []
      let watcher = GatewayWatcher(client, topics: [.indicator], heartbeat: .seconds(3600), pause: .zero)
      try await watcher.run { changes in
        seen += changes.messages.map(\.json)
        if seen.count == 3 { _ = try? await client.perform(.status) }
        return true
      }
      #expect(seen == (1...3).map { "{\"n\":\($0)}" })
    }
  }

  @Test func `a watcher that stops waits for no next look`() async throws {
    let slept = Recorder<Duration>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    try await withClient { client in
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      let watcher = GatewayWatcher(
        client, topics: [.indicator], heartbeat: .seconds(7), pause: .zero,
        sleep: {
          guard $0 > .zero else { return }
          slept.record($0)
          // The changes end during the wait for the next look.
          change.finish()
          await untilCancelled()
          end.yield()
        }, changes: { changes })
      try await watcher.run(pacedBy: { _ in .seconds(5) })
      for await _ in ends { break }
      #expect(slept.values == [.seconds(5)])
    }
  }
}

@Test func `64 messages wait for a watcher, and one more replaces the oldest`() throws {
  let inbox = Inbox()
  let all = (0...64).map { ServerLine.Message(topic: "owner/log", sid: "-", json: "\($0)") }
  for message in all.dropLast() { inbox.append(message) }
  #expect(inbox.removeAll().messages.map(\.json) == all.dropLast().map(\.json))
  for message in all { inbox.append(message) }
  #expect(inbox.removeAll().messages.map(\.json) == all.dropFirst().map(\.json))
}
