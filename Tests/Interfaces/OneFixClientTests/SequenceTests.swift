import OneFixClient
import Requirements
import ScriptedGateways
import Testing

/// Answers the commands of a client, and sends messages of the test on a subscription.
private func answer(
  _ connection: inout GatewayConnection, _ words: [String], _ tag: String, states: [String: String]
) async throws {
  try await connection.send("+OK \(tag)")
  if words[0] == "SUB", let state = states[words[1]] {
    try await connection.send("MSG \(words[1]) \(words[2]) ret=1 \(state)")
  }
}

@Suite(.patient) struct SequenceTests {
  @Test func `a reader receives the present state, each change, and the state after a lost connection`() async throws {
    try await withGateway { connection, number in
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        let states = ["indicator": #"{"state":"\#(number == 0 ? "off" : "in-use")"}"#]
        try await answer(&connection, words, tag, states: states)
        guard words[0] == "SUB", words[1] == "indicator", number == 0 else { continue }
        for state in ["acquiring", "acquiring", "of-a-later-version", "prompt"] {
          try await connection.send(#"MSG indicator indicator {"state":"\#(state)"}"#)
        }
        return
      }
    } _: { client in
      let seen = try await client.indicator.prefix(4).reduce(into: []) { $0.append($1) }
      #expect(seen == [.off, .acquiring, .prompt, .inUse])
      let present = try await client.indicator.first { _ in true }
      #expect(present == .inUse, "a later reader receives the present state first")
    }
  }

  @Test func `a reader that stops during a lost connection does not stop the other readers`() async throws {
    let (begun, isOver) = (Recorder<Int>(), Recorder<Int>())
    try await withGateway { connection, number in
      if number > 0 { await isOver.first(1) }
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        try await answer(&connection, words, tag, states: ["indicator": #"{"state":"off"}"#])
        if number == 0 && words[0] == "SUB" { return }
      }
    } _: { client in
      _ = try await client.connection.first { if case .lost = $0 { true } else { false } }
      func listen(_ number: Int) -> Task<OneFixClient.Indicator?, any Error> {
        Task {
          // Each call waits for the previous call.
          await begun.first(number)
          begun.record(number)
          return try await client.indicator.first { _ in true }
        }
      }
      let (first, second) = (listen(0), listen(1))
      await begun.first(2)
      #expect(await client.greeting.pairs.isEmpty)
      first.cancel()
      #expect(try await first.value == nil)
      isOver.record(1)
      #expect(try await second.value == OneFixClient.Indicator.off)
    }
  }

  @Test func `the end of the loop stops the updates, new updates can start, and end with a reason`() async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        try await connection.send("+OK \(tag) state=acquiring")
        if words[0] == "START" {
          // The gateway sends more fixes than the client reads. The client keeps the newest fix.
          for number in 0...50 { try await connection.send("MSG fix/updates - \(fixJSON(Double(number)))") }
          let isLast = heard.values.count { $0 == "START" } == 4
          if isLast { try await connection.send("-ERR 413 not-in-use \(tag) :no") }
        }
      }
    } _: { client in
      for _ in 0..<3 {
        var last = -1.0
        for try await fix in client.updates() {
          let latitude = try #require(fix.coordinate?.latitude)
          #expect(latitude > last)
          last = latitude
          if last == 50 { break }
        }
      }
      #expect(await heard.first(5).prefix(5) == ["START", "STOP", "START", "STOP", "START"])
      await #expect(throws: ClientError.notInUse(LineError(.notInUse, "no"))) {
        for try await _ in client.updates() {}
      }
    }
  }

  @Test func `updates whose loop ends during their restart are stopped`() async throws {
    let (heard, seen, isOver) = (Recorder<String>(), Recorder<Int>(), Recorder<Int>())
    try await withGateway { connection, number in
      try await connection.greet(session: "s\(number)")
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record("\(number) \(words[0])")
        if number == 1 && words[0] == "START" { await isOver.first(1) }
        try await connection.send("+OK \(tag) state=acquiring")
        guard number == 0 else { continue }
        try await connection.send("MSG fix/updates - \(fixJSON(1))")
        await seen.first(1)
        return
      }
    } _: { client in
      let looping = Task { for try await _ in client.updates() { seen.record(1) } }
      #expect(await heard.first(2) == ["0 START", "1 START"])
      looping.cancel()
      try await looping.value
      isOver.record(1)
      #expect(await heard.first(3)[2] == "1 STOP")
    }
  }

  @Test func `an authorization request ends with its answer, and is repeated in a new session`() async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, number in
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words.joined(separator: " "))
        switch words[0] {
        case "UNSUB": try await connection.send("-ERR 405 bad-argument \(tag) :there is no subscription")
        case "AUTHORIZE":
          try await connection.send("+OK \(tag) state=asking authorization=notDetermined accuracy=full")
          if number == 0 { return }
          try await connection.send(#"MSG authorization authorization {"status":"whenInUse","accuracy":"reduced"}"#)
        default:
          let states = ["authorization": #"{"status":"notDetermined","accuracy":"full"}"#]
          try await answer(&connection, words, tag, states: states)
        }
      }
    } _: { client in
      let outcome = try await client.requestAuthorization(.whenInUse(purpose: "To warn of shallows"))
      #expect(outcome == OneFixClient.Authorization(status: .whenInUse, accuracy: .reduced))
      let asked = heard.values.filter { $0.hasPrefix("AUTHORIZE") }
      #expect(asked == Array(repeating: "AUTHORIZE when-in-use purpose=To warn of shallows", count: 2))
    }
  }

  @Test(arguments: [("prompt", AuthorizationStatus.always), ("off", .whenInUse)])
  func `after a lost connection, an authorization request waits only while its prompt is still open`(
    indicator: String, status: AuthorizationStatus
  ) async throws {
    try await withGateway { connection, number in
      try await connection.send("INFO proto=1 id=x")
      while true {
        let (words, tag, _) = try await connection.command()
        let state = "state=\(words[0] == "AUTHORIZE" ? "asking" : "idle") indicator=\(indicator)"
        try await connection.send("+OK \(tag) session=s1 \(state) authorization=whenInUse accuracy=full")
        if words[0] == "AUTHORIZE" { return }
        guard number > 0, words[0] == "STOP" else { continue }
        try await connection.send(#"MSG authorization authorization {"status":"always","accuracy":"full"}"#)
      }
    } _: { client in
      let authorization = try await client.requestAuthorization(.whenInUse)
      #expect(authorization.status == status)
    }
  }

  @Test func `a question that the cancellation of a request for a fix withdraws is asked again`() async throws {
    let (heard, armed) = (Recorder<String>(), Recorder<Int>())
    try await withGateway { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        try await connection.send("+OK \(tag) state=\(words[0] == "AUTHORIZE" ? "asking" : "awaiting-press")")
        guard words[0] == "AUTHORIZE", heard.values.contains("CANCEL") else { continue }
        try await connection.send(#"MSG authorization authorization {"status":"whenInUse","accuracy":"full"}"#)
      }
    } _: { client in
      let authorizing = Task { try await client.requestAuthorization(.whenInUse) }
      #expect(await heard.first(2) == ["SUB", "AUTHORIZE"])
      let asking = Task { try await client.requestOnce(armed: { armed.record(1) }) }
      await armed.first(1)
      asking.cancel()
      let authorization = try await authorizing.value
      #expect(authorization == OneFixClient.Authorization(status: .whenInUse, accuracy: .full))
      #expect(heard.values == ["SUB", "AUTHORIZE", "REQ", "CANCEL", "AUTHORIZE"])
      await #expect(throws: ClientError.cancelled) { _ = try await asking.value }
    }
  }

  @Test func `an authorization request whose reply was lost waits for the prompt, which is still open`() async throws {
    try await withGateway { connection, number in
      try await connection.send("INFO proto=1 id=x")
      var hasAsked = false
      while true {
        let (words, tag, _) = try await connection.command()
        if words[0] == "AUTHORIZE", number == 0 { return }
        try await connection.send("+OK \(tag) session=s1 indicator=prompt authorization=notDetermined accuracy=full")
        hasAsked = hasAsked || words[0] == "AUTHORIZE"
        guard hasAsked, words[0] == "STATUS" else { continue }
        try await connection.send(#"MSG authorization authorization {"status":"always","accuracy":"full"}"#)
      }
    } _: { client in
      let authorization = try await client.requestAuthorization(.whenInUse)
      #expect(authorization.status == .always)
    }
  }

  @Test func `a region is removed even if the connection is lost before the reply`() async throws {
    try await withGateway { connection, number in
      try await connection.greet()
      let (_, tag, _) = try await connection.command()
      if number == 0 { return }
      try await connection.send("-ERR 405 bad-argument \(tag) :no region home")
      try await connection.agree()
    } _: { client in
      try await client.removeRegion(id: "home")
    }
  }

  @Test func `a reader receives the refusal of its subscription, and a later reader subscribes`() async throws {
    let heard = Recorder<String>()
    try await withGateway { connection, _ in
      try await connection.greet()
      while true {
        let (words, tag, _) = try await connection.command()
        heard.record(words[0])
        if words[0] == "SUB", heard.values.count == 1 {
          try await connection.send("-ERR 431 too-many \(tag) :no")
        } else {
          try await answer(&connection, words, tag, states: ["indicator": #"{"state":"off"}"#])
        }
      }
    } _: { client in
      await #expect(throws: ClientError.tooMany(LineError(.tooMany, "no"))) {
        for try await _ in client.indicator {}
      }
      let present = try await client.indicator.first { _ in true }
      #expect(present == .off)
    }
  }
}
