import Glibc
import Handshake
import LineFraming
package import LineProtocol
package import Logging
package import NIOCore
package import NIOPosix
import SystemClock

/// Listens at one place and carries lines between its clients and the service.
package struct LineServer: Sendable {
  package static let longestLine = 4096
  /// How long a connection may take to prove who it is.
  static let timeToProve = TimeAmount.seconds(10)

  /// Connections write to their channels themselves. A writer that nobody uses would end the process where a client is
  /// accepted in the moment that the server stops: nobody finishes it then.
  private typealias Lines = NIOAsyncChannel<ReceivedLine, Never>
  private typealias Accepting = NIOAsyncChannel<Client, Never>

  /// Who was accepted.
  private struct Client: Sendable {
    let lines: Lines
    /// What TLS agreed on; nil where there is none.
    let agreement: EventLoopFuture<Agreement>?
  }

  private let listener: Listener
  private let logger: Logger
  private let accepting: Accepting
  /// Nil where it listens on an address.
  private let socketFile: SocketFile?
  private let connections = OpenConnections()
  private let posts = Posts()
  private let doorkeeper: Doorkeeper

  /// Binds the place; clients can connect from then on, and are served once `run` is called.
  /// - Parameters:
  ///   - limit: how many clients there may be at a time; others wait.
  ///   - doorkeeper: of all listeners.
  /// - Throws: `ListenError`
  package init(
    _ listener: Listener, limit: Int, doorkeeper: Doorkeeper = Doorkeeper(), group: MultiThreadedEventLoopGroup,
    logger: Logger
  ) async throws {
    self.listener = listener
    self.doorkeeper = doorkeeper
    self.logger = logger
    let bootstrap = LineServer.bootstrap(limit, group)
    switch listener.place {
    case .socket(let path):
      try await SocketFile.prepare(path, group: group)
      do {
        accepting = try await bootstrap.bind(
          unixDomainSocketPath: path, childChannelInitializer: LineServer.initializer(nil))
      } catch {
        throw ListenError(place: path, cause: LineServer.cause(error), remedy: "choose another path with --socket")
      }
      socketFile = try SocketFile(path, for: listener.identification.role == .owner ? .owner : .apps)
    case .address(let address), .encrypted(let address, _):
      let tls: Live<TLSIdentity>? = if case .encrypted(_, let tls) = listener.place { tls } else { nil }
      do {
        accepting = try await bootstrap.overTCP().bind(
          to: address, childChannelInitializer: LineServer.initializer(tls))
      } catch {
        throw ListenError(
          place: address.place, cause: LineServer.cause(error), remedy: "choose another address in [[listen]]")
      }
      socketFile = nil
    }
  }

  package static func bootstrap(_ limit: Int, _ group: MultiThreadedEventLoopGroup) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      // One at a time, so that the limit is kept exactly.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limit))
        }
      }
      .childChannelOption(.writeBufferWaterMark, value: FlowHandler.waterMarks)
      // Every connection keeps a buffer, and most say a few words now and then.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 4096))
  }

  private static func initializer(
    _ tls: Live<TLSIdentity>?
  ) -> @Sendable (any Channel) -> EventLoopFuture<Client> {
    { channel in
      channel.eventLoop.makeCompletedFuture {
        // The time runs while TLS is being agreed, too.
        let silence = SilenceLimit(
          limit: timeToProve, isDeadline: true,
          error: LineError(.authTimeout, "not known who is there within 10 s of connecting"))
        let agreement = try tls?.value.secure(channel)
        try channel.pipeline.syncOperations.addHandlers([
          ChecksumHandler(), FlowHandler(), WatchHandler(silence),
          ByteToMessageHandler(LineDecoder(longest: longestLine)),
        ])
        return Client(lines: try Lines(wrappingChannelSynchronously: channel), agreement: agreement)
      }
    }
  }

  package static func cause(_ error: any Error) -> String {
    (error as? IOError).map { unsafe String(cString: strerror($0.errnoCode)).lowercased() } ?? "\(error)"
  }

  package var transport: Transport { listener.transport }

  /// Where it listens: the path of its socket, or address and port.
  package var place: String {
    switch listener.place {
    case .socket(let path): path
    case .address(let address), .encrypted(let address, _): (accepting.channel.localAddress ?? address).place
    }
  }

  /// Gives the place up without having served anybody.
  package func abandon() async {
    try? await accepting.channel.close().get()
    socketFile?.remove()
  }

  /// Ends `run`, from any thread.
  package func stop() { accepting.channel.close(promise: nil) }

  /// Serves clients until it is stopped, then tells those that are there why and gives the place up.
  package func run(_ service: some LineService, shuttingDown: LineError) async throws {
    defer { socketFile?.remove() }
    try await withThrowingDiscardingTaskGroup { group in
      try await accepting.executeThenClose { clients in
        for try await client in clients {
          let executor = posts[client.lines.channel.eventLoop].executor
          group.addTask(executorPreference: executor) { await serve(client, service) }
        }
      }
      // Cancelling a client's task closes its connection: whoever is to be told is told before.
      await withDiscardingTaskGroup { farewells in
        for connection in connections.all { farewells.addTask { await connection.close(shuttingDown) } }
      }
      group.cancelAll()
    }
  }

  private func serve(_ client: Client, _ service: some LineService) async {
    do {
      try await client.lines.executeThenClose { inbound in
        let channel = client.lines.channel
        let peer = try await Peer(of: channel, over: transport)
        let connection = Connection(
          number: Self.numbers.next(), role: listener.identification.role, transport: transport, peer: peer,
          channel: channel, post: posts[channel.eventLoop])
        connections.insert(connection)
        defer { connections.remove(connection) }
        await connection.begin()
        guard admit(connection) else { return }
        defer { doorkeeper.leave(connection.number, from: peer.origin) }
        let agreement = try await withTaskCancellationHandler {
          try await client.agreement?.get()
        } onCancel: {
          // The gateway stops, and this client is too new to be told.
          channel.close(promise: nil)
        }
        let introduction = Introduction(circumstances(of: peer, agreement, service))
        await converse(inbound, on: connection, introduction, service)
      }
    } catch {
      logger.debug("connection failed", metadata: ["cause": "\(error)"])
    }
  }

  /// Lets a connection in, unless there are as many of its origin already who did not say who they are. Owners are known
  /// by their socket.
  private func admit(_ connection: Connection) -> Bool {
    guard connection.role == .app else { return true }
    let error = LineError(.tooMany, "\(WaitingRoom.most) connections of yours have not said who they are; finish one")
    switch doorkeeper.enter(connection.number, from: connection.peer.origin, at: SystemClock.monotonic) {
    case .admitted: return true
    case .insteadOf(let number):
      connections[number]?.refuse(error)
      return true
    case .refused:
      logger.info("refused", metadata: ["peer": "\(connection.peer)", "cause": "too many that are not known"])
      connection.refuse(error)
      return false
    }
  }

  private func circumstances(
    of peer: Peer, _ agreement: Agreement?, _ service: some LineService
  ) -> Introduction.Circumstances {
    Introduction.Circumstances(
      identification: listener.identification, transport: transport, peer: peer, gateway: service.name,
      nonce: newNonce(), binding: agreement?.binding ?? "", certificate: agreement?.certificate,
      keyring: service.keyring)
  }

  private func converse(
    _ lines: NIOAsyncChannelInboundStream<ReceivedLine>, on connection: Connection, _ introduction: Introduction,
    _ service: some LineService
  ) async {
    var conversation = Conversation(
      connection: connection, introduction: introduction, doorkeeper: doorkeeper, logger: logger,
      now: SystemClock.monotonic)
    conversation.begin(service)
    do {
      for try await line in lines {
        guard await conversation.take(line, at: SystemClock.monotonic, service) else { break }
        await connection.drain()
        if conversation.isHasty { try await Task.sleep(for: Conversation.pause) }
      }
    } catch {
      logger.debug("connection lost", metadata: ["cause": "\(error)"])
    }
    if conversation.isIntroduced { await service.closed(connection, isFinal: conversation.isOver) }
  }

  package static let numbers = Numbers()
  /// Fixes of updates that gave way to newer ones, of all connections.
  package static let droppedUpdates = Tally()
  /// Connections that were closed because their client did not read.
  package static let slowConsumers = Tally()
}

extension ServerBootstrap {
  /// As connections over a network want it: lines leave at once, and a peer that has gone without a word is found out
  /// within two minutes, whatever the client says of keepalive.
  package func overTCP() -> Self {
    serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPIDLE)), value: 60)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPINTVL)), value: 15)
      .childChannelOption(.tcpOption(.init(rawValue: TCP_KEEPCNT)), value: 4)
  }
}

extension Peer {
  fileprivate init(of channel: any Channel, over transport: Transport) async throws {
    switch transport {
    case .unix: self = try await Peer.ofUnixSocket(channel)
    case .serial, .gpsd, .mqtt: preconditionFailure("nobody speaks lines there whom this listens to")
    case .tcp, .tls:
      guard let address = channel.remoteAddress.flatMap(NetworkAddress.init) else {
        throw ChannelError.unknownLocalAddress
      }
      self = .machine(address)
    }
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

/// 32 digits that nobody can guess.
func newNonce() -> String {
  var generator = SystemRandomNumberGenerator()
  return hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
}
