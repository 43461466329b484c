import Testing

@Suite struct DeliveryTests {
  @Test func `a fix without an acknowledgement is sent again after 5 s, with the same content`() async throws {
    try await Daemon.with(authorizing: "peer") { daemon in
      let peer = try await Peer.connected(daemon)
      _ = try await peer.reply(to: "REQ once")
      let asked = ContinuousClock.now
      try await daemon.press(until: ["served", "granted"])
      let first = try await peer.next("MSG fix/once - id=1 {")
      let second = try await peer.next("MSG fix/once")
      #expect(ContinuousClock.now - asked >= .seconds(5))
      #expect(second == first.replacing("id=1 ", with: "id=1 dup=1 "))
      #expect(try await peer.reply(to: "ACK 1") == "+OK")
      #expect(
        try await daemon.log().count { $0.contains(#""event":"disclosure""#) } == 2, "one of them the introduction")
    }
  }

  @Test func `another app cannot resume a session`() async throws {
    try await Daemon.with(authorizing: "peer") { daemon in
      let peer = try Peer(daemon.socket)
      let token = try #require(try await peer.reply(to: "HELLO 1 app=peer").firstMatch(of: /session=(\w+)/)?.1)
      _ = try await peer.reply(to: "REQ once")
      try await daemon.press(until: ["served", "granted"])
      _ = try await peer.next("MSG fix/once")
      try await peer.disconnect()
      let thief = try await Peer.connected(daemon, app: "thief", " session=\(token)")
      #expect(try await thief.reply(to: "PING") == "PONG")
      #expect(thief.received("MSG fix/once") == [])
    }
  }

  @Test func `with reduced accuracy each fix has only time, radius and the same position`() async throws {
    try await Daemon.with { daemon in
      let first = try await daemon.fix("--accuracy", "reduced")
      let second = try await daemon.fix("--accuracy", "reduced", "--app", "other")
      let third = try await daemon.fix("--accuracy", "reduced")
      for fix in [first, second, third] {
        #expect(fix.keys == ["time", "lat", "lon", "hacc", "accuracy"])
        #expect(fix.accuracy == "reduced")
        #expect(try #require(fix["time"]).wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:(00|15|30|45):00(\.0+)?Z/) != nil)
        #expect(try #require(fix.number("hacc")) > 100)
        #expect(fix.latitude == first.latitude && fix.longitude == first.longitude)
      }
      let full = try await daemon.fix()
      #expect(full.latitude != first.latitude)
      #expect(try await daemon.log().count { $0.contains(#""accuracy":"reduced""#) } == 3)
    }
  }
}
