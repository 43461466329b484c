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

@Test func `a list says how many it does not name, and fields that are left out are counted`() {
  let line = ServerLine.ok(tag: nil, ["armed": "one,two,three,four", "log": "good"])
  #expect(line.truncated(to: 29) == .ok(tag: nil, ["armed": "one,two,+2", "log": "good"]))
  #expect(line.truncated(to: 25) == .ok(tag: nil, ["armed": "one,+3", "log": "good"]))
  let words = ServerLine.ok(tag: nil, ["a": "12345678901234567890", "b": "12345678901234567890", "c": "1234567890"])
  #expect(words.truncated(to: 45) == .ok(tag: nil, ["a": "12345678901234567890", "omitted": "2"]))
}

private func message(_ json: String) -> ServerLine { .message(.init(topic: "regions", sid: "-", json: json)) }

/// Returns a line without as many bytes as given, which the limit of its length permits no more.
private func shortened(_ line: ServerLine, by excess: Int) -> ServerLine {
  line.truncated(to: line.line.utf8.count - excess)
}

@Test(arguments: [
  ServerLine.info(["a": "one,two,three,four"]), .ok(tag: "@a", ["a": "one,two,three,four", "b": "good"]),
  .error(LineError(.badTopic, "no such topic"), tag: "@a", [:]), message(#"{"text":"long enough"}"#), .ping,
])
func `a line of exactly the maximum length stays whole`(line: ServerLine) {
  #expect(shortened(line, by: 0) == line)
}

@Test func `an error loses no more of its text than the ellipsis needs`() {
  func error(_ text: String) -> ServerLine { .error(LineError(.badTopic, text), tag: nil, [:]) }
  #expect(shortened(error("abcdefghij"), by: 1) == error("abcdef…"))
  #expect(shortened(error("abcdefghij"), by: 2) == error("abcde…"))
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
  #expect(shortened(message(json), by: excess) == message(result))
}

@Test(arguments: [
  ("a,b,+999999", "a,+1000000"), ("a,b,+1000000", "a,b,+1"), ("aa,bb,+0", "aa,+2"), ("one,two,+2", "one,+3"),
])
func `a list that was shortened before counts all its omitted elements`(list: String, shorter: String) {
  #expect(shortened(.ok(tag: nil, ["a": list]), by: 1) == .ok(tag: nil, ["a": shorter]))
}

@Test func `a list keeps its first element, and a list that would not become shorter stays whole`() {
  #expect(
    shortened(.ok(tag: nil, ["a": "abcdefghijklm,nop", "b": "one,two,three"]), by: 5)
      == .ok(tag: nil, ["a": "abcdefghijklm,+1", "b": "one,+2"]))
  let text = String(repeating: "x", count: 20)
  #expect(
    shortened(.ok(tag: nil, ["a": "aa,bb", "b": text]), by: 1) == .ok(tag: nil, ["a": "aa,bb", "omitted": "1"]))
}

@Test func `a reply loses as few fields as the field with their number needs`() {
  let (a, b) = (String(repeating: "a", count: 20), String(repeating: "b", count: 20))
  let line = ServerLine.ok(tag: nil, ["a": a, "b": b, "c": "1234567890"])
  #expect(shortened(line, by: 1) == .ok(tag: nil, ["a": a, "b": b, "omitted": "1"]))
  #expect(shortened(line, by: 2) == .ok(tag: nil, ["a": a, "omitted": "2"]))
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
