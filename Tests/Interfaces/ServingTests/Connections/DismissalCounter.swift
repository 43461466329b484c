import NIOCore

@testable import Serving

/// A handler behind the tested handlers that counts the events `Dismissal`.
final class DismissalCounter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private(set) var count = 0

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Dismissal { count += 1 }
    context.fireUserInboundEventTriggered(event)
  }
}
