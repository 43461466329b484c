import Configuration
import Glibc
import LineProtocol
import Logging
import NIOCore
import NIOPosix
import OperatingSystem
import Ports
import Serving

/// A server for clients of gpsd, or for programs that read NMEA sentences as from a receiver.
///
/// The Unix user of a client's process identifies its app; on a Unix socket, the systemd unit can do so, too. A client
/// without an app receives reports or sentences without a fix, and has no session at the gateway.
struct GPSDServer: ListeningServer {
  private typealias Requests = NIOAsyncChannel<GPSDRequestParser.Element, Never>

  /// The kind of listener, gpsd or NMEA, and its texts for messages.
  struct Dialect: Sendable {
    var transport: Transport
    /// Whether clients send commands, as clients of gpsd do. If false, the server discards their input.
    var hasCommands: Bool
    /// The section of the configuration file in messages, as in `[gpsd_server]`.
    var table: String
    /// The configuration key that lists the apps of the clients, as in `apps`, for messages.
    var appKey: String
    /// The remedy in the error message that the listener cannot be opened.
    var remedy: String
    /// Creates the object that emulates gpsd or a receiver for one client. The argument is true if the client has an
    /// app.
    var emulator: @Sendable (_ isApp: Bool) -> GPSDEmulator
  }

  private let accepting: NIOAsyncChannel<Requests, Never>
  private let dialect: Dialect
  /// The file of the Unix socket; nil for a network address.
  private let socketFile: SocketFile?
  private let rules: Reloadable<IdentityRules>
  private let service: any LineService
  private let logger: Logger
  private let connections = OpenConnections()
  /// The limit for connections without authentication at this listener. A client without an app never authenticates, so
  /// a common limit would let such clients block other listeners.
  private let admission = AdmissionControl()
  private let shares: ConnectionShares
  private let warnings = WarningLimiter()

