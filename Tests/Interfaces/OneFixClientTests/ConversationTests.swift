import OneFixClient
import Testing

/// Runs a test's body with a scripted gateway and a client of it.
private func withGateway(
  options: OneFixClient.Options = hasty,
  _ play: @escaping @Sendable (inout Visitor, _ number: Int) async throws -> Void,
  _ body: (OneFixClient) async throws -> Void
) async throws {
  let place = SocketPlace()
  let gateway = try await ScriptedGateway(.unix(place.path), play)
  let client = try await OneFixClient.connect(place.endpoint, app: "app", options: options)
  try await body(client)
  await client.close()
  await gateway.stop()
}

/// Answers everything with OK, until the client hangs up.
private func agree(_ visitor: inout Visitor, _ heard: Told<String>? = nil) async throws {
  while true {
    let (words, tag, _) = try await visitor.command()
    heard?.tell(words.joined(separator: " "))
    try await visitor.send("+OK \(tag)")
  }
}

@Suite(.timeLimit(.minutes(10))) struct ConversationTests {
  @Test func `a fix that comes again is acknowledged again and answers no later request`() async throws {
    let heard = Told<String>()
    try await withGateway { visitor, _ in
      try await visitor.greet()
      var (_, tag, _) = try await visitor.command()
      try await visitor.send("+OK \(tag) state=awaiting-press")
      try await visitor.send("MSG fix/once - id=7 \(fixJSON(1))")
      heard.tell(try await visitor.command().line.split(separator: " ").dropFirst().joined(separator: " "))
      (_, tag, _) = try await visitor.command()
      try await visitor.send("+OK \(tag) state=awaiting-press")
      try await visitor.send("MSG fix/once - id=7 dup=1 \(fixJSON(1))")
      heard.tell(try await visitor.command().line.split(separator: " ").dropFirst().joined(separator: " "))
      try await visitor.send("MSG fix/once - id=8 \(fixJSON(2))")
      try await agree(&visitor, heard)
    } _: { client in
      let first = try await client.requestOnce()
      let second = try await client.requestOnce()
      #expect([first, second].map(\.coordinate?.latitude) == [1, 2])
      #expect(await heard.first(3).prefix(3) == ["ACK 7", "ACK 7", "ACK 8"])
    }
  }

  @Test(arguments: [
    ("414 locked", "414 locked: no"), ("420 no-press", "420 no-press: no"), ("411 denied", "411 denied: no"),
    ("510 no-fix", "510 no-fix: no"), ("513 store", "513 store: no"),
  ])
  func `a request that comes to nothing after it was accepted says why`(code: String, text: String) async throws {
    try await withGateway { visitor, _ in
      try await visitor.greet()
      let (_, tag, _) = try await visitor.command()
      try await visitor.send("+OK \(tag) state=awaiting-press")
      try await visitor.send("-ERR \(code) \(tag) :no")
      try await agree(&visitor)
    } _: { client in
      await #expect { _ = try await client.requestOnce() } throws: { "\($0)" == text }
    }
  }

  @Test(arguments: [0, -1, Int.max])
  func `a timeout that cannot be is refused by the gateway, and no loss of the connection`(seconds: Int) async throws {
    try await withGateway { visitor, _ in
      try await visitor.greet()
      let (words, tag, _) = try await visitor.command()
      try await visitor.send("-ERR 405 bad-argument \(tag) :\(words.last ?? "")")
      try await agree(&visitor)
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

  @Test func `a refusal without a tag answers what was said first, and says when to come back`() async throws {
    try await withGateway { visitor, _ in
      try await visitor.greet()
      _ = try await visitor.receive()
      try await visitor.send("-ERR 430 rate-limited retry-after=7 :more than 50 commands at once (wait a second)")
      try await agree(&visitor)
    } _: { client in
      await #expect {
        _ = try await client.requestOnce()
      } throws: { error in
        guard case ClientError.tooSoon(_, retryAfter: .seconds(7)) = error else { return false }
        return true
      }
    }
  }

  @Test func `a request that is cancelled is cancelled at the gateway before the call returns`() async throws {
    let heard = Told<String>()
    let armed = Told<Int>()
    try await withGateway { visitor, _ in
      try await visitor.greet()
      let (_, tag, _) = try await visitor.command()
      try await visitor.send("+OK \(tag) state=awaiting-press")
      try await agree(&visitor, heard)
    } _: { client in
      let asking = Task { try await client.requestOnce(armed: { armed.tell(1) }) }
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
    let (heard, armed, isOver) = (Told<String>(), Told<Int>(), Told<Int>())
    try await withGateway { visitor, number in
      if number == 0 {
        try await visitor.greet()
        let (_, tag, _) = try await visitor.command()
        try await visitor.send("+OK \(tag) state=awaiting-press")
        await armed.first(1)
        return
      }
      try await visitor.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await visitor.command()
        heard.tell(words[0])
        if words[0] == "STOP" { await isOver.first(1) }
        try await visitor.send("+OK \(tag) session=s2 state=awaiting-press")
      }
    } _: { client in
      let asking = Task { try await client.requestOnce(armed: { armed.tell(1) }) }
      #expect(await heard.first(5) == ["HELLO", "UNSUB", "SUB", "STATUS", "STOP"])
      asking.cancel()
      await #expect(throws: ClientError.cancelled) { _ = try await asking.value }
      isOver.tell(1)
      #expect(await heard.first(6)[5] == "CANCEL")
    }
  }

  @Test func `where lines get lost, a request whose fix came before its reply is cancelled before the next`()
    async throws
  {
    let heard = Told<String>()
    var options = hasty
    options.crc = true
    try await withGateway(options: options) { visitor, _ in
      try await visitor.greet()
      let (_, tag, _) = try await visitor.command()
      try await visitor.send("MSG fix/once - id=7 \(fixJSON(1))")
      try await visitor.send("+OK \(tag) state=awaiting-press")
      try await agree(&visitor, heard)
    } _: { client in
      let fix = try await client.requestOnce()
      #expect(fix.coordinate?.latitude == 1)
      #expect(heard.values == ["ACK 7", "CANCEL"])
    }
  }

  @Test func `a call that is cancelled ends at once, and its reply answers nothing else`() async throws {
    let heard = Told<String>()
    let isOver = Told<Int>()
    try await withGateway { visitor, _ in
      heard.tell("visitor")
      try await visitor.greet()
      let (words, tag, _) = try await visitor.command()
      heard.tell(words[0])
      // It does not answer before the call has ended.
      await isOver.first(1)
      try await visitor.send("+OK \(tag) count=1")
      let (_, next, _) = try await visitor.command()
      try await visitor.send("+OK \(next) count=0")
      try await agree(&visitor)
    } _: { client in
      let listing = Task { try await client.regions() }
      await heard.first(2)
      listing.cancel()
      await #expect(throws: ClientError.cancelled) { _ = try await listing.value }
      isOver.tell(1)
      let regions = try await client.regions()
      #expect(regions.isEmpty)
      #expect(heard.values == ["visitor", "REGION"], "the connection goes on")
    }
  }

  @Test func `a call that is cancelled while its connection is lost ends, and the client goes on`() async throws {
    let heard = Told<String>()
    let cancelled = Told<Int>()
    try await withGateway { visitor, number in
      try await visitor.greet()
      if number > 0 { return try await agree(&visitor) }
      heard.tell(try await visitor.command().words[0])
      // It hangs up instead of an answer.
      await cancelled.first(1)
    } _: { client in
      let telling = Task { try await client.enterBackground() }
      await heard.first(1)
      telling.cancel()
      cancelled.tell(1)
      await #expect(throws: ClientError.cancelled) { try await telling.value }
      try await client.enterForeground()
    }
  }

  @Test(arguments: [
    String(repeating: "x", count: 65_537) + "\n", "\u{0}\u{1}" + String(repeating: "MSG ", count: 20_000) + "\n",
    "MSG fix/once - id=1 {\"lat\":\n", "+OK\n-ERR\nMSG\nINFO\n-ERR 999 x :y\nPONG @x\n{}\n",
  ])
  func `whatever a gateway says, a client asks on`(garbage: String) async throws {
    try await withGateway { visitor, number in
      if number == 0 {
        try await visitor.greet()
        try await visitor.send(raw: garbage)
        // A client may hang up on it, or go on.
        try await agree(&visitor)
      } else {
        try await visitor.greet()
        try await agree(&visitor)
      }
    } _: { client in
      try await client.enterBackground()
    }
  }

  @Test func `bytes that never become a line are silence`() async throws {
    let visits = Told<Int>()
    try await withGateway(options: OneFixClient.Options(backoff: hasty.backoff, keepalive: 4)) { visitor, number in
      visits.tell(number)
      try await visitor.greet()
      if number > 0 { return try await agree(&visitor) }
      while true { try await visitor.send(raw: String(repeating: "x", count: 100_000)) }
    } _: { client in
      await visits.first(2)
      try await client.enterForeground()
    }
  }

  @Test func `a gateway that is silent is given up, and one that answers signs of life is kept`() async throws {
    let visits = Told<Int>()
    let kept = Told<Int>()
    try await withGateway(options: OneFixClient.Options(backoff: hasty.backoff, keepalive: 4)) { visitor, number in
      visits.tell(number)
      try await visitor.greet()
      var pings = 0
      while true {
        let line = try await visitor.receive()
        if number == 0 { continue }
        // Another line means that the client ends.
        guard line == "PING" else { return }
        pings += 1
        // A client that does not count the answers leaves after one ping.
        if pings == 3 { kept.tell(number) }
        try await visitor.send("PONG")
      }
    } _: { _ in
      await visits.first(2)
      await kept.first(1)
    }
  }

  @Test func `who refuses the app for good is not asked again, and everything ends with its reason`() async throws {
    let visits = Told<Int>()
    try await withGateway { visitor, number in
      visits.tell(number)
      if number == 0 { return try await visitor.greet() }
      try await visitor.send("INFO proto=1 id=x")
      _ = try await visitor.receive()
      try await visitor.send("-ERR 902 auth-failed :uid 1000 is not app")
    } _: { client in
      let isRefused = { (error: any Error) in if case ClientError.unauthenticated = error { true } else { false } }
      await #expect { for try await _ in client.connection {} } throws: { isRefused($0) }
      await #expect { _ = try await client.requestOnce() } throws: { isRefused($0) }
      #expect(visits.values == [0, 1])
    }
  }

  @Test func `without a backoff a lost connection is the end`() async throws {
    try await withGateway(options: OneFixClient.Options(backoff: nil)) { visitor, number in
      #expect(number == 0)
      try await visitor.greet()
      _ = try await visitor.receive()
    } _: { client in
      await #expect(throws: ClientError.connectionLost) { _ = try await client.requestOnce() }
    }
  }

  @Test func `at close sequences end, and requests say so`() async throws {
    let armed = Told<Int>()
    try await withGateway { visitor, _ in
      try await visitor.greet()
      try await agree(&visitor)
    } _: { client in
      let asking = Task { try await client.requestOnce(OnceRequest(), armed: { armed.tell(1) }) }
      let listening = Task {
        var count = 0
        for try await _ in client.connection { count += 1 }
        return count
      }
      let presses = Task {
        for try await _ in client.presses {}
      }
      await client.close()
      #expect(try await listening.value <= 1)
      try await presses.value
      await #expect(throws: ClientError.closed) { _ = try await asking.value }
      await #expect(throws: ClientError.closed) { try await client.enterBackground() }
    }
  }

  @Test func `where nobody listens, the first connection says so at once`() async throws {
    await #expect {
      _ = try await OneFixClient.connect(.unix("/tmp/onefix-there-is-none"), app: "app")
    } throws: { error in
      guard case ClientError.noGateway("/tmp/onefix-there-is-none", "no such file or directory") = error else {
        return false
      }
      return "\(error)".hasSuffix("(is onefixd running?)")
    }
  }
}
