import Connections
package import Logging
import NIOCore
import NIOHTTP1
package import NIOPosix

/// The server of the owners' page. It listens on the loopback interface only. Each connection carries one request.
package struct PageServer: Sendable {
  private typealias Requests = NIOAsyncChannel<ReceivedRequest, Never>

  private let accepting: NIOAsyncChannel<Requests, Never>
  private let identity: PageIdentity
  private let authenticator: PageAuthenticator
  private let logger: Logger

  private let pool: ConnectionPool

  /// The maximum number of connections: one more than the maximum of the pool, so that the server can always accept a
  /// new connection.
  private static let mostConnections = ConnectionPool.maximumUnauthenticated + ConnectionPool.maximumAuthenticated + 1
  /// The maximum number of file descriptors. A connection to the owners' socket needs two descriptors, because both of
  /// its ends are in this process.
  package static let descriptors = mostConnections + ConnectionPool.maximumAuthenticated * 2 + 1

  /// Binds the port. The system then accepts connections, but the server answers only after the start of `run`.
  /// - Parameter port: the port on 127.0.0.1. If 0, the system chooses a free port.
  /// - Throws: `ListenError`
  package init(
    port: Int, _ authenticator: PageAuthenticator, group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.authenticator = authenticator
    self.logger = logger
    let pool = ConnectionPool()
    self.pool = pool
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    do {
      accepting = try await ServerBootstrap.limited(to: Self.mostConnections, group: group).overTCP().bind(to: address)
      { channel in
        channel.eventLoop.makeCompletedFuture {
          pool.add(channel)
          try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: RequestReader.limits)),
            RequestReader(),
          ])
          return try Requests(wrappingChannelSynchronously: channel)
        }
      }
    } catch {
      throw ListenError(
        address: address.hostAndPort, error, remedy: "choose another port in [page]")
    }
    identity = PageIdentity(port: accepting.channel.localAddress?.port ?? port)
  }

  package var address: String { accepting.channel.localAddress?.hostAndPort ?? identity.host }

  /// Closes the listener of a server on which `run` was never called.
  package func abandon() async { try? await accepting.channel.close().get() }

  /// Ends `run`. Safe to call from any thread.
  package func stop() { accepting.channel.close(promise: nil) }

  /// Serves browsers until the server stops. Then all sessions end.
  package func run(_ service: PageService) async throws {
    authenticator.serve(as: identity)
    defer { authenticator.serve(as: nil) }
    try await withThrowingDiscardingTaskGroup { group in
      try await accepting.executeThenClose { browsers in
        for try await requests in browsers { group.addTask { await serve(requests, service) } }
      }
      group.cancelAll()
    }
  }

  private func serve(_ requests: Requests, _ service: PageService) async {
    do {
      try await requests.executeThenClose { inbound in
        let channel = requests.channel
        try await withTaskCancellationHandler {
          var iterator = inbound.makeAsyncIterator()
          guard let received = try await iterator.next() else { return }
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
              try await service.answer(received, as: identity, authenticator, Reply(to: channel)) {
                pool.authenticate(channel)
              }
            }
            group.addTask { try await channel.closeFuture.get() }
            // If the browser closes the connection, the response is cancelled.
            try await group.next()
            try? await Self.close(channel)
            group.cancelAll()
          }
        } onCancel: {
          channel.close(promise: nil)
        }
      }
    } catch {
      logger.debug("connection failed", metadata: ["cause": "\(error)"])
    }
  }

  /// Closes a connection. The output is closed first, so that the browser can read the complete response.
  private static func close(_ channel: any Channel) async throws {
    let limit = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    defer { limit.cancel() }
    try await channel.close(mode: .output).get()
    try await channel.closeFuture.get()
  }
}
