import Glibc
package import NIOCore
package import NIOPosix

extension ServerBootstrap {
  /// Returns a bootstrap for a listener of clients.
  /// - Parameters:
  ///   - limit: the number of connections at a time; others wait in the socket's queue.
  ///   - makeRoom: closes a pending connection if the listener is full.
  package static func limited(
    to limit: Int, group: MultiThreadedEventLoopGroup, makeRoom: @escaping @Sendable () -> Void = {}
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      // One connection is accepted at a time, so that the limit is exact.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limit, makeRoom: makeRoom))
        }
      }
      .childChannelOption(.writeBufferWaterMark, value: BackpressureHandler.waterMarks)
      // Input is limited to one buffer for each client.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // The buffer is small, because every connection keeps a buffer and most clients send short lines.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 4096))
  }

  /// Sets the options of TCP. Lines leave without delay. A connection whose peer has vanished is closed within two
  /// minutes, independent of the client's keepalive.
  package func overTCP() -> Self {
    serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
      // The kernel sends no keepalive probes while data is unacknowledged: without this option the connection would
      // last a quarter of an hour. In milliseconds. (tcp(7), TCP_USER_TIMEOUT)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_USER_TIMEOUT)), value: 120_000)
  }
}

extension SocketAddress {
  /// As in `127.0.0.1:7447` and `[::1]:7447`.
  package var place: String {
    let port = port.map { ":\($0)" } ?? ""
    let host = ipAddress ?? "\(self)"
    return (host.contains(":") ? "[\(host)]" : host) + port
  }
}
