import OneFixClient
import Requirements
import ScriptedGateways
import Testing

/// The recovery from a damaged line, if lines have checksums.
@Suite(.patient) struct ResynchronizationTests {
  private static let greeting = "INFO proto=1 id=x caps=crc"
  /// A line whose checksum is wrong.
  private static let damaged = "MSG indicator - {}*0000"

  /// Returns the verb of a command, whose line ends with a checksum.
  private static func verb(_ words: [String]) -> String { String(words[0].prefix { $0 != "*" }) }

  @Test func `after each damaged line the client asks for the state again`() async throws {
    try await withGateway(options: lossy) { connection, _ in
      try await connection.send(Self.greeting)
      var states = ["off", "acquiring", "locked"]
      while true {
        let (words, tag, _) = try await connection.command()
        try await connection.send(checked("+OK \(tag) session=s1"))
        if Self.verb(words) == "STATE" { try await connection.send(Self.damaged) }
        guard Self.verb(words) == "SUB", words[1] == "indicator", !states.isEmpty else { continue }
        let state = states.removeFirst()
        try await connection.send(checked(#"MSG indicator indicator ret=1 {"state":"\#(state)"}"#))
        if state == "off" { try await connection.send(Self.damaged) }
      }
    } _: { client in
      var seen: [OneFixClient.Indicator] = []
      for try await state in client.indicator {
        seen.append(state)
        if state == .acquiring { try await client.enterForeground() }
        if state == .locked { break }
      }
      #expect(seen == [.off, .acquiring, .locked])
    }
  }

  @Test func `after a damaged line the client continues each request that is pending`() async throws {
    let heard = Recorder<String>()
    try await withGateway(options: lossy) { connection, _ in
      try await connection.send(Self.greeting)
      var tags: Set<String> = []
      while true {
        let (words, tag, _) = try await connection.command()
        let verb = Self.verb(words)
        // On a busy machine the client may repeat a command, with the same tag.
        if tags.insert(tag).inserted { heard.record(verb) }
        if verb == "START", heard.values.count(where: { $0 == "START" }) == 2 {
          try await connection.send(checked("-ERR 421 already-armed \(tag) :no"))
          let authorization = #"{"status":"whenInUse","accuracy":"reduced"}"#
          try await connection.send(checked("MSG authorization authorization \(authorization)"))
          try await connection.send(checked("MSG fix/once - id=7 \(fixJSON(7))"))
          try await connection.send(checked("MSG fix/updates - \(fixJSON(2))"))
          continue
        }
        let state = verb == "AUTHORIZE" ? "asking" : "awaiting-press"
        try await connection.send(checked("+OK \(tag) session=s1 state=\(state) indicator=prompt"))
        if verb == "START" { try await connection.send(checked("MSG fix/updates - \(fixJSON(1))")) }
        if verb == "STATE" { try await connection.send(Self.damaged) }
      }
    } _: { client in
      let (armed, seen) = (Recorder<Int>(), Recorder<Double?>())
      let authorizing = Task { try await client.requestAuthorization(.whenInUse) }
      #expect(await heard.first(4) == ["HELLO", "SUB", "SUB", "AUTHORIZE"])
      let asking = Task { try await client.requestOnce(armed: { armed.record(1) }) }
      await armed.first(1)
      let looping = Task { for try await fix in client.updates() { seen.record(fix.coordinate?.latitude) } }
      await seen.first(1)
      try await client.enterForeground()
      #expect(await seen.first(2) == [1, 2])
      let (authorization, fix) = (try await authorizing.value, try await asking.value)
      #expect(authorization.status == .whenInUse && fix.coordinate?.latitude == 7)
      #expect(heard.values.prefix(11).dropFirst(4) == ["REQ", "START", "STATE", "SUB", "STATUS", "STATUS", "START"])
      looping.cancel()
    }
  }
}
