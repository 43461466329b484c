import NIOCore

@testable import Serving

/// A handler behind the tested handlers that counts the events `Dismissal`.
final class Ears: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private(set) var dismissals = 0

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Dismissal { dismissals += 1 }
    context.fireUserInboundEventTriggered(event)
  }
}
