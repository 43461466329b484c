import NIOCore
import NIOEmbedded
import Testing

@testable import LinuxHardware

/// Holds all writes of a channel until the test completes them, as a line that transmits nothing does.
private final class StuckLine: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private(set) var lengths: [Int] = []
  private var writes: [EventLoopPromise<Void>?] = []

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    lengths.append(unwrapOutboundIn(data).readableBytes)
    writes.append(promise)
  }

  func completeFirst() { writes.removeFirst()?.succeed() }

  func completeAll() { while !writes.isEmpty { completeFirst() } }
}

@Suite struct OutputQueueTests {
  private let line = StuckLine()
  private let channel: EmbeddedChannel

  init() { channel = EmbeddedChannel(handler: line) }

  private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

  @Test func `the queue of a receiver has 16,384 bytes, and one more is refused until bytes are sent`() throws {
    let queue = OutgoingBytes(channel)
    #expect(queue.send(bytes(16_383)) && queue.send(bytes(1)) && !queue.send(bytes(1)))
    line.completeFirst()
    #expect(queue.send(bytes(16_383)) && !queue.send(bytes(1)))
    line.completeAll()
    #expect(queue.send(bytes(16_384)))
    line.completeAll()
    _ = try channel.finish()
  }

  @Test func `the queue of a console has 65,536 bytes besides the portion of 256 that is under way`() throws {
    let queue = ConsoleOutput(channel)
    #expect(!queue.send(bytes(65_537)) && queue.send(bytes(65_536)))
    #expect(line.lengths == [256])
    #expect(queue.send(bytes(256)) && !queue.send(bytes(1)))
    line.completeFirst()
    #expect(line.lengths == [256, 256])
    #expect(queue.send(bytes(256)) && !queue.send(bytes(1)))
    queue.discard()
    line.completeAll()
    #expect(line.lengths == [256, 256], "a discarded byte is not sent")
    _ = try channel.finish()
  }
}
