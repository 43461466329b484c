import Connections
package import Logging
import NIOCore
import NIOHTTP1
package import NIOPosix

/// Serves the owners' page on loopback. Each connection asks once.
package struct PageServer: Sendable {
  private typealias Requests = NIOAsyncChannel<ReceivedRequest, Never>

  private let accepting: NIOAsyncChannel<Requests, Never>
  private let identity: PageIdentity
  private let door: PageDoor
  private let logger: Logger

  private let pool: ConnectionPool

  /// How many connections there may be at a time: one more than guests, so that a new one always comes in.
  private static let mostConnections = ConnectionPool.mostStrangers + ConnectionPool.mostOwners + 1
  /// What they take of the file descriptors of this process: each its own, and owners' both ends of one to their
  /// socket.
  package static let descriptors = mostConnections + ConnectionPool.mostOwners * 2 + 1

  /// Binds the port; browsers can connect from then on, and are served once `run` is called.
  /// - Parameter port: on 127.0.0.1; 0 is any that is free.
  /// - Throws: `ListenError`
  package init(
    port: Int, _ door: PageDoor, group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.door = door
    self.logger = logger
    let pool = ConnectionPool()
    self.pool = pool
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    do {
      accepting = try await ServerBootstrap.limited(to: Self.mostConnections, group: group).overTCP().bind(to: address)
      { channel in
        channel.eventLoop.makeCompletedFuture {
          pool.enter(channel)
          try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: RequestReader.limits)),
            RequestReader(),
          ])
          return try Requests(wrappingChannelSynchronously: channel)
        }
      }
    } catch {
      throw ListenError(
        place: address.place, error, remedy: "choose another port in [page]")
    }
    identity = PageIdentity(port: accepting.channel.localAddress?.port ?? port)
  }

  /// Where it listens.
  package var place: String { accepting.channel.localAddress?.place ?? identity.host }

  /// Gives the place up without having served anybody.
  package func abandon() async { try? await accepting.channel.close().get() }

  /// Ends `run`, from any thread.
  package func stop() { accepting.channel.close(promise: nil) }

  /// Serves browsers until it is stopped: then every session is over.
  package func run(_ service: PageService) async throws {
    door.serve(as: identity)
    defer { door.serve(as: nil) }
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
              try await service.answer(received, as: identity, door, Reply(to: channel)) { pool.admit(channel) }
            }
            group.addTask { try await channel.closeFuture.get() }
            // Who has gone is not answered any further.
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

  /// Lets the other side read to the end what it was told, also where it still has something to say.
  private static func close(_ channel: any Channel) async throws {
    let limit = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    defer { limit.cancel() }
    try await channel.close(mode: .output).get()
    try await channel.closeFuture.get()
  }
}
