package import NIOCore
package import NIOEmbedded

/// A handler that simulates the buffer of a socket. While the valve is closed, the next bytes fill the buffer.
package final class Valve: ChannelOutboundHandler {
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private var isClosed = false

  package init() {}

  package func close() { isClosed = true }

  package func open(_ channel: EmbeddedChannel) {
    isClosed = false
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    context.write(data, promise: promise)
    guard isClosed, let channel = context.channel as? EmbeddedChannel else { return }
    channel.isWritable = false
    context.fireChannelWritabilityChanged()
  }
}

extension EmbeddedChannel {
  /// Returns the text that was written since the last call.
  package func sentText() throws -> String {
    embeddedEventLoop.run()
    var text = ""
    while let bytes = try readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
    return text
  }
}
