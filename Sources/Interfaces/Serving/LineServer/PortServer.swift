import Base
import Hardware
package import LineProtocol
package import Logging
import NIOCore
package import NIOPosix
import OperatingSystem
package import Ports
import Synchronization

/// A server of the line protocol (commands and replies as text lines) for the app at a serial port.
///
/// A serial port has no connections, and the app can restart at any time. The port therefore stays open, and the dialog
/// with each client has a new NIO channel. If the device of the port disappears, the server opens the port again.
package final class PortServer: Sendable {
  /// The time limit for the client's first command (HELLO). The time begins with the first received protocol line.
  static let timeToProve = TimeAmount.seconds(30)
  /// The pauses between attempts to open an absent serial port.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(15))
  /// The time after which an open serial port counts as stable. After the failure of a stable port, the pause is 1 s
  /// again.
  private static let lasting = Duration.seconds(60)

  private typealias Lines = NIOAsyncChannel<ReceivedLine, ByteBuffer>

  package let path: String
  private let app: AppID
  private let open: @Sendable () throws -> any LinePort
  private let group: MultiThreadedEventLoopGroup
  private let logger: Logger
  private let clock: @Sendable () -> MonotonicInstant
  private let sleep: @Sendable (Duration) async throws -> Void
  private let connections = OpenConnections()
  /// The result of `begin`: the open port, or an error. The value is nil before `begin`, and after `run` has taken the
  /// result.
  private let opening = Mutex<Result<any LinePort, any Error>?>(nil)
  /// The count of failed attempts to open the serial port, and the errors that are already in the log.
  private let absence = Mutex<(count: Int, logged: Set<HardwareError>)>((0, []))
  private let stops: AsyncStream<Void>
  private let stopping: AsyncStream<Void>.Continuation

  /// Creates a server for the serial port at a path.
  /// - Parameter open: Opens the port, or throws a `HardwareError`.
  package init(
    path: String, app: AppID, group: MultiThreadedEventLoopGroup, logger: Logger,
    open: @escaping @Sendable () throws -> any LinePort,
    clock: @escaping @Sendable () -> MonotonicInstant = { SystemClock.monotonic },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.path = path
    self.app = app
    self.open = open
    self.group = group
    self.logger = logger
    self.clock = clock
    self.sleep = sleep
    (stops, stopping) = AsyncStream.makeStream()
  }

  /// Opens the serial port early, so that no protocol line is lost before `run` begins. If the port is absent, `run`
  /// tries again.
  package func begin() { opening.withLock { $0 = Result(catching: open) } }

  /// Stops the server, so that `run` returns. Any thread may call this function.
  package func stop() { stopping.finish() }

  /// Serves the app until `stop` is called.
  /// - Parameter shuttingDown: The error that the app receives at the end.
  package func run(_ service: some LineService, shuttingDown: LineError) async {
    await withDiscardingTaskGroup { tasks in
      tasks.addTask { await self.attend(service) }
      for await _ in stops {}
      for connection in connections.all { await connection.close(shuttingDown) }
      tasks.cancelAll()
    }
  }

  private func attend(_ service: some LineService) async {
    while !Task.isCancelled {
      var opened: MonotonicInstant?
      do {
        let beforehand = opening.withLock { opening in
          defer { opening = nil }
          return opening
        }
        let port = try beforehand?.get() ?? open()
        opened = clock()
        logger.info("port open", metadata: ["port": "\(path)", "app": "\(app)"])
        try await serve(port, service)
      } catch {
        if Task.isCancelled { return }
        let failure = error as? HardwareError ?? HardwareError(.failed, "read", path, cause: "\(error)")
        let wasThere = opened.map { clock() - $0 >= Self.lasting } ?? false
        let (count, isNew) = absence.withLock { absence in
          if wasThere { absence = (0, []) }
          defer { absence.count += 1 }
          return (absence.count, absence.logged.insert(failure).inserted)
        }
        if isNew {
          logger.warning("port absent; trying again", metadata: ["port": "\(path)", "cause": "\(failure)"])
        }
        try? await sleep(Self.backoff.maximumDelay(after: count))
      }
    }
  }

  /// Serves clients on an open serial port, one after the other, until the device disappears.
  private func serve(_ port: any LinePort, _ service: some LineService) async throws {
    while !Task.isCancelled {
      let lines = try await port.channel(on: group) { channel in
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: BackpressureHandler.waterMarks)
        let noLimit = SilenceLimit(limit: nil, error: Self.tooLate)
        try channel.pipeline.syncOperations.addHandlers([
          ChecksumHandler(), BackpressureHandler(port: PortOutput(port)), IdleTimeoutHandler(noLimit),
          ByteToMessageHandler(LineDecoder(longest: Transport.longestSerialLine, isMarked: true)),
        ])
        return try Lines(wrappingChannelSynchronously: channel)
      }
      try await converse(lines, service)
      if !port.isOpen { throw absent }
    }
  }

  private var absent: HardwareError {
    HardwareError(.absent, "read", path, cause: "the other end hung up", remedy: "is the cable connected?")
  }

  private static let tooLate = LineError(
    .authTimeout, "no complete HELLO within 30 s (send an empty HELLO to begin again)")

  private func converse(_ lines: Lines, _ service: some LineService) async throws {
    try await lines.executeThenClose { inbound, _ in
      let peer = Peer.port(path)
      let connection = Connection(
        number: IDGenerator.connections.next(), role: .app, transport: .serial, peer: peer, channel: lines.channel)
      connections.insert(connection)
      defer { connections.remove(connection) }
      await connection.begin()
      let authentication = AuthenticationStateMachine(
        .init(
          identification: .port(app), transport: .serial, peer: peer, gateway: service.name, nonce: randomDigits(),
          keyring: service.keyring))
      // The app of a port needs no credential and has the port to itself, so the limits of `AdmissionControl` and the
      // shares have no effect.
      var conversation = Conversation(
        connection: connection, authentication: authentication, admission: AdmissionControl(),
        shares: ConnectionShares(limit: 2), logger: logger, now: SystemClock.monotonic)
      // The gateway's earlier output on the port may have no line end. The line end that is sent here completes this
      // output, so that INFO begins on a new line.
      lines.channel.writeAndFlush(ByteBuffer(string: "\n"), promise: nil)
      conversation.begin(service)
      let ending = await converse(&conversation, inbound, service)
      if conversation.isAuthenticated { await service.closed(connection, isFinal: conversation.isOver) }
      if case .failed(let error) = ending { throw error }
      // The next conversation begins after the complete transmission of the last answer.
      await connection.flush()
    }
  }

  private enum Ending {
    case over
    case failed(any Error)
  }

  private func converse(
    _ conversation: inout Conversation, _ inbound: NIOAsyncChannelInboundStream<ReceivedLine>,
    _ service: some LineService
  ) async -> Ending {
    var hasHeard = false
    do {
      for try await line in inbound {
        if !hasHeard {
          hasHeard = true
          absence.withLock { $0 = (0, []) }
          conversation.connection.limit(
            SilenceLimit(limit: Self.timeToProve, isDeadline: true, error: Self.tooLate))
        }
        guard await conversation.process(line, at: SystemClock.monotonic, service) else { break }
        await conversation.connection.drain()
        if let pause = conversation.pause { try await Task.sleep(for: pause) }
      }
      // If the input ends before any line arrives, the device has closed the port.
      return hasHeard ? .over : .failed(absent)
    } catch {
      return .failed(error)
    }
  }
}
