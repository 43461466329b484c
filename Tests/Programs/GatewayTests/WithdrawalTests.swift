import Base
import LineProtocol
import OperatingSystem
import Ports
import RecordingClients
import Testing

@testable import Gateway

@Test func `a client that has sent too many commands can still cancel its request`() async throws {
  try await Bench(confirmed()).run { bench, talker in
    #expect(try await talker.reply(to: "@r REQ once") == "+OK @r state=awaiting-press")
    // The gateway does not perform the first command beyond the limit of 50 commands.
    await talker.send(String(repeating: "PING\n", count: 100))
    _ = try await talker.next("-ERR 430 rate-limited")
    await talker.send("@c CANCEL\n")
    #expect(try await talker.next { $0.contains("@c") } == "+OK @c")
    #expect(await bench.gateway.waitingCount == 0)
  }
}

@Test func `an app whose sessions together have sent too many commands can still cancel its request`() async throws {
  try await Bench(confirmed()).run { bench in
    let (lines, received) = AsyncStream.makeStream(of: ServerLine.self)
    let connection = RecordingConnection { call in if case .line(let line) = call { received.yield(line) } }
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.requestOnce(OnceRequest()), tag: "@r", on: connection)
    // No token returns before this time.
    let later = SystemClock.monotonic + .seconds(3600)
    while bench.gateway.limiter.consume(parks, at: later) {}
    // Commands beyond the limit return after a pause, which this test does not wait for.
    let tasks = [(Command.status, "@s"), (.cancel, "@c")].map { command, tag in
      Task { await bench.gateway.perform(command, tag: tag, on: connection) }
    }
    var replies: [String: String] = [:]
    for await line in lines {
      switch line {
      case .ok(let tag?, _): replies[tag] = "ok"
      case .error(let error, let tag?, _): replies[tag] = error.code.slug
      default: break
      }
      if replies.count == 3 { break }
    }
    for task in tasks { task.cancel() }
    #expect(replies == ["@r": "ok", "@s": "rate-limited", "@c": "ok"])
    #expect(await bench.gateway.waitingCount == 0)
  }
}
