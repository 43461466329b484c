import LineProtocol
import NIOCore
import NIOEmbedded
import Ports
import Testing

@Test func `lines leave as they are until checksums are agreed, and each with its own after that`() throws {
  let channel = EmbeddedChannel(handler: ChecksumHandler())
  try channel.writeOutbound(ServerLine.pong(tag: "@a").bytes)
  channel.triggerUserOutboundEvent(ChecksumsBegin(), promise: nil)
  try channel.writeOutbound(ByteBuffer(string: "123456789\nPING\n"))
  try channel.writeOutbound(ByteBuffer(string: "\n"))
  try channel.writeOutbound(ByteBuffer())
  #expect(try channel.sent() == "PONG @a\n")
  let ending = String(decoding: Checksum.ending(Checksum.crc16(Array("PING".utf8).span)), as: UTF8.self)
  #expect(try channel.sent() == "123456789*29B1\nPING\(ending)\n")
  #expect(try channel.sent() == "*FFFF\n")
  #expect(try channel.sent() == "")
}

@Test func `other events go past the checksums`() throws {
  struct Other: Sendable {}
  let recorder = Recorder()
  let channel = EmbeddedChannel(handlers: [recorder, ChecksumHandler()])
  channel.triggerUserOutboundEvent(ChecksumsBegin(), promise: nil)
  channel.triggerUserOutboundEvent(Other(), promise: nil)
  #expect(recorder.events == 1)
}

private final class Recorder: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer
  var events = 0

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    events += 1
    promise?.succeed()
  }
}

extension EmbeddedChannel {
  fileprivate func sent() throws -> String? {
    try readOutbound(as: ByteBuffer.self).map { String(buffer: $0) }
  }
}
