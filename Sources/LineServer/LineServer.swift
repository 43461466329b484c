import Glibc
package import LineProtocol
import LineFraming
package import Logging
import NIOCore
package import NIOPosix
import SystemClock

/// Listens on a Unix socket and carries lines between its clients and the service.
package struct LineServer: Sendable {
  package static let longestLine = 4096
  /// How long a connection may take to say who it is.
  static let helloTime = TimeAmount.seconds(10)

  private typealias Lines = NIOAsyncChannel<ReceivedLine, ByteBuffer>

  package let path: String
  package let role: Connection.Role
  private let rules: IdentityRules
  private let logger: Logger
  private let listener: NIOAsyncChannel<Lines, Never>
  private let socketFile: SocketFile
  private let connections = OpenConnections()

  /// Binds the socket; clients can connect from then on, and are served once `run` is called.
  /// - Parameter limit: how many clients there may be at a time; others wait.
  /// - Throws: `ListenError`
  package init(
    path: String, role: Connection.Role, rules: IdentityRules, limit: Int, group: MultiThreadedEventLoopGroup,
    logger: Logger
  ) async throws {
    self.path = path
    self.role = role
    self.rules = rules
    self.logger = logger
    try await SocketFile.prepare(path, group: group)
    do {
      listener = try await ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 128)
        // One at a time, so that the limit is kept exactly.
        .serverChannelOption(.maxMessagesPerRead, value: 1)
        .serverChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limit))
          }
        }
        .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 * 1024, high: 128 * 1024))
        .bind(unixDomainSocketPath: path) { channel in
          channel.eventLoop.makeCompletedFuture {
            let silence = SilenceLimit(
              limit: Self.helloTime, isDeadline: true,
              error: LineError(.authTimeout, "no HELLO within 10 s of connecting"))
            try channel.pipeline.syncOperations.addHandlers([
              ChecksumHandler(), WatchHandler(silence), ByteToMessageHandler(LineDecoder(longest: Self.longestLine)),
            ])
            return try Lines(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      let cause = (error as? IOError).map { unsafe String(cString: strerror($0.errnoCode)).lowercased() }
      throw ListenError(path: path, cause: cause ?? "\(error)", remedy: "choose another path with --socket")
    }
    socketFile = try SocketFile(path, for: role == .owner ? .owner : .apps)
  }

  /// Gives the socket up without having served anybody.
  package func abandon() async {
    try? await listener.channel.close().get()
    socketFile.remove()
  }

  /// Ends `run`, from any thread.
  package func stop() { listener.channel.close(promise: nil) }

  /// Serves clients until it is stopped, then tells those that are there why and removes the socket.
  package func run(_ service: some LineService, shuttingDown: LineError) async throws {
    defer { socketFile.remove() }
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { clients in
        for try await client in clients {
          group.addTask { await serve(client, service) }
        }
      }
      // Cancelling a client's task closes its connection: whoever is to be told is told before.
      await withDiscardingTaskGroup { farewells in
        for connection in connections.all { farewells.addTask { await connection.close(shuttingDown) } }
      }
      group.cancelAll()
    }
  }

  private func serve(_ lines: Lines, _ service: some LineService) async {
    do {
      try await lines.executeThenClose { inbound, _ in
        let peer = try await Peer.ofUnixSocket(lines.channel)
        let connection = Connection(number: Self.numbers.next(), role: role, peer: peer, channel: lines.channel)
        connections.insert(connection)
        defer { connections.remove(connection) }
        connection.send(.info(service.greeting))
        var conversation = Conversation(connection: connection, rules: rules, now: SystemClock.monotonic)
        do {
          for try await line in inbound {
            guard await conversation.take(line, at: SystemClock.monotonic, service) else { break }
            await connection.drain()
          }
        } catch {
          logger.debug("connection lost", metadata: ["cause": "\(error)"])
        }
        if conversation.isIntroduced { await service.closed(connection, isFinal: conversation.isOver) }
      }
    } catch {
      logger.debug("connection failed", metadata: ["cause": "\(error)"])
    }
  }

  private static let numbers = Numbers()
}
