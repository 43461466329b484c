import LineProtocol
import Testing

private func read(_ bytes: [UInt8]) throws -> TaggedCommand { try TaggedCommand(parsing: bytes.span) }

@Test func `every command reads back the same, with and without a tag`() throws {
  var speech = Speech(seed: 20_261_121)
  var kinds: Set<String> = []
  for _ in 0..<2000 {
    for command in try speech.commands() {
      let tagged = TaggedCommand(command, tag: speech.tag())
      var buffer = TextBuffer()
      tagged.write(to: &buffer)
      #expect(try read(buffer.bytes) == tagged, "\(buffer.text)")
      #expect(buffer.text == tagged.line)
      kinds.insert(kind(command))
    }
  }
  #expect(kinds.count == 38)
}

@Test func `every line of the gateway reads back the same`() {
  var speech = Speech(seed: 21_261_121)
  var (kinds, codes): (Set<String>, Set<ErrorCode>) = ([], [])
  for _ in 0..<5000 {
    for line in speech.serverLines() {
      var buffer = TextBuffer()
      line.write(to: &buffer)
      #expect(ServerLine(parsing: buffer.bytes.span) == line, "\(buffer.text)")
      #expect(buffer.text == line.line)
      kinds.insert(kind(line))
      if case .error(let error, _, _) = line { codes.insert(error.code) }
    }
  }
  #expect(kinds.count == 6 && codes == Set(ErrorCode.allCases))
}

@Test func `every value is one word of its line`() {
  var speech = Speech(seed: 22_261_121)
  for _ in 0..<2000 {
    let (tag, value) = (speech.tag(), speech.anything())
    let word = value.utf8.map { $0 <= 0x20 || $0 == 0x7F ? UInt8(ascii: "-") : $0 }
    let line = ServerLine.ok(tag: tag, ["state": value, "next": "x"]).line
    let read = ServerLine.ok(tag: tag, ["state": String(decoding: word, as: UTF8.self), "next": "x"])
    #expect(ServerLine(parsing: line) == read, "\(line)")
  }
}

/// Returns the beginnings of a line, and the line with each of its bits flipped.
private func damaged(_ line: String) -> [[UInt8]] {
  let bytes = Array(line.utf8)
  var lines = bytes.indices.map { Array(bytes[..<$0]) }
  for bit in 0..<bytes.count * 8 {
    var flipped = bytes
    flipped[bit / 8] ^= 1 << (bit % 8)
    lines.append(flipped)
  }
  return lines
}

@Test func `each truncated line and flipped bit is refused, or accepted and read back the same`() throws {
  var speech = Speech(seed: 3)
  for line in try speech.commands().flatMap({ damaged(TaggedCommand($0, tag: "@a").line) }) {
    guard let taken = try? read(line) else { continue }
    #expect(try read(Array(taken.line.utf8)) == taken)
  }
  for line in speech.serverLines().flatMap({ damaged($0.line) }) {
    guard let taken = ServerLine(parsing: line.span) else { continue }
    #expect(ServerLine(parsing: taken.line) != nil)
  }
}

@Test func `case does not matter in verbs and keys, and spaces between words do not count`() throws {
  var speech = Speech(seed: 5)
  for command in try speech.commands() {
    let line = command.line
    guard let space = line.firstIndex(of: " ") else {
      #expect(try TaggedCommand(parsing: line.lowercased()).command == command)
      continue
    }
    let spaced = "  " + line[..<space].lowercased() + "   " + line[space...]
    #expect(try TaggedCommand(parsing: spaced).command == command)
  }
}

@Test(arguments: [
  ([0xFF, 0xFE], "a line must be UTF-8 text"), (Array("PING \u{E9}".utf8.dropLast()), "a line must be UTF-8 text"),
  (Array("@a PING ".utf8) + [0xC0, 0x80], "a line must be UTF-8 text"), (Array("PING\u{0}".utf8), "control characters"),
])
func `bytes that are not text are refused as an invalid line`(bytes: [UInt8], text: String) {
  #expect {
    try read(bytes)
  } throws: {
    guard let error = ($0 as? RejectedLine)?.error else { return false }
    return error.code == .badLine && error.text.contains(text)
  }
  #expect(text.contains("control") || ServerLine(parsing: bytes.span) == nil)
}

@Test(arguments: [
  ("+OK state=idle @a=1 =x ä=2 X=3", ServerLine.ok(tag: nil, ["state": "idle", "x": "3"])),
  ("-ERR 420 slug =a @b=1 :t", .error(LineError(.noPress, "t"), tag: nil, [:])),
  ("INFO proto=1 id=boat-3 maxline=4laxline\0=qos1", .info(["proto": "1", "id": "boat-3"])),
])
func `an invalid key or value in a line of the gateway is left out`(line: String, expected: ServerLine) {
  #expect(ServerLine(parsing: line) == expected && ServerLine(parsing: expected.line) == expected)
}
