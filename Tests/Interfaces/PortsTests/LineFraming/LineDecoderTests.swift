import NIOCore
import NIOEmbedded
import NIOTestUtils
import Ports
import SeededNumbers
import Testing

extension ReceivedLine {
  fileprivate static func text(_ text: String) -> ReceivedLine { .text(ByteBuffer(string: text)) }
}

private func lines(_ chunks: [String], longest: Int = 10) throws -> [ReceivedLine] {
  try decoded(chunks.map { Array($0.utf8) }, longest: longest)
}

private func decoded(_ chunks: [[UInt8]], longest: Int = 10, isMarked: Bool = false) throws -> [ReceivedLine] {
  let channel = EmbeddedChannel(handler: ByteToMessageHandler(LineDecoder(longest: longest, isMarked: isMarked)))
  for chunk in chunks { try channel.writeInbound(ByteBuffer(bytes: chunk)) }
  var lines: [ReceivedLine] = []
  while let line = try channel.readInbound(as: ReceivedLine.self) { lines.append(line) }
  return lines
}

@Test func `lines are the same however their bytes are split`() throws {
  try ByteToMessageDecoderVerifier.verifyDecoder(
    stringInputOutputPairs: [
      ("PING\n", [ReceivedLine.text("PING")]), ("\n", [.text("")]), ("PING\r\n", [.text("PING")]),
      ("a\nb\n", [.text("a"), .text("b")]), ("0123456789\n", [.text("0123456789")]), ("0123456789x\n", [.overlong]),
      ("01234567890123456789\nok\n", [.overlong, .text("ok")]),
    ], decoderFactory: { LineDecoder(longest: 10) })
}

@Test func `of a line that never ends at most one line is held`() throws {
  var decoder = LineDecoder(longest: 100)
  let channel = EmbeddedChannel()
  let context = try channel.pipeline.syncOperations.addHandlerForContext()
  var buffer = ByteBuffer()
  for _ in 0..<10_000 {
    buffer.writeString("xxxxxxxxxxxxxxxxxxxx")
    while try decoder.decode(context: context, buffer: &buffer) == .continue {}
    #expect(buffer.readableBytes <= 121)
  }
}

@Test func `what is no text is a line like any other, and the line after it is read`() throws {
  let found = try decoded([[0xFF, 0xFE, 0x0A, 0x61, 0x0A]])
  #expect(found == [.text(ByteBuffer(bytes: [0xFF, 0xFE])), .text("a")])
}

@Test(arguments: [4096, 512])
func `a line as long as allowed is read, with its CR, and one byte more is too long`(longest: Int) throws {
  let line = String(repeating: "x", count: longest)
  for ending in ["\n", "\r\n"] {
    #expect(try lines([line + ending], longest: longest) == [.text(line)])
    #expect(try lines([line + "x" + ending, "ok\n"], longest: longest) == [.overlong, .text("ok")])
  }
}

@Test func `however garbage is split, the same is found in it, and the line after it is read`() throws {
  var random = SplitMix64(seed: 7)
  for _ in 0..<200 {
    let alphabet: [UInt8] = [0x0A, 0x0D, 0x61, 0xFF, 0x00, 0x80]
    let garbage = (0..<Int.random(in: 0...64, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
    let bytes = garbage + Array("\nPING\n".utf8)
    let whole = try decoded([bytes])
    #expect(whole.last == .text("PING"))
    #expect(try decoded(bytes.map { [$0] }) == whole)
    let cut = Int.random(in: 0...bytes.count, using: &random)
    #expect(try decoded([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
  }
}

@Test func `a break is told, however it is split, and ends whatever was said before it`() throws {
  let text = Array("ab".utf8)
  let end: [UInt8] = [0x0A]
  let marked: [([UInt8], [ReceivedLine])] = [
    ([0xFF, 0, 0], [.breakCondition]), (text + [0xFF, 0, 0] + text + end, [.breakCondition, .text("ab")]),
    (Array(repeating: 0x61, count: 20) + [0xFF, 0, 0] + text + end, [.breakCondition, .text("ab")]),
    // The byte 0xFF and two zeros are no break, and a byte with a framing error is no break.
    ([0xFF, 0xFF, 0, 0] + end, [.text(ByteBuffer(bytes: [0xFF, 0xFF, 0, 0]))]),
    ([0xFF, 0, 0x0A] + text + end, [.text(ByteBuffer(bytes: [0xFF, 0, 0x0A] + text))]),
  ]
  for (bytes, expected) in marked {
    #expect(try decoded([bytes], isMarked: true) == expected)
    #expect(try decoded(bytes.map { [$0] }, isMarked: true) == expected)
  }
  #expect(try decoded([[0xFF, 0, 0] + end]) == [.text(ByteBuffer(bytes: [0xFF, 0, 0]))])
}

private final class Quiet: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
}

extension ChannelPipeline.SynchronousOperations {
  fileprivate func addHandlerForContext() throws -> ChannelHandlerContext {
    let handler = Quiet()
    try addHandler(handler)
    return try context(handler: handler)
  }
}
