import Glibc
package import NIOCore
package import NIOPosix
import OperatingSystem

extension ServerBootstrap {
  /// Returns a bootstrap for a listener with a limited count of connections. Further connections wait in the socket's
  /// backlog.
  /// - Parameter makeRoom: A function that closes a connection without authentication. The listener calls the function
  ///   when the limit is reached.
  package static func limited(
    to limit: Int, group: MultiThreadedEventLoopGroup, makeRoom: @escaping @Sendable () -> Void = {}
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      // The listener accepts one connection at a time, so that the number of connections never exceeds the limit.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limit, makeRoom: makeRoom))
        }
      }
      .childChannelOption(.writeBufferWaterMark, value: BackpressureHandler.waterMarks)
      // Each read fills at most one buffer, so that the input of a client takes little memory.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // The buffer is small, because every connection has its own buffer and most clients send short lines.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 4096))
  }

  /// Sets the TCP options of the connections. The kernel then sends protocol lines without delay, and closes the
  /// connection of an unreachable peer within two minutes.
  package func overTCP() -> Self {
    serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
      // The time in milliseconds in which the peer must acknowledge sent data. During this time, the kernel sends no
      // keepalive probes. Without this option, a connection to an unreachable peer could stay open for a quarter of an
      // hour. (tcp(7), TCP_USER_TIMEOUT)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: 120_000)
  }
}

extension SocketAddress {
  /// The address and the port as text, for example `127.0.0.1:7447` or `[::1]:7447`.
  package var hostAndPort: String {
    guard let ipAddress, let port else { return "\(self)" }
    return OperatingSystem.hostAndPort(ipAddress, port)
  }
}
