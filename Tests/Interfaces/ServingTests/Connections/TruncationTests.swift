import Base
import Foundation
import GNSS
import LineProtocol
import Ports
import SeededNumbers
import Testing

@testable import Serving

/// Letters of every length in UTF-8, combining marks, and characters that JSON escapes.
private let letters = ["a", "Z", "\"", "\\", "é", "中", "𝄞", "o\u{0323}\u{0302}", " ", "7"]

private func text(_ length: Int, _ random: inout SplitMix64) -> String {
  (0..<length).map { _ in letters.randomElement(using: &random)! }.joined()
}

@Test(arguments: 0..<200 as Range<UInt64>)
func `whatever is said fits, and is as good a line as before`(seed: UInt64) throws {
  var random = SplitMix64(seed: seed)
  var object = JSONObject()
  object.add("id", "home")
  for key in ["text", "says", "name"] { object.add(key, text(Int.random(in: 0...400, using: &random), &random)) }
  object.add("last", 7)
  let words = (0..<Int.random(in: 2...90, using: &random)).map { "app-\($0)" }.joined(separator: ",")
  let lines: [ServerLine] = [
    .message(.init(topic: "regions", sid: "-", json: object.text)),
    .error(LineError(.badTopic, text(Int.random(in: 0...900, using: &random), &random)), tag: "@a", [:]),
    .ok(tag: "@tag", ["gateway": "boat", "armed": words, "long": String(repeating: "x", count: 400), "log": "good"]),
  ]
  for line in lines {
    let fitted = line.truncated(to: 507)
    #expect(fitted.line.utf8.count <= 507)
    #expect(ServerLine(parsing: fitted.line) == fitted)
    if line.line.utf8.count <= 507 { #expect(fitted == line) }
    switch fitted {
    case .message(let message):
      let members = try JSONSerialization.jsonObject(with: Data(message.json.utf8)) as? [String: Any]
      #expect(members?["id"] as? String == "home" && members?["last"] as? Int == 7, "\(message.json)")
    case .error(let error, let tag, _): #expect(error.code == .badTopic && tag == "@a")
    case .ok(let tag, let fields): #expect(tag == "@tag" && fields["gateway"] == "boat")
    case .info, .ping, .pong: Issue.record("\(fitted)")
    }
  }
}

private func message(_ json: String) -> ServerLine { .message(.init(topic: "regions", sid: "-", json: json)) }

private func refusal(_ text: String) -> ServerLine { .error(LineError(.badTopic, text), tag: nil, [:]) }

private func reply(_ fields: ServerLine.Fields) -> ServerLine { .ok(tag: nil, fields) }

private let (twentyA, twentyB) = (String(repeating: "a", count: 20), String(repeating: "b", count: 20))

@Test(
  arguments: [
    // A line of exactly the maximum length stays whole.
    (.info(["a": "one,two,three,four"]), 0, .info(["a": "one,two,three,four"])), (.ping, 0, .ping),
    (reply(["a": "one,two,three,four", "b": "x"]), 0, reply(["a": "one,two,three,four", "b": "x"])),
    (refusal("no such topic"), 0, refusal("no such topic")),
    (message(#"{"text":"long enough"}"#), 0, message(#"{"text":"long enough"}"#)),
    (refusal("abcdefghij"), 1, refusal("abcdef…")), (refusal("abcdefghij"), 2, refusal("abcde…")),
    // A list says how many elements it does not name, and keeps its first element.
    (reply(["a": "one,two,three,four", "b": "x"]), 8, reply(["a": "one,two,+2", "b": "x"])),
    (reply(["a": "one,two,three,four", "b": "x"]), 9, reply(["a": "one,+3", "b": "x"])),
    (reply(["a": "abcdefghijklm,nop", "b": "one,two,three"]), 5, reply(["a": "abcdefghijklm,+1", "b": "one,+2"])),
    // A list that was shortened before counts all its omitted elements.
    (reply(["a": "a,b,+999999"]), 1, reply(["a": "a,+1000000"])), (reply(["a": "aa,bb,+0"]), 1, reply(["a": "aa,+2"])),
    (reply(["a": "a,b,+1000000"]), 1, reply(["a": "a,b,+1"])), (reply(["a": "one,two,+2"]), 1, reply(["a": "one,+3"])),
    // Fields are left out last, and as few as the field with their number needs. A list that would not become shorter
    // stays whole.
    (reply(["a": "aa,bb", "b": twentyA]), 1, reply(["a": "aa,bb", "omitted": "1"])),
    (
      reply(["a": twentyA, "b": twentyB, "c": "1234567890"]), 1,
      reply(["a": twentyA, "b": twentyB, "omitted": "1"])
    ),
    (reply(["a": twentyA, "b": twentyB, "c": "1234567890"]), 2, reply(["a": twentyA, "omitted": "2"])),
  ] as [(ServerLine, Int, ServerLine)])
func `a line loses no more than its limit needs`(line: ServerLine, excess: Int, result: ServerLine) {
  #expect(line.truncated(to: line.line.utf8.count - excess) == result)
}

@Test(arguments: [
  (#"{"t":"abcdefghij"}"#, 1, #"{"t":"abcdef…"}"#), (#"{"t":"abcdefghij"}"#, 2, #"{"t":"abcde…"}"#),
  // A shorter text stays whole, and so does each key.
  (#"{"t":"abcdefghij","u":"abcdefghi"}"#, 1, #"{"t":"abcdef…","u":"abcdefghi"}"#),
  (#"{"description":"abcdefgh"}"#, 1, #"{"description":"abcd…"}"#),
  // An escape sequence stays whole, or is left out.
  (#"{"t":"ab\u001bcdefgh"}"#, 2, #"{"t":"ab\u001bc…"}"#), (#"{"t":"ab\u001bcdefgh"}"#, 3, #"{"t":"ab\u001b…"}"#),
  (#"{"t":"ab\u001bcdefgh"}"#, 4, #"{"t":"ab…"}"#), (#"{"t":"a\"bcdefgh"}"#, 4, #"{"t":"a\"…"}"#),
  (#"{"t":"a\"bcdefgh"}"#, 5, #"{"t":"a…"}"#),
])
func `a message loses the end of its longest text, and no more than the ellipsis needs`(
  json: String, excess: Int, result: String
) {
  let line = message(json)
  #expect(line.truncated(to: line.line.utf8.count - excess) == message(result))
}

@Test(arguments: ["+999999", "+-1", "+1000000", "+9223372036854775806", "+9223372036854775807"])
func `a text that ends like a number of omitted elements is shortened without an overflow`(end: String) throws {
  let words = (0..<90).map { "app-\($0)" }.joined(separator: ",")
  let line = ServerLine.ok(tag: nil, ["model": "a,b,\(end)", "armed": words, "log": "good"])
  let fitted = line.truncated(to: 60)
  #expect(fitted.line.utf8.count <= 60)
  #expect(ServerLine(parsing: fitted.line) == fitted)
}

/// The fix has the most precise numbers and the longest words.
@Test func `the fullest fix has room on a serial port, however long its subscription's name`() {
  var fix = FixReport(
    coordinate: Coordinate(latitude: -47.123456789123, longitude: -171.123456789123)!,
    horizontalAccuracy: 12_345.12345678912, accuracy: .reduced)
  fix.time = UTCTime(nanosecondsSince1970: 1_700_000_000_123_456_789)
  (fix.altitude, fix.verticalAccuracy) = (-12_345.12345678912, 12_345.12345678912)
  (fix.speed, fix.speedAccuracy) = (1234.12345678912, 123.12345678912)
  (fix.course, fix.courseAccuracy) = (359.12345678912, 179.12345678912)
  (fix.mode, fix.satellites, fix.age, fix.geoidSeparation) = (.threeDimensional, 99, 60_000, -107.12345678912)
  fix.measured = fix.time
  fix.dilutionOfPrecision = DilutionOfPrecision(horizontal: 99.99, vertical: 99.99, position: 99.99)
  fix.quality = .differential
  fix.isCoasted = true
  let sid = String(repeating: "s", count: 32)
  let once = ServerLine.message(
    .init(topic: "fix/once", sid: sid, id: 1_000_000, isRedelivered: true, json: fix.json))
  let update = ServerLine.message(.init(topic: "fix/updates", sid: sid, json: fix.json))
  let longest = Transport.longestSerialLine - Checksum.length
  #expect(once.line.utf8.count <= longest)
  #expect(update.line.utf8.count + ",\"dropped\":1000000".utf8.count <= longest)
}
