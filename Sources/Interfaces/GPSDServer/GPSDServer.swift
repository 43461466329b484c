import Authorization
import Clocks
import GPSDProtocol
package import LineProtocol
import Connections
package import Ports
package import Logging
package import NIOCore
package import NIOPosix
import OperatingSystem

/// A listener for gpsd clients. The user (uid) of a client determines its app. A client of a user without an app
/// receives only reports without a fix, and has no session at the gateway.
package struct GPSDServer: Sendable {
  private typealias Requests = NIOAsyncChannel<GPSDRequestParser.Element, Never>

  private let accepting: NIOAsyncChannel<Requests, Never>
  private let rules: Reloadable<IdentityRules>
  private let version: String
  private let logger: Logger
  private let connections = OpenConnections()
  private let writeQueues = LoopWriteQueues()
  /// The admission control of this listener alone. Clients without an app never authenticate, and would use up the
  /// limits of other listeners.
  private let admission = AdmissionControl()

  /// Binds the address. Clients can then connect, and are served when `run` begins. Throws `ListenError`.
  ///
  /// - Parameters:
  ///   - address: A loopback address. Port 0 selects any free port.
  ///   - rules: The rules that assign at most one app to each user, because a gpsd client cannot choose among several.
  ///   - version: The gateway's version.
  ///   - limit: The maximum number of simultaneous clients. Further clients wait in the socket's queue.
  package init(
    _ address: SocketAddress, _ rules: Reloadable<IdentityRules>, version: String, limit: Int,
    group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.rules = rules
    self.version = version
    self.logger = logger
    let makeRoom = { @Sendable [admission] in admission.makeRoom(at: SystemClock.monotonic) { _ in true } }
    do {
      accepting = try await ServerBootstrap.limited(to: limit, group: group, makeRoom: makeRoom).overTCP()
        .bind(to: address) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
              TranslationHandler(), BackpressureHandler.translated(),
              ByteToMessageHandler(RequestDecoder(longest: Transport.longestSocketLine)),
            ])
            return try Requests(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      throw ListenError(
        place: address.place, error,
        remedy:
          "is gpsd running? sudo systemctl disable --now gpsd.socket gpsd.service, or choose another address in "
          + "[gpsd_server]"
      )
    }
  }

  /// The address and the port on which the server listens.
  package var place: String { accepting.channel.localAddress?.place ?? "" }

  /// Ends `run`. Any thread may call this function.
  package func stop() { accepting.channel.close(promise: nil) }

  /// Serves clients until `stop` is called. All clients then receive the error `shuttingDown`, and their connections
  /// are closed.
  package func run(_ service: some LineService, shuttingDown: LineError) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      try await accepting.executeThenClose { clients in
        for try await client in clients {
          let executor = writeQueues[client.channel.eventLoop].executor
          group.addTask(executorPreference: executor) { await serve(client, service) }
        }
      }
      await withDiscardingTaskGroup { farewells in
        for connection in connections.all { farewells.addTask { await connection.close(shuttingDown) } }
      }
      group.cancelAll()
    }
  }

  private func serve(_ client: Requests, _ service: some LineService) async {
    do {
      try await client.executeThenClose { inbound in
        let channel = client.channel
        let peer = Peer.process(uid: try channel.peerUID)
        let app = try? rules.value.identify(nil, peer).get()
        let connection = Connection(
          number: IDGenerator.connections.next(), role: .app, transport: .gpsd, peer: peer, channel: channel,
          writeQueue: writeQueues[channel.eventLoop])
        await connection.begin()
        connections.insert(connection)
        defer { connections.remove(connection) }
        // Until its first `?WATCH`, a connection counts as pending. Because of the limit of pending connections, one
        // user cannot occupy all connections.
        admission.add(connection.number, from: peer.origin, at: SystemClock.monotonic) { connection.close() }
        defer { admission.remove(connection.number, from: peer.origin) }
        if app == nil {
          logger.info(
            "a gpsd client belongs to no app and receives no fix; see 'apps' in [gpsd_server]",
            metadata: ["peer": "\(peer)"])
        }
        let session = GPSDClientSession(GPSDEmulator(gateway: version, isApp: app != nil), on: connection)
        try await channel.triggerUserOutboundEvent(TranslationHandler.Begin(session: session)).get()
        session.greet()
        await converse(inbound, session, as: app, on: channel.eventLoop, service)
      }
    } catch {
      logger.debug("connection failed", metadata: ["cause": "\(error)"])
    }
  }

  private func converse(
    _ inbound: NIOAsyncChannelInboundStream<GPSDRequestParser.Element>, _ session: GPSDClientSession, as app: AppID?,
    on eventLoop: any EventLoop,
    _ service: some LineService
  ) async {
    let isIntroduced = await withTaskGroup(of: Bool.self) { group in
      group.addTask { await perform(session, as: app, service) }
      let beats = session.beat(on: eventLoop)
      await readCommands(inbound, session, on: eventLoop)
      beats.cancel()
      session.finish()
      return await group.next() ?? false
    }
    if isIntroduced { await service.closed(session.connection, isFinal: true) }
  }

  /// Executes the commands that the client's emulator gives to the gateway. Returns whether the gateway opened a
  /// session for the client.
  private func perform(_ session: GPSDClientSession, as app: AppID?, _ service: some LineService) async -> Bool {
    guard let app else { return false }
    var isIntroduced = false
    for await order in session.orders {
      switch order {
      case .introduce(let tag):
        isIntroduced = true
        admission.remove(session.connection.number, from: session.connection.peer.origin)
        await service.hello(
          Hello(app: app.name, keepalive: 0), tag: tag, as: Identity(app, by: .transport), on: session.connection)
      case .perform(let command, let tag): await service.perform(command, tag: tag, on: session.connection)
      }
    }
    return isIntroduced
  }

  /// Reads the client's commands. Returns when the connection has ended, or when the client uses another protocol, for
  /// example the HTTP of a browser.
  private func readCommands(
    _ inbound: NIOAsyncChannelInboundStream<GPSDRequestParser.Element>, _ session: GPSDClientSession,
    on eventLoop: any EventLoop
  ) async {
    var bucket = TokenBucket(at: SystemClock.monotonic)
    do {
      for try await element in inbound {
        guard element != .foreign else { break }
        let isHasty = !perform(element, session, on: eventLoop, from: &bucket)
        await session.connection.drain()
        if isHasty { try await Task.sleep(for: Self.pause) }
      }
    } catch {
      logger.debug("connection lost", metadata: ["cause": "\(error)"])
    }
  }

  /// Executes one command. Returns false if the client exceeds its limit of commands.
  private func perform(
    _ element: GPSDRequestParser.Element, _ session: GPSDClientSession, on eventLoop: any EventLoop,
    from bucket: inout TokenBucket
  ) -> Bool {
    guard bucket.consume(at: SystemClock.monotonic) else {
      session.refuse("more than 50 requests at once (wait a second)")
      return false
    }
    switch element {
    case .foreign: break
    case .overlong: session.refuse("a command must have at most \(Transport.longestSocketLine) bytes")
    case .request(let request):
      session.handle(request)
      if request == .poll { session.tickAfterPoll(on: eventLoop) }
    }
    return true
  }

  /// The pause after a command that exceeds the client's limit, so that the event loop can serve other clients.
  private static let pause = Duration.milliseconds(1)
}
