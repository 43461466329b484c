import LineProtocol
import Testing

/// The line with its checksum.
private func checked(_ line: String) -> String {
  let bytes = Array(line.utf8)
  return String(decoding: bytes + Checksum.ending(Checksum.crc16(bytes.span)), as: UTF8.self)
}

/// The line without its checksum; nil where it has none, or a wrong one.
private func verified(_ line: String) -> String? {
  let bytes = Array(line.utf8)
  return Checksum.verified(bytes.span).map { String(decoding: bytes[..<$0], as: UTF8.self) }
}

private func withTalker(_ hello: String, _ body: (Bench, Talker) async throws -> Void) async throws {
  let bench = try await Bench(confirmed: ["parks"])
  do {
    let talker = try await Talker.connect(bench.folder + "/s", hello)
    try await body(bench, talker)
    try await talker.hangUp()
  } catch {
    await bench.stop()
    throw error
  }
  await bench.stop()
}

@Test func `from the reply to HELLO on every line has its checksum, where that was agreed`() async throws {
  try await withTalker("HELLO 1 app=parks crc") { bench, talker in
    let heard = await talker.heard
    #expect(heard.count == 2 && verified(heard[0]) == nil && heard[0].hasPrefix("INFO "))
    #expect(verified(heard[1])?.hasPrefix("+OK proto=1 session=") == true)
    let said1 = try await verified(talker.say(checked("@a PING")))
    #expect(said1 == "PONG @a")
    let said2 = try await verified(talker.say(checked("SUB indicator s")))
    #expect(said2 == "+OK")
    let said3 = try await verified(talker.next("MSG indicator"))
    #expect(said3?.hasSuffix("{\"state\":\"off\"}") == true)
    let said4 = try await verified(talker.say(checked("REQ once")))
    #expect(said4 == "+OK state=awaiting-press")
    bench.receiver.say(second: 30)
    try await bench.pressInTime()
    bench.receiver.say(second: 31)
    let fix = try #require(verified(try await talker.next("MSG fix/once")))
    #expect(fix.contains("\"lat\":47.37"))
    for line in await talker.heard.dropFirst() { #expect(verified(line) != nil, "\(line)") }
  }
}

@Test func `a line without its checksum, or with a wrong one, is told so and does nothing`() async throws {
  try await withTalker("HELLO 1 app=parks crc") { _, talker in
    for line in [
      "REQ once", "REQ once*0000", "@a REQ once*", checked("REQ once").lowercased() + "0", "\u{1}\u{2}*1234",
    ] {
      let answer = try await talker.say(line)
      #expect(verified(answer)?.hasPrefix("-ERR 401 bad-crc :") == true)
    }
    // Nothing was armed, and the connection is as good as before.
    let said5 = try await verified(talker.say(checked("REQ once")))
    #expect(said5 == "+OK state=awaiting-press")
    // An empty line is a sign of life; what is right but no command has the code that it would have.
    let unknown = try await talker.say("\n" + checked("FLY"))
    #expect(verified(unknown)?.hasPrefix("-ERR 403 unknown-verb ") == true)
    let said6 = try await verified(talker.say(checked("") + "\n" + checked("PING")))
    #expect(said6 == "PONG")
  }
}

@Test func `a HELLO may have its checksum already, and then it counts`() async throws {
  try await withTalker("HELLO 1 app=parks keepalive=20 crc*0000") { _, talker in
    let refused = await talker.heard[1]
    #expect(refused.hasPrefix("-ERR 401 bad-crc ") && verified(refused) == nil)
    let hello = try await talker.say(checked("HELLO 1 app=parks crc"))
    #expect(verified(hello)?.hasPrefix("+OK proto=1 ") == true)
  }
  // It alone agrees on nothing.
  try await withTalker(checked("HELLO 1 app=parks")) { _, talker in
    #expect(await talker.heard[1].hasPrefix("+OK proto=1 "))
    let said7 = try await talker.say("PING")
    #expect(said7 == "PONG")
  }
}

@Test func `where checksums were not agreed, a line may end like one`() async throws {
  try await withTalker("HELLO 1 app=parks") { _, talker in
    let said8 = try await talker.say("REQ once purpose=Room *0000")
    #expect(said8 == "+OK state=awaiting-press")
    let said9 = try await talker.say(checked("PING"))
    #expect(said9.hasPrefix("-ERR 403 "))
  }
}
