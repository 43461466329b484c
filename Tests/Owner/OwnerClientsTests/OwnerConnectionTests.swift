import LineProtocol
import Requirements
import ScriptedGateways
import Testing

@testable import OwnerClients

@Suite(.patient) struct OwnerConnectionTests {
  @Test func `a gateway that does not answer in time is disconnected, and the error names the time`() async throws {
    try await withClient(of: { connection in
      let (_, greeting, _) = try await connection.command()
      try await connection.send("+OK \(greeting)")
      // The connection waits for a reply to the second command.
      _ = try await connection.command()
      _ = try await connection.receive()
    }) { client in
      let slept = Recorder<Duration>()
      let connection = OwnerConnection(client: client, answerTime: .seconds(5), sleep: { slept.record($0) })
      let error = await #expect(throws: (any Error).self) { try await connection.perform(.status) }
      #expect(error.map { "\($0)" } == "the gateway did not answer for 5.0 seconds" && slept.values == [.seconds(5)])
    }
  }

  @Test func `a pause between two looks at the gateway lasts a second`() async throws {
    try await withClient { client in
      let slept = Recorder<Duration>()
      try await OwnerConnection(client: client, sleep: { slept.record($0) }).pause()
      #expect(slept.values == [.seconds(1)])
    }
  }

  @Test func `the wait for an answer ends with the answer`() async throws {
    try await withClient { client in
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let connection = OwnerConnection(
        client: client, answerTime: .seconds(5),
        sleep: { _ in
          await untilCancelled()
          end.finish()
          try Task.checkCancellation()
        })
      _ = try await connection.perform(.status)
      for await _ in ends {}
    }
  }
}
