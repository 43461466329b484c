import LineProtocol
import Testing

/// The example in the library's documentation.
@Test func `the example of the documentation answers a request`() throws {
  let asked = try TaggedCommand(parsing: "@1 REQ once purpose=Find parks near me")
  let answer = ServerLine.ok(tag: asked.tag, ["state": "awaiting-press"])
  print(answer.line)
  #expect(answer.line == "+OK @1 state=awaiting-press")
}
