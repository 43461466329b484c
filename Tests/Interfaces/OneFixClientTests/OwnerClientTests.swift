import OneFixClient
import Requirements
import ScriptedGateways
import Testing

@Suite(.patient) struct OwnerClientTests {
  /// Plays a gateway with two apps, and calls `subscribed` after each message of a subscription.
  private func withOwner(
    _ heard: Recorder<String> = Recorder(), subscribed: @escaping @Sendable () throws -> Void = {},
    _ body: (OwnerClient) async throws -> Void
  ) async throws {
    let socket = TemporarySocket()
    let gateway = try await ScriptedGateway(socket.path) { connection, _ in
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        if words[0] == "APPS" {
          for app in ["a", "b"] { try await connection.send(#"MSG owner/apps - {"app":"\#(app)"}"#) }
        }
        try await connection.send("+OK \(tag) count=2")
        guard words[0] == "SUB" else { continue }
        try await connection.send("MSG \(words[1]) \(words[2]) ret=1 {}")
        try subscribed()
      }
    }
    try await OwnerClient.with(socket.endpoint, body)
    await gateway.stop()
  }

  @Test func `an owner receives the list of a command, and messages until the end of the loop`() async throws {
    let heard = Recorder<String>()
    try await withOwner(heard) { owner in
      #expect(owner.greeting["id"] == "x")
      let reply = try await owner.perform(.owner(.apps))
      #expect(reply.messages.map(\.json) == [#"{"app":"a"}"#, #"{"app":"b"}"#] && reply.fields["count"] == "2")
      let topics = try await owner.messages(on: [.indicator, .receiver]).prefix(2).reduce(into: []) {
        $0.append($1.topic)
      }
      #expect(topics == ["indicator", "receiver"])
      #expect(await heard.first(6) == ["HELLO", "APPS", "SUB", "SUB", "UNSUB", "UNSUB"])
    }
    #expect(await heard.first(7).last == "BYE")
  }

  @Test func `the messages of a topic end with the error that ended the connection`() async throws {
    try await withOwner(subscribed: { throw CancellationError() }) { owner in
      let messages = try await owner.messages(on: [.indicator])
      await #expect(throws: LinkError.closed) {
        for try await _ in messages {}
      }
    }
  }
}
