import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import Serving

/// The options of the sockets of a listener.
@Suite struct ServerBootstrapTests {
  @Test func `bytes leave without delay, and an unreachable peer is noticed within two minutes`() async throws {
    let bootstrap = ServerBootstrap.limited(to: 4, group: .singletonMultiThreadedEventLoopGroup).overTCP()
    try await Ends.with("127.0.0.1", bootstrap) { ends in
      let (listener, accepted) = (ends.listener, ends.accepted)
      #expect(try await listener.getOption(.backlog).get() == 128)
      #expect(try await listener.getOption(.socketOption(.so_reuseaddr)).get() != 0)
      for channel in [listener, accepted] {
        #expect(try await channel.getOption(.maxMessagesPerRead).get() == 1)
      }
      let allocator = try await accepted.getOption(.recvAllocator).get() as? AdaptiveRecvByteBufferAllocator
      #expect([allocator?.minimum, allocator?.initial, allocator?.maximum] == [256, 256, 4096])
      #expect(try await accepted.getOption(.tcpOption(.tcp_nodelay)).get() != 0)
      #expect(try await accepted.getOption(.socketOption(.so_keepalive)).get() != 0)
      for (option, value) in [
        (TCP_KEEPIDLE, 60), (TCP_KEEPINTVL, 15), (TCP_KEEPCNT, 4), (TCP_USER_TIMEOUT, 120_000),
      ] as [(CInt, CInt)] {
        #expect(try await accepted.getOption(.tcpOption(.init(rawValue: option))).get() == value)
      }
    }
  }
}
