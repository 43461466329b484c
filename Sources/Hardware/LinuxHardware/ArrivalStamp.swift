import Clocks
import NIOCore
import OperatingSystem

/// Bytes with the time at which they were read.
struct ReceivedChunk: Sendable {
  var bytes: [UInt8]
  var arrived: MonotonicInstant
}

/// Stamps what is read as it is read: whoever takes it may come later.
final class ArrivalStamp: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ReceivedChunk

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let arrived = SystemClock.monotonic
    let bytes = [UInt8](unwrapInboundIn(data).readableBytesView)
    context.fireChannelRead(wrapInboundOut(ReceivedChunk(bytes: bytes, arrived: arrived)))
  }
}
