import OneFixClient
import Requirements
import ScriptedGateways
import Testing

extension GatewayConnection {
  /// Begins a session and accepts its request. The connection can be lost as soon as the client knows this.
  fileprivate mutating func acceptRequest(until armed: Recorder<Int>) async throws {
    try await greet()
    try await accept()
    await armed.first(1)
  }
}

@Suite(.patient(.seconds(60))) struct ConversationTests {
  @Test(arguments: [0, -1, Int.max])
  func `the gateway refuses an invalid timeout, and the connection stays open`(seconds: Int) async throws {
    try await withGateway { connection, _ in
      try await connection.greet()
      let (words, tag, _) = try await connection.command()
      try await connection.send("-ERR 405 bad-argument \(tag) :\(words.last ?? "")")
      try await connection.agree()
    } _: { client in
      await #expect {
        _ = try await client.requestOnce(OnceRequest(timeout: seconds))
      } throws: {
        "\($0)" == "405 bad-argument: timeout=\(seconds)"
      }
    }
  }

  @Test func `a keepalive that is set later is kept within its limits, too`() {
    var options = OneFixClient.Options(keepalive: 60)
    options.keepalive = .max
    #expect(options.keepalive == 3600)
    options.keepalive = -1
    #expect(options.keepalive == 0)
  }

  @Test func `a request that is cancelled is cancelled at the gateway before the call returns`() async throws {
    let heard = Recorder<String>()
    let armed = Recorder<Int>()
    try await withGateway { connection, _ in
      try await connection.greet()
      try await connection.accept()
      try await connection.agree(heard)
    } _: { client in
      let asking = Task { try await client.requestOnce(armed: { armed.record(1) }) }
      await armed.first(1)
      await #expect(
        throws: ClientError.alreadyAsking(
          LineError(.alreadyArmed, "this client already waits for a press or a fix"))
      ) { _ = try await client.requestOnce() }
      asking.cancel()
      await #expect(throws: ClientError.cancelled) { _ = try await asking.value }
      #expect(heard.values == ["CANCEL"])
    }
  }

  @Test func `a request that is cancelled while its session is resumed is cancelled at the gateway`() async throws {
    let (heard, armed, isOver) = (Recorder<String>(), Recorder<Int>(), Recorder<Int>())
    try await withGateway { connection, number in
      if number == 0 { return try await connection.acceptRequest(until: armed) }
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        if words[0] == "STOP" { await isOver.first(1) }
        try await connection.send("+OK \(tag) session=s2 state=awaiting-press")
      }
    } _: { client in
      let asking = Task { try await client.requestOnce(armed: { armed.record(1) }) }
      #expect(await heard.first(5) == ["HELLO", "UNSUB", "SUB", "STATUS", "STOP"])
      asking.cancel()
      await #expect(throws: ClientError.cancelled) { _ = try await asking.value }
      isOver.record(1)
      #expect(await heard.first(6)[5] == "CANCEL")
    }
  }

  @Test func `if lines get lost, a request whose fix came before its reply is cancelled`() async throws {
    let heard = Recorder<String>()
    try await withGateway(options: lossy) { connection, _ in
      try await connection.greet()
      let (_, tag, _) = try await connection.command()
      try await connection.send("MSG fix/once - id=7 \(fixJSON(1))")
      try await connection.send("+OK \(tag) state=awaiting-press")
      try await connection.agree(heard)
    } _: { client in
      let fix = try await client.requestOnce()
      #expect(fix.coordinate?.latitude == 1)
      // On a busy machine the client may repeat its request.
      #expect(heard.values.filter { $0 != "REQ once" } == ["ACK 7", "CANCEL"])
    }
  }

  @Test
  func `if a reply is lost, and its request ends before its copy is refused, the fix still arrives`() async throws {
    let heard = Recorder<String>()
    try await withGateway(options: lossy) { connection, _ in
      try await connection.greet()
      _ = try await connection.command()
      let (_, copy, _) = try await connection.command()
      try await connection.send("-ERR 421 already-armed \(copy) :no")
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words.joined(separator: " "))
        try await connection.send("+OK \(tag) state=idle")
        // The fix arrives after the client has read the reply to STATUS.
        if words == ["STATE", "background"] { try await connection.send("MSG fix/once - id=7 dup=1 \(fixJSON(1))") }
      }
    } _: { client in
      let asking = Task { try await client.requestOnce() }
      await heard.first(1)
      try await client.enterForeground()
      try await client.enterBackground()
      let fix = try await asking.value
      #expect(fix.coordinate?.latitude == 1)
    }
  }

  @Test func `if lines get lost, a request that was sent once and is refused for another request fails`() async throws {
    let heard = Recorder<String>()
    try await withGateway(options: lossy) { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        try await connection.send(words[0] == "REQ" ? "-ERR 421 already-armed \(tag) :no" : "+OK \(tag) state=idle")
      }
    } _: { client in
      await #expect {
        _ = try await client.requestOnce()
      } throws: { error in
        // On a busy machine the client may repeat its request. The fix of the first copy could then come later.
        error as? ClientError == .alreadyAsking(LineError(.alreadyArmed, "no"))
          || heard.values.count { $0 == "REQ" } > 1
      }
    }
  }

  @Test func `a fix and a press for an earlier request do not answer a request that is not sent yet`() async throws {
    let answers = Recorder<Double?>()
    try await withGateway { connection, number in
      if number == 0 { return try await connection.greet() }
      // One of the two calls is refused, so the other call waits for the connection.
      await answers.first(1)
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        if words[0] == "UNSUB" {
          try await connection.send("MSG fix/once - id=1 dup=1 \(fixJSON(1))")
          try await connection.send(#"MSG button/press press {"authorized":false,"reason":"restricted"}"#)
        }
        try await connection.send("+OK \(tag) session=s1 state=idle")
        if words[0] == "REQ" { try await connection.send("MSG fix/once - id=2 \(fixJSON(2))") }
      }
    } _: { client in
      _ = try await client.connection.first { if case .lost = $0 { true } else { false } }
      for _ in 0..<2 { Task { answers.record(try? await client.requestOnce().coordinate?.latitude) } }
      #expect(await answers.first(2) == [nil, 2])
    }
  }

  @Test func `a request that is refused after the loss of its session reports the reason`() async throws {
    let armed = Recorder<Int>()
    try await withGateway { connection, number in
      try await connection.greet(session: "s\(number)")
      if number == 0 {
        try await connection.accept()
        await armed.first(1)
        return
      }
      let (_, tag, _) = try await connection.command()
      try await connection.send("-ERR 411 denied \(tag) :no")
      try await connection.agree()
    } _: { client in
      await #expect(throws: ClientError.denied(LineError(.denied, "no"))) {
        _ = try await client.requestOnce(armed: { armed.record(1) })
      }
    }
  }

  @Test func `if lines get lost, the fix of a request that ended meanwhile still arrives`() async throws {
    let armed = Recorder<Int>()
    try await withGateway(options: lossy) { connection, number in
      if number == 0 { return try await connection.acceptRequest(until: armed) }
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        try await connection.send("+OK \(tag) session=s2 state=idle")
        if words[0] == "STOP" { try await connection.send("MSG fix/once - id=7 dup=1 \(fixJSON(1))") }
      }
    } _: { client in
      let fix = try await client.requestOnce(armed: { armed.record(1) })
      #expect(fix.coordinate?.latitude == 1)
    }
  }

  @Test(arguments: [true, false])
  func `a request fails at its deadline while the connection is lost`(isAccepted: Bool) async throws {
    let (armed, isOver) = (Recorder<Int>(), Recorder<Int>())
    try await withGateway { connection, number in
      if number == 0 {
        return isAccepted ? try await connection.acceptRequest(until: armed) : try await connection.greet()
      }
      // The gateway does not greet.
      await isOver.first(1)
    } _: { client in
      if !isAccepted { _ = try await client.connection.first { if case .lost = $0 { true } else { false } } }
      await #expect(throws: ClientError.connectionLost) {
        _ = try await client.requestOnce(OnceRequest(timeout: 3), armed: { armed.record(1) })
      }
      isOver.record(1)
    }
  }

  @Test func `a request reports each press, and ends with a press that the configuration forbids`() async throws {
    let heard = Recorder<String>()
    let pressed = Recorder<OneFixClient.PressNotification>()
    try await withGateway { connection, _ in
      try await connection.greet()
      try await connection.accept()
      for json in [
        #"{"authorized":false,"reason":"nothing-armed"}"#, #"{"authorized":false}"#, #"{"authorized":true}"#, "{}",
        #"{"authorized":false,"reason":"restricted"}"#,
      ] {
        try await connection.send("MSG button/press press \(json)")
      }
      try await connection.agree(heard)
    } _: { client in
      await #expect {
        _ = try await client.requestOnce(pressed: { pressed.record($0) })
      } throws: { error in
        if case ClientError.restricted = error { true } else { false }
      }
      #expect(
        pressed.values == [
          .unauthorized("nothing-armed"), .unauthorized("unknown"), .authorized, .unauthorized("restricted"),
        ])
      #expect(await heard.first(1).first == "CANCEL")
    }
  }

  @Test func `an app in the background reports its state again after the loss of its session`() async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, number in
      try await connection.greet(session: "s\(number)")
      guard number == 0 else { return try await connection.agree(heard) }
      let (_, tag, _) = try await connection.command()
      try await connection.send("+OK \(tag)")
    } _: { client in
      try await client.enterBackground()
      #expect(await heard.first(1).first == "STATE background")
    }
  }

  @Test func `a cancelled call ends immediately, and its reply answers no other call`() async throws {
    let heard = Recorder<String>()
    let isOver = Recorder<Int>()
    try await withGateway { connection, _ in
      heard.record("connection")
      try await connection.greet()
      let (words, tag, _) = try await connection.command()
      heard.record(words[0])
      // The gateway answers only after the call has ended.
      await isOver.first(1)
      try await connection.send("+OK \(tag) count=1")
      let (_, next, _) = try await connection.command()
      // A reply without a count ends an empty list.
      try await connection.send("+OK \(next)")
      try await connection.agree()
    } _: { client in
      let listing = Task { try await client.regions() }
      await heard.first(2)
      listing.cancel()
      await #expect(throws: ClientError.cancelled) { _ = try await listing.value }
      isOver.record(1)
      let regions = try await client.regions()
      #expect(regions.isEmpty)
      #expect(heard.values == ["connection", "REGION"], "the connection goes on")
    }
  }

  @Test func `a call that is cancelled during a lost connection ends, and the client continues`() async throws {
    let heard = Recorder<String>()
    let cancelled = Recorder<Int>()
    try await withGateway { connection, number in
      try await connection.greet()
      if number > 0 { return try await connection.agree() }
      heard.record(try await connection.command().words[0])
      // The gateway disconnects instead of an answer.
      await cancelled.first(1)
    } _: { client in
      let telling = Task { try await client.enterBackground() }
      await heard.first(1)
      telling.cancel()
      cancelled.record(1)
      await #expect(throws: ClientError.cancelled) { try await telling.value }
      try await client.enterForeground()
    }
  }

  @Test(arguments: [
    String(repeating: "x", count: 65_537) + "\n", "\u{0}\u{1}" + String(repeating: "MSG ", count: 20_000) + "\n",
    "MSG fix/once - id=1 {\"lat\":\n", "+OK\n-ERR\nMSG\nINFO\n-ERR 999 x :y\nPONG @x\n{}\n",
  ])
  func `after any bytes from a gateway, a client can send commands`(garbage: String) async throws {
    try await withGateway { connection, number in
      try await connection.greet()
      // After these bytes, a client may disconnect or continue.
      if number == 0 { try await connection.send(raw: garbage) }
      try await connection.agree()
    } _: { client in
      try await client.enterBackground()
    }
  }

  @Test func `bytes without a line end count as silence`() async throws {
    let connections = Recorder<Int>()
    try await withGateway(options: OneFixClient.Options(backoff: hasty.backoff, keepalive: 2)) { connection, number in
      connections.record(number)
      try await connection.greet()
      if number > 0 { return try await connection.agree() }
      while true { try await connection.send(raw: String(repeating: "x", count: 100_000)) }
    } _: { client in
      await connections.first(2)
      try await client.enterForeground()
    }
  }

  @Test func `a silent gateway is disconnected, and a gateway that answers pings is not`() async throws {
    let connections = Recorder<Int>()
    let kept = Recorder<Int>()
    try await withGateway(options: OneFixClient.Options(backoff: hasty.backoff, keepalive: 2)) { connection, number in
      connections.record(number)
      try await connection.greet()
      var pings = 0
      while true {
        let line = try await connection.receive()
        if number == 0 { continue }
        // Any other line means that the client ends the session.
        guard line == "PING" else { return }
        pings += 1
        // A client that ignores the answers disconnects after one ping.
        if pings == 3 { kept.record(number) }
        try await connection.send("PONG")
      }
    } _: { _ in
      await connections.first(2)
      await kept.first(1)
    }
  }

  @Test func `after a permanent refusal the client does not connect again, and all calls fail`() async throws {
    let connections = Recorder<Int>()
    try await withGateway { connection, number in
      connections.record(number)
      if number == 0 { return try await connection.greet() }
      try await connection.send("INFO proto=1 id=x")
      _ = try await connection.receive()
      try await connection.send("-ERR 902 auth-failed :uid 1000 is not app")
    } _: { client in
      let isRefused = { (error: any Error) in if case ClientError.unauthenticated = error { true } else { false } }
      await #expect { for try await _ in client.connection {} } throws: { isRefused($0) }
      await #expect { _ = try await client.requestOnce() } throws: { isRefused($0) }
      #expect(connections.values == [0, 1])
    }
  }

  @Test func `without a backoff a lost connection is final`() async throws {
    try await withGateway(options: OneFixClient.Options(backoff: nil)) { connection, number in
      #expect(number == 0)
      try await connection.greet()
      _ = try await connection.receive()
    } _: { client in
      await #expect(throws: ClientError.connectionLost) { _ = try await client.requestOnce() }
    }
  }

  @Test func `a client that is released closes its connection`() async throws {
    let ends = Recorder<Int>()
    let socket = TemporarySocket()
    let gateway = try await ScriptedGateway(socket.path) { connection, number in
      defer { ends.record(number) }
      try await connection.greet()
      _ = try await connection.command()
    }
    do { _ = try await OneFixClient.connect(socket.endpoint, app: "app") }
    await ends.first(1)
    await gateway.stop()
  }

  @Test func `at close sequences end, and requests throw an error`() async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        try await connection.send("+OK \(tag) state=asking")
        heard.record(words[0])
      }
    } _: { client in
      let authorizing = Task { try await client.requestAuthorization(.whenInUse) }
      #expect(await heard.first(2) == ["SUB", "AUTHORIZE"])
      let asking = Task { try await client.requestOnce() }
      let listening = Task { try await client.connection.reduce(0) { count, _ in count + 1 } }
      let presses = Task { for try await _ in client.presses {} }
      await client.close()
      #expect(try await listening.value <= 1)
      try await presses.value
      await #expect(throws: ClientError.closed) { _ = try await asking.value }
      await #expect(throws: ClientError.closed) { _ = try await authorizing.value }
      await #expect(throws: ClientError.closed) { try await client.enterBackground() }
    }
  }

  private static let key = OneFixClient.Key(base64url: String(repeating: "A", count: 43))!

  @Test(arguments: [
    (OneFixClient.Endpoint.unix(path(103)), "no such file or directory", "is onefixd running?"),
    (.unix(path(104)), "the path of a socket can have at most 103 bytes", "use a shorter path"),
    // No program listens at the first port.
    (.tcp(host: "127.0.0.1", port: 1, key: key), "connection refused", "is onefixd running?"),
  ])
  func `if there is no gateway, the error names the cause and a remedy, also for a path that is too long`(
    endpoint: OneFixClient.Endpoint, cause: String, remedy: String
  ) async throws {
    await #expect(throws: ClientError.noGateway(endpoint: "\(endpoint)", cause: cause, remedy: remedy)) {
      _ = try await OneFixClient.connect(endpoint, app: "app")
    }
  }

  private static func path(_ length: Int) -> String { "/tmp/" + String(repeating: "x", count: length - 5) }

  @Test func `an endpoint is described by its path, or by its host and port`() {
    let endpoints: [OneFixClient.Endpoint] = [
      .unix("/tmp/a"), .tcp(host: "127.0.0.1", port: 1, key: Self.key), .tcp(host: "::1", port: 7447, key: Self.key),
      .tls(host: "::1", port: 7448, .key(Self.key)),
    ]
    #expect(endpoints.map { "\($0)" } == ["/tmp/a", "127.0.0.1:1", "[::1]:7447", "[::1]:7448 (TLS)"])
  }

  @Test(arguments: [(false, 0, true), (false, 1, false), (true, 2, true), (true, 3, false)])
  func `the first connection has one attempt, and three attempts if lines get lost`(
    crc: Bool, losses: Int, isConnected: Bool
  ) async throws {
    let hasConnected = try await connects(options: crc ? lossy : hasty) { connection, number in
      if number < losses {
        try await connection.send("INFO proto=1 id=x")
        _ = try await connection.command()
        return
      }
      try await connection.greet()
      try await connection.agree()
    }
    #expect(hasConnected == isConnected)
  }

  /// Whether a client can connect to a scripted gateway.
  private func connects(
    options: OneFixClient.Options,
    _ play: @escaping @Sendable (inout GatewayConnection, _ number: Int) async throws -> Void
  ) async throws -> Bool {
    let socket = TemporarySocket()
    let gateway = try await ScriptedGateway(socket.path, play)
    let client = try? await OneFixClient.connect(socket.endpoint, app: "app", options: options)
    await client?.close()
    await gateway.stop()
    return client != nil
  }

  // MARK: Limits

  @Test(arguments: [(1000, 1), (1001, 5)])
  func `a list has at most 1000 regions, and the client asks for a list at most five times`(
    count: Int, requests: Int
  ) async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words.joined(separator: " "))
        for number in 0..<count {
          let centre = try #require(Coordinate(latitude: 47, longitude: 8))
          let region = try Region(id: "r\(number)", centre: centre, radius: 100, events: [.enter], text: "Milk?")
          try await connection.send("MSG regions - \(region.json)")
        }
        try await connection.send("+OK \(tag) count=\(count)")
      }
    } _: { client in
      let listed = try? await client.regions()
      #expect(listed?.count == (count == 1000 ? 1000 : nil))
      #expect(heard.values.count == requests)
    }
  }

  @Test(arguments: [(65_536, true), (65_537, false)])
  func `the client reads a line of 65,536 bytes, and no longer one`(length: Int, isRead: Bool) async throws {
    let hasConnected = try await connects(options: hasty) { connection, _ in
      let rest = "INFO proto=1 server=scripted id= maxline=4096".utf8.count
      try await connection.greet(id: String(repeating: "x", count: length - rest))
      try await connection.agree()
    }
    #expect(hasConnected == isRead)
  }
}
