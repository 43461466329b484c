import NIOCore
import NIOPosix
import Synchronization

/// A relay in front of a daemon. A test can interrupt it.
final class Relay: Sendable {
  private struct State {
    var isOpen = true
    var visitors: [any Channel] = []
  }

  private let state = Mutex(State())
  private let listener: Mutex<(any Channel)?> = Mutex(nil)

  init(at path: String, to upstream: String) async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .childChannelInitializer { visitor in
        let isOpen = self.state.withLock { state in
          if state.isOpen { state.visitors.append(visitor) }
          return state.isOpen
        }
        guard isOpen else { return visitor.close() }
        return ClientBootstrap(group: visitor.eventLoop).channelInitializer { gateway in
          gateway.pipeline.addHandler(Passing(to: visitor))
        }.connect(unixDomainSocketPath: upstream).flatMap { gateway in
          visitor.pipeline.addHandler(Passing(to: gateway))
        }
      }
      .bind(unixDomainSocketPath: path).get()
    self.listener.withLock { $0 = listener }
  }

  deinit { listener.withLock { $0 }?.close(promise: nil) }

  /// Closes every connection and refuses new ones.
  func interrupt() {
    let visitors = state.withLock { state in
      state.isOpen = false
      defer { state.visitors = [] }
      return state.visitors
    }
    for visitor in visitors { visitor.close(promise: nil) }
  }

  func restore() { state.withLock { $0.isOpen = true } }
}

/// A handler that forwards data and the end of the connection.
private final class Passing: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let other: any Channel

  init(to other: any Channel) { self.other = other }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    other.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
