import Clocks
import NIOCore
import OperatingSystem

struct ReceivedChunk: Sendable {
  var bytes: [UInt8]
  var arrived: MonotonicInstant
}

/// A channel handler that adds the arrival time to each chunk. The consumer may read the chunk later.
final class ArrivalTimeHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ReceivedChunk

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let arrived = SystemClock.monotonic
    let bytes = [UInt8](unwrapInboundIn(data).readableBytesView)
    context.fireChannelRead(wrapInboundOut(ReceivedChunk(bytes: bytes, arrived: arrived)))
  }
}
