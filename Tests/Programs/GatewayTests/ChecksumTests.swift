import ControlledBoard
import LineProtocol
import Requirements
import Testing

/// Returns the line with its checksum.
func checked(_ line: String) -> String {
  let bytes = Array(line.utf8)
  return String(decoding: bytes + Checksum.ending(Checksum.crc16(bytes.span)), as: UTF8.self)
}

/// Returns the line without its checksum. Nil if the checksum is missing or wrong.
func verified(_ line: String) -> String? {
  let bytes = Array(line.utf8)
  return Checksum.verified(bytes.span).map { String(decoding: bytes[..<$0], as: UTF8.self) }
}

private func withTalker(_ hello: String, _ body: (Bench, Talker) async throws -> Void) async throws {
  try await Bench(confirmed()).run { bench in
    let talker = try await Talker.connect(bench.folder + "/s", hello)
    try await body(bench, talker)
    try await talker.hangUp()
  }
}

@Test(.patient)
func `with checksums agreed, every line from the reply to HELLO on has its checksum`() async throws {
  try await withTalker("HELLO 1 app=parks crc") { bench, talker in
    let received = await talker.received
    #expect(received.count == 2 && verified(received[0]) == nil && received[0].hasPrefix("INFO "))
    #expect(verified(received[1])?.hasPrefix("+OK proto=1 session=") == true)
    #expect(verified(try await talker.reply(to: checked("@a PING"))) == "PONG @a")
    #expect(verified(try await talker.reply(to: checked("SUB indicator s"))) == "+OK")
    let indicator = verified(try await talker.next("MSG indicator"))
    #expect(indicator?.hasSuffix("{\"state\":\"off\"}") == true)
    #expect(verified(try await talker.reply(to: checked("REQ once"))) == "+OK state=awaiting-press")
    await bench.receiver.send(second: 30)
    await bench.pressInTime()
    await bench.receiver.send(second: 31)
    let fix = try #require(verified(try await talker.next("MSG fix/once")))
    #expect(fix.contains("\"lat\":47.37"))
    for line in await talker.received.dropFirst() { #expect(verified(line) != nil, "\(line)") }
  }
}

@Test(.patient)
func `a line with a missing or wrong checksum is refused and has no effect`() async throws {
  try await withTalker("HELLO 1 app=parks crc") { _, talker in
    for line in [
      "REQ once", "REQ once*0000", "@a REQ once*", checked("REQ once").lowercased() + "0", "\u{1}\u{2}*1234",
    ] {
      let refused = verified(try await talker.reply(to: line))
      #expect(refused?.hasPrefix("-ERR 401 bad-crc :") == true)
    }
    // No request was armed, and the connection still works.
    let armed = try await verified(talker.reply(to: checked("REQ once")))
    #expect(armed == "+OK state=awaiting-press")
    // An empty line is a heartbeat. An unknown command with a correct checksum has its usual error code.
    let unknown = verified(try await talker.reply(to: "\n" + checked("FLY")))
    #expect(unknown?.hasPrefix("-ERR 403 unknown-verb ") == true)
    #expect(verified(try await talker.reply(to: checked("") + "\n" + checked("PING"))) == "PONG")
  }
}

@Test(.patient)
func `a HELLO may have a checksum, which is then verified`() async throws {
  try await withTalker("HELLO 1 app=parks keepalive=20 crc*0000") { _, talker in
    let refused = await talker.received[1]
    #expect(refused.hasPrefix("-ERR 401 bad-crc ") && verified(refused) == nil)
    let taken = verified(try await talker.reply(to: checked("HELLO 1 app=parks crc")))
    #expect(taken?.hasPrefix("+OK proto=1 ") == true)
  }
  // A checksum on HELLO alone does not enable checksums.
  try await withTalker(checked("HELLO 1 app=parks")) { _, talker in
    let (welcome, answer) = (await talker.received[1], try await talker.reply(to: "PING"))
    #expect(welcome.hasPrefix("+OK proto=1 ") && answer == "PONG")
  }
}

@Test(.patient)
func `without agreed checksums a line may end like a checksum`() async throws {
  try await withTalker("HELLO 1 app=parks") { _, talker in
    let (armed, unknown) = (
      try await talker.reply(to: "REQ once purpose=Room *0000"), try await talker.reply(to: checked("PING"))
    )
    #expect(armed == "+OK state=awaiting-press" && unknown.hasPrefix("-ERR 403 "))
  }
}
