import Glibc
package import LineProtocol
package import Logging
package import NIOCore
package import NIOPosix
import OperatingSystem

/// Listens at one place and carries lines between its clients and the service.
package struct LineServer: Sendable {
  package static let longestLine = 4096
  /// How long a connection may take to prove who it is.
  static let timeToProve = TimeAmount.seconds(10)

  private let listener: Listener
  private let accepting: any Channel
  /// Nil where it listens on an address.
  private let socketFile: SocketFile?
  private let attendance = Attendance()

  /// Binds the place; clients can connect from then on, and are served once `run` is called.
  /// - Parameters:
  ///   - limit: how many clients there may be at a time; others wait.
  ///   - doorkeeper: of all listeners.
  /// - Throws: `ListenError`
  package init(
    _ listener: Listener, for service: some LineService, limit: Int, doorkeeper: Doorkeeper = Doorkeeper(),
    group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.listener = listener
    let entrance = Entrance(listener, service, attendance, doorkeeper, logger)
    let bootstrap = LineServer.bootstrap(limit, group, makeRoom: entrance.makeRoom)
      .serverChannelOption(.autoRead, value: false)
    switch listener.place {
    case .socket(let path):
      try await SocketFile.prepare(path, group: group)
      do {
        accepting = try await bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
          .childChannelInitializer { entrance.prepare($0, nil) }.bind(unixDomainSocketPath: path).get()
      } catch {
        throw ListenError(place: path, cause: LineServer.cause(error), remedy: "choose another path with --socket")
      }
      do {
        socketFile = try SocketFile(path, for: listener.identification.role == .owner ? .owner : .apps)
      } catch {
        try? await accepting.close().get()
        _ = unsafe unlink(path)
        throw error
      }
    case .address(let address), .encrypted(let address, _):
      let tls: Live<TLSIdentity>? = if case .encrypted(_, let tls) = listener.place { tls } else { nil }
      do {
        accepting = try await bootstrap.overTCP().childChannelOption(.allowRemoteHalfClosure, value: tls == nil)
          .childChannelInitializer { entrance.prepare($0, tls) }.bind(to: address).get()
      } catch {
        throw ListenError(
          place: address.place, cause: LineServer.cause(error), remedy: "choose another address in [[listen]]")
      }
      socketFile = nil
    }
  }

  package static func bootstrap(
    _ limit: Int, _ group: MultiThreadedEventLoopGroup, makeRoom: @escaping @Sendable () -> Void = {}
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      // One at a time, so that the limit is kept exactly.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionLimit(limit, makeRoom: makeRoom))
        }
      }
      .childChannelOption(.writeBufferWaterMark, value: FlowHandler.waterMarks)
      // What was read waits to be heard: no more than one buffer of each client.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // Every connection keeps a buffer, and most say a few words now and then.
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 4096))
  }

  package static func cause(_ error: any Error) -> String {
    (error as? IOError).map { systemErrorText($0.errnoCode) } ?? "\(error)"
  }

  package var transport: Transport { listener.transport }

  /// Where it listens: the path of its socket, or address and port.
  package var place: String {
    switch listener.place {
    case .socket(let path): path
    case .address(let address), .encrypted(let address, _): (accepting.localAddress ?? address).place
    }
  }

  /// Gives the place up without having served anybody.
  package func abandon() async {
    try? await accepting.close().get()
    socketFile?.remove()
  }

  /// Ends `run`, from any thread.
  package func stop() { accepting.close(promise: nil) }

  /// Serves clients until it is stopped, then tells those that are there why and gives the place up.
  package func run(shuttingDown: LineError) async throws {
    defer { socketFile?.remove() }
    try await withTaskCancellationHandler {
      // One that was stopped already has nobody to accept.
      try? await accepting.setOption(.autoRead, value: true).get()
      try await accepting.closeFuture.get()
    } onCancel: {
      stop()
    }
    await attendance.end(shuttingDown)
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
      // While something waits to be acknowledged nobody is asked whether they live: without this they would have a quarter
      // of an hour. Milliseconds. (tcp(7), TCP_USER_TIMEOUT)
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
