import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Serving

/// The options of the sockets of a listener.
@Suite struct ServerBootstrapTests {
  @Test func `a connection is sent without delay, and an unreachable peer is noticed within two minutes`()
    async throws
  {
    let (channels, arrival) = AsyncStream.makeStream(of: (any Channel).self)
    let listener = try await ServerBootstrap.limited(to: 4, group: .singletonMultiThreadedEventLoopGroup).overTCP()
      .childChannelInitializer { channel in
        arrival.yield(channel)
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      .bind(host: "127.0.0.1", port: 0).get()
    #expect(try await listener.getOption(.backlog).get() == 128)
    #expect(try await listener.getOption(.maxMessagesPerRead).get() == 1)
    #expect(try await listener.getOption(.socketOption(.so_reuseaddr)).get() != 0)
    let address = try #require(listener.localAddress)
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(to: address).get()
    var first: (any Channel)?
    for await channel in channels {
      first = channel
      break
    }
    let accepted = try #require(first)
    #expect(try await accepted.getOption(.maxMessagesPerRead).get() == 1)
    let allocator = try await accepted.getOption(.recvAllocator).get() as? AdaptiveRecvByteBufferAllocator
    #expect([allocator?.minimum, allocator?.initial, allocator?.maximum] == [256, 256, 4096])
    #expect(try await accepted.getOption(.tcpOption(.tcp_nodelay)).get() != 0)
    #expect(try await accepted.getOption(.socketOption(.so_keepalive)).get() != 0)
    for (option, value) in [
      (TCP_KEEPIDLE, 60), (TCP_KEEPINTVL, 15), (TCP_KEEPCNT, 4), (TCP_USER_TIMEOUT, 120_000),
    ] as [(CInt, CInt)] {
      #expect(try await accepted.getOption(.tcpOption(.init(rawValue: option))).get() == value)
    }
    for channel in [client, accepted, listener] { try? await channel.close().get() }
  }
}
