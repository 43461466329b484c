import LineProtocol
import Testing

/// What the library's documentation shows.
@Test func `the example of the documentation answers a request`() throws {
  let asked = try TaggedCommand(parsing: "@1 REQ once purpose=Find parks near me")
  let answer = ServerLine.ok(tag: asked.tag, ["state": "awaiting-press"])
  print(answer.line)
  #expect(answer.line == "+OK @1 state=awaiting-press")
}
