import PseudoTerminals
import Requirements
import ScriptedGateways
import Testing

@testable import OneFixClient

/// Opens a connection to a scripted gateway, and runs the body of a test with the connection.
private func withLink(
  crc: Bool = false, _ play: @escaping @Sendable (inout GatewayConnection) async throws -> Void,
  _ body: (Link) async throws -> Void
) async throws {
  let socket = TemporarySocket()
  let gateway = try await ScriptedGateway(socket.path) { connection, _ in try await play(&connection) }
  let link = try await Link.open(socket.endpoint, keepalive: 0, crc: crc) { _ in }
  try await body(link)
  link.cut()
  _ = await link.over()
  await gateway.stop()
}

@Suite(.patient) struct LinkTests {
  private static func purpose(_ text: String) -> Command { .requestOnce(OnceRequest(purpose: text)) }

  @Test(arguments: [("40", 40), ("0", 4096), ("-1", 4096), ("many", 4096)])
  func `a command has at most the length that the gateway accepts, and 4096 bytes without a valid length`(
    length: String, longest: Int
  ) async throws {
    try await withLink {
      try await $0.send("INFO proto=1 id=x maxline=\(length)")
      try await $0.agree()
    } _: { link in
      let text = String(repeating: "x", count: longest - "@a REQ once purpose=".utf8.count)
      _ = try await link.send(Self.purpose(text), tag: "@a")
      let error = LineError(.lineTooLong, "a line must have at most \(longest) bytes")
      await #expect(throws: LinkError.refused(error)) {
        _ = try await link.send(Self.purpose(text + "x"), tag: "@a")
      }
    }
  }

  @Test func `a line that is too long ends a connection on which no lines get lost`() async throws {
    try await withLink {
      try await $0.send("INFO proto=1 id=x")
      let (_, tag, _) = try await $0.command()
      try await $0.send(String(repeating: "x", count: Connector.longestLine + 1))
      try await $0.send("+OK \(tag)")
    } _: { link in
      let cause = "it sent a line that is not text, or has more than \(Connector.longestLine) bytes"
      await #expect(throws: LinkError.unexpected(cause)) { _ = try await link.send(.status) }
    }
  }

  @Test(arguments: ["a\nBYE", "a\u{1F}", "a\u{7F}", "\0"])
  func `a command with a control character is not sent`(text: String) async throws {
    let heard = Recorder<String>()
    try await withLink {
      try await $0.send("INFO proto=1 id=x")
      try await $0.agree(heard)
    } _: { link in
      let error = LineError(.badLine, "a line must not contain control characters")
      await #expect(throws: LinkError.refused(error)) { _ = try await link.send(Self.purpose(text)) }
      _ = try await link.send(.status)
      #expect(heard.values == ["STATUS"])
    }
  }

  @Test(arguments: [(3, true), (4, false)])
  func `before checksums are agreed, a refused command is sent again at most three times`(
    refusals: Int, isAccepted: Bool
  ) async throws {
    try await withLink(crc: true) {
      try await $0.send("INFO proto=1 id=x caps=crc")
      for number in 0... {
        let (_, tag, _) = try await $0.command()
        try await $0.send(number < refusals ? "-ERR 405 bad-argument :no" : checked("+OK \(tag) session=s1"))
      }
    } _: { link in
      let fields = try? await link.authenticate(app: "app", keepalive: 0)
      #expect((fields != nil) == isAccepted)
    }
  }

  @Test(arguments: [
    (true, "id=x caps=tls,crc", true), (true, "id=x caps=tls", false), (true, "id=x", false),
    (false, "id=x caps=crc", false),
  ])
  func `lines have checksums if the client asks for them and the gateway supports them`(
    crc: Bool, greeting: String, isUsed: Bool
  ) async throws {
    let heard = Recorder<String>()
    try await withLink(crc: crc) {
      try await $0.send("INFO proto=1 \(greeting)")
      let (_, tag, line) = try await $0.command()
      heard.record(line)
      let reply = "+OK \(tag) session=s1"
      try await $0.send(isUsed ? checked(reply) : reply)
    } _: { link in
      _ = try await link.authenticate(app: "app", keepalive: 0)
      #expect(heard.values.map { $0.contains("*") } == [isUsed])
    }
  }

  @Test(arguments: [(0, "STATUS"), (1, "PING")])
  func `an interval of one second gives pings, and an interval of zero gives none`(
    keepalive: Int, line: String
  ) async throws {
    let heard = Recorder<String>()
    try await withLink {
      try await $0.send("INFO proto=1 id=x")
      let (_, tag, _) = try await $0.command()
      try await $0.send("+OK \(tag) session=s1")
      heard.record(try await $0.receive())
    } _: { link in
      _ = try await link.authenticate(app: "app", keepalive: keepalive)
      if keepalive == 0 { _ = try? await link.send(.status) }
      #expect(await heard.first(1)[0].hasSuffix(line))
    }
  }

  @Test(arguments: [true, false])
  func `at a serial port a greeting counts from its second copy, and without checksums from its first`(
    crc: Bool
  ) async throws {
    let terminal = try PseudoTerminal()
    let playing = Task {
      var greetings = ["an earlier line\nINFO id=first", "INFO id=second nonce=1", "INFO id=second nonce=2"]
      var heard: [UInt8] = []
      while !Task.isCancelled {
        heard += terminal.receive()
        await Task.yield()
        guard let end = heard.firstIndex(of: UInt8(ascii: "\n")) else { continue }
        let line = String(decoding: heard[..<end], as: UTF8.self)
        heard.removeFirst(end + 1)
        if line == "HELLO", !greetings.isEmpty { terminal.send("\(greetings.removeFirst())\n") }
        let words = line.split(separator: " ")
        if words.contains("HELLO"), words.count > 1 { terminal.send("+OK \(words[0]) session=s1\n") }
        // The gateway has restarted.
        if words.contains("STATUS") { terminal.send("INFO id=third\n") }
      }
    }
    defer { playing.cancel() }
    let link = try await Link.open(.serial(terminal.path), keepalive: 0, crc: crc) { _ in }
    #expect(await link.greeting["id"] == (crc ? "second" : "first"))
    _ = try await link.authenticate(app: "app", keepalive: 0)
    await #expect(throws: LinkError.closed) { _ = try await link.send(.status) }
    _ = await link.over()
  }
}
