package import LineProtocol
package import Logging
import NIOCore
import NIOHTTP1
package import NIOPosix
import Ports
import Serving

/// The HTTP server of the owners' web page, on one loopback address. Each connection serves one request.
package struct PageServer: ListeningServer {
  typealias Requests = NIOAsyncChannel<ReceivedRequest, Never>

  private let accepting: NIOAsyncChannel<Requests, Never>
  private let identity: PageIdentity
  private let authenticator: PageAuthenticator
  private let service: PageService
  private let logger: Logger

  private let pool: ConnectionPool

  /// The maximum count of connections. The pool has one connection less, so that the server can always accept a new
  /// one.
  private static let mostConnections = ConnectionPool.maximumUnauthenticated + ConnectionPool.maximumAuthenticated + 1
  /// The count of file descriptors for the servers on both loopback addresses. Each server has a listening socket, and
  /// one connection outside the pool. Each authenticated request also needs two descriptors for a connection to the
  /// gateway.
  package static let descriptors = mostConnections + 1 + ConnectionPool.maximumAuthenticated * 2 + 2

  /// Opens a server of the page on each loopback address. A server answers requests only during its function
  /// `run(farewell:)`.
  /// - Parameter port: The TCP port; 0 for any free port.
  /// - Throws: `ListenError`
  package static func open(
    on hosts: [String], port: Int, _ authenticator: PageAuthenticator, _ service: PageService,
    group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws -> [PageServer] {
    let pool = ConnectionPool()
    return try await openServers(on: hosts, port: port) { host, port in
      try await PageServer(host, port, pool, authenticator, service, group: group, logger: logger)
    }
  }

  private init(
    _ host: String, _ port: Int, _ pool: ConnectionPool, _ authenticator: PageAuthenticator, _ service: PageService,
    group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    let address = try SocketAddress(ipAddress: host, port: port)
    self.authenticator = authenticator
    self.service = service
    self.logger = logger
    self.pool = pool
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

  package var kind: String { "page" }

  package var address: String { accepting.channel.localAddress?.hostAndPort ?? identity.host }

  package func abandon() async { try? await accepting.channel.close().get() }

  package func stop() { accepting.channel.close(promise: nil) }

  /// Serves browsers until the server stops. At this time, all sessions of the page end.
  package func run(farewell: @escaping @Sendable () -> LineError) async throws {
    authenticator.serve(as: identity)
    defer { authenticator.serve(as: nil) }
    try await withThrowingDiscardingTaskGroup { group in
      try await accepting.executeThenClose { browsers in
        for try await requests in browsers { group.addTask { await serve(requests) } }
      }
      group.cancelAll()
    }
  }

  /// Answers the request of one connection, and then closes the connection.
  func serve(_ requests: Requests) async {
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

  /// Closes a connection after the browser has received the whole response, at the latest after 2 s.
  private static func close(_ channel: any Channel) async throws {
    let limit = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    defer { limit.cancel() }
    try await channel.close(mode: .output).get()
    try await channel.closeFuture.get()
  }
}
