import LineProtocol
package import NIOCore

/// The NIO event after which `ChecksumHandler` appends a checksum to each outbound protocol line.
package struct ChecksumsBegin: Sendable {
  package init() {}
}

/// An NIO handler that appends checksums to outbound protocol lines after the event `ChecksumsBegin`. The handler must
/// be the last outbound handler of the pipeline, so that the handler processes every line.
package final class ChecksumHandler: ChannelOutboundHandler {
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private var isActive = false

  package init() {}

  package func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is ChecksumsBegin else { return context.triggerUserOutboundEvent(event, promise: promise) }
    isActive = true
    promise?.succeed()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isActive else { return context.write(data, promise: promise) }
    context.write(wrapOutboundOut(Self.checked(unwrapOutboundIn(data), context.channel.allocator)), promise: promise)
  }

  private static func checked(_ lines: ByteBuffer, _ allocator: ByteBufferAllocator) -> ByteBuffer {
    var lines = lines
    var checked = allocator.buffer(capacity: lines.readableBytes + Checksum.length)
    while let end = lines.readableBytesView.firstIndex(of: UInt8(ascii: "\n")),
      let line = lines.readSlice(length: end - lines.readerIndex)
    {
      checked.writeImmutableBuffer(line)
      checked.writeBytes(Checksum.ending(Checksum.crc16(line.readableBytesUInt8Span)))
      checked.writeInteger(UInt8(ascii: "\n"))
      lines.moveReaderIndex(forwardBy: 1)
    }
    return checked
  }
}
