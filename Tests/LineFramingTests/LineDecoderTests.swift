import LineFraming
import NIOCore
import NIOEmbedded
import NIOTestUtils
import Testing

private func lines(_ chunks: [String], longest: Int = 10) throws -> [ReceivedLine] {
  let channel = EmbeddedChannel(handler: ByteToMessageHandler(LineDecoder(longest: longest)))
  for chunk in chunks { try channel.writeInbound(ByteBuffer(string: chunk)) }
  var lines: [ReceivedLine] = []
  while let line = try channel.readInbound(as: ReceivedLine.self) { lines.append(line) }
  _ = try? channel.finish(acceptAlreadyClosed: true)
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

@Test func `a line that never ends is thrown away and the next one is read`() throws {
  let endless = Array(repeating: String(repeating: "x", count: 1000), count: 100)
  #expect(try lines(endless + ["\n", "PING\n"]) == [.overlong, .text("PING")])
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

@Test func `what is no UTF-8 is told, and the line after it is read`() throws {
  let channel = EmbeddedChannel(handler: ByteToMessageHandler(LineDecoder(longest: 10)))
  try channel.writeInbound(ByteBuffer(bytes: [0xFF, 0xFE, 0x0A, 0x61, 0x0A]))
  #expect(try channel.readInbound(as: ReceivedLine.self) == .garbled)
  #expect(try channel.readInbound(as: ReceivedLine.self) == .text("a"))
}

@Test func `what was not ended is no line`() throws {
  #expect(try lines(["HELLO 1"]) == [])
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