  /// Opens the listener. Clients can then connect, and `run(farewell:)` serves the clients.
  /// - Parameters:
  ///   - dialect: The kind of listener, gpsd or NMEA.
  ///   - rules: The rules that identify the app of a client. At most one app matches a client, because a client of gpsd
  ///     cannot name its app.
  ///   - daemon: The gateway and the limits. Clients above the limit wait in the queue of the socket.
  /// - Throws: `ListenError` if the listener cannot be opened.
  init(
    _ dialect: Dialect, on endpoint: ListenEndpoint, _ rules: Reloadable<IdentityRules>, in daemon: DaemonContext
  ) async throws {
    self.dialect = dialect
    self.rules = rules
    service = daemon.gateway
    logger = daemon.logger(.server)
    shares = ConnectionShares(limit: daemon.clientLimit)
    let makeRoom = { @Sendable [admission] in admission.makeRoom(at: SystemClock.monotonic) { _ in true } }
    // A client that closes its sending side, as `echo '?DEVICES;' | nc -N` does, still gets its answers.
    let bootstrap = ServerBootstrap.limited(to: daemon.clientLimit, group: daemon.group, makeRoom: makeRoom)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
    let prepare = { @Sendable (channel: any Channel) in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers([TranslationHandler(), BackpressureHandler.translated()])
        if dialect.hasCommands {
          try pipeline.addHandler(ByteToMessageHandler(RequestDecoder(longest: Transport.longestSocketLine)))
        } else {
          try pipeline.addHandler(InputLimitHandler())
        }
        return try Requests(wrappingChannelSynchronously: channel)
      }
    }
    let choice = "in \(dialect.table)"
    switch endpoint {
    case .address(let host, let port):
      let address = try SocketAddress(ipAddress: host, port: port)
      do {
        accepting = try await bootstrap.overTCP().bind(to: address, childChannelInitializer: prepare)
      } catch {
        throw ListenError(address: address.hostAndPort, error, remedy: dialect.remedy)
      }
      socketFile = nil
    case .socket(let path):
      try await SocketFile.prepare(path, group: daemon.group, choice: choice)
      do {
        accepting = try await bootstrap.bind(unixDomainSocketPath: path, childChannelInitializer: prepare)
      } catch {
        throw ListenError(address: path, error, remedy: dialect.remedy)
      }
      do {
        socketFile = try SocketFile(path, for: .app, choice: choice)
      } catch {
        try? await accepting.channel.close().get()
        _ = unsafe unlink(path)
        throw error
      }
    }
  }

  var kind: String { dialect.transport.rawValue }

  /// The path of the Unix socket, or the network address with the actual port.
  var address: String { socketFile?.path ?? accepting.channel.localAddress?.hostAndPort ?? "" }

  func abandon() async {
    try? await accepting.channel.close().get()
    socketFile?.remove()
  }

  func stop() { accepting.channel.close(promise: nil) }

  func run(farewell: @escaping @Sendable () -> LineError) async throws {
    defer { socketFile?.remove() }
    try await withThrowingDiscardingTaskGroup { group in
      try await accepting.executeThenClose { clients in
        for try await client in clients {
          let executor = LoopExecutor(client.channel.eventLoop)
          group.addTask(executorPreference: executor) { await serve(client, service) }
        }
      }
      await withDiscardingTaskGroup { farewells in
        for connection in connections.all { farewells.addTask { await connection.close(farewell()) } }
      }
      group.cancelAll()
    }
  }

  private func serve(_ client: Requests, _ service: some LineService) async {
    do {
      try await client.executeThenClose { inbound in
        let channel = client.channel
        let transport = dialect.transport
        let peer = try await channel.eventLoop.submit { try Peer(of: channel, over: transport) }.get()
        let rules = rules.value
        let app = try? rules.identify(nil, peer).get()
        let connection = Connection(
          number: IDGenerator.connections.next(), role: .app, transport: transport, peer: peer, channel: channel)
        await connection.begin()
        connections.insert(connection)
        defer { connections.remove(connection) }
        let session = GPSDClientSession(dialect.emulator(app != nil), on: connection)
        if let refusal = shares.refusal(of: connection, as: app, among: rules.ids, logger: logger) {
          return session.refuse(refusal.text)
        }
        defer { shares.remove(connection.number) }
        // Until its first request, which is `?WATCH` for a client of gpsd, a connection counts as pending. Because of
        // the limit of pending connections, one user cannot occupy all connections.
        admission.add(connection.number, from: peer.origin, at: SystemClock.monotonic) { connection.close() }
        defer { admission.remove(connection.number, from: peer.origin) }
        if app == nil {
          logger.info(
            "a client belongs to no app and receives no fix; see '\(dialect.appKey)' in \(dialect.table)",
            metadata: ["peer": "\(peer)", "over": "\(transport)"])
        }
        try await channel.triggerUserOutboundEvent(session).get()
        session.begin()
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
    let hasSession = await withTaskGroup(of: Bool.self) { group in
      group.addTask { await perform(session, as: app, service) }
      let beats = session.beat(on: eventLoop)
      await readCommands(inbound, session, on: eventLoop)
      await session.finishPolls()
      beats.cancel()
      session.finish()
      return await group.next() ?? false
    }
    if hasSession { await service.closed(session.connection, isFinal: true) }
  }

  /// Executes the session's commands at the gateway until the client leaves. Returns whether the client has had a
  /// session at the gateway.
  private func perform(_ session: GPSDClientSession, as app: AppID?, _ service: some LineService) async -> Bool {
    guard let app else { return false }
    var hasSession = false
    for await order in session.orders {
      switch order {
      case .introduce(let tag):
        hasSession = true
        admission.remove(session.connection.number, from: session.connection.peer.origin)
        await service.hello(
          Hello(app: app.name, keepalive: 0), tag: tag, as: Identity(app, by: .transport), on: session.connection)
      case .perform(let command, let tag): await service.perform(command, tag: tag, on: session.connection)
      case .fetch: await service.polled(on: session.connection)
      case .warn(let text):
        guard warnings.allowsWarning(about: app, at: SystemClock.monotonic) else { continue }
        logger.warning("\(text)", metadata: ["app": "\(app)", "over": "\(dialect.transport)"])
      }
    }
    return hasSession
  }

  /// Reads the client's commands until the connection ends. The function also returns for a browser or another foreign
  /// program, and for a reader of NMEA sentences that sends too much.
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

  /// Executes one command of the client. Returns false if the client has sent too many commands in a short time.
  ///
  /// A command that ends a watch (a subscription to fixes with `?WATCH`) is always executed, because the end of the
  /// watch also ends the app's request.
  private func perform(
    _ element: GPSDRequestParser.Element, _ session: GPSDClientSession, on eventLoop: any EventLoop,
    from bucket: inout TokenBucket
  ) -> Bool {
    let isWithinLimit = bucket.consume(at: SystemClock.monotonic)
    guard isWithinLimit || element.endsWatch else {
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
    return isWithinLimit
  }

  /// The pause after each command above the rate limit, in which the event loop serves other clients.
  private static let pause = Duration.milliseconds(1)
}

extension GPSDRequestParser.Element {
  fileprivate var endsWatch: Bool {
    if case .request(.watch(let settings?)) = self { !settings.isEnabled } else { false }
  }
}
