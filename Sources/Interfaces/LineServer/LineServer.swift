import Glibc
package import LineProtocol
package import Logging
import NIOCore
package import NIOPosix
package import Connections
package import Ports

/// A listener that carries lines between its clients and the service.
package struct LineServer: Sendable {
  /// The time in which a connection has to authenticate.
  static let timeToProve = TimeAmount.seconds(10)

  private let listener: Listener
  private let accepting: any Channel
  /// Nil for an address.
  private let socketFile: SocketFile?
  private let registry = ConnectionRegistry()

  /// Binds the address or the socket. Clients can connect from then on, and are served from `run` on.
  /// - Parameters:
  ///   - limit: the number of clients at a time; others wait.
  ///   - admission: shared by all listeners.
  /// - Throws: `ListenError`
  package init(
    _ listener: Listener, for service: some LineService, limit: Int, admission: AdmissionControl = AdmissionControl(),
    group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.listener = listener
    let acceptor = ConnectionAcceptor(listener, service, registry, admission, logger)
    let bootstrap = ServerBootstrap.limited(to: limit, group: group, makeRoom: acceptor.makeRoom)
      .serverChannelOption(.autoRead, value: false)
    switch listener.place {
    case .socket(let path):
      try await SocketFile.prepare(path, group: group)
      do {
        accepting = try await bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
          .childChannelInitializer { acceptor.prepare($0, nil) }.bind(unixDomainSocketPath: path).get()
      } catch {
        throw ListenError(place: path, error, remedy: "choose another path with --socket")
      }
      do {
        socketFile = try SocketFile(path, for: listener.identification.role == .owner ? .owner : .apps)
      } catch {
        try? await accepting.close().get()
        _ = unsafe unlink(path)
        throw error
      }
    case .address(let address), .encrypted(let address, _):
      let tls: Reloadable<TLSIdentity>? = if case .encrypted(_, let tls) = listener.place { tls } else { nil }
      do {
        accepting = try await bootstrap.overTCP().childChannelOption(.allowRemoteHalfClosure, value: tls == nil)
          .childChannelInitializer { acceptor.prepare($0, tls) }.bind(to: address).get()
      } catch {
        throw ListenError(
          place: address.place, error, remedy: "choose another address in [[listen]]")
      }
      socketFile = nil
    }
  }

  package var transport: Transport { listener.transport }

  /// The path of the socket, or the address and its port.
  package var place: String {
    switch listener.place {
    case .socket(let path): path
    case .address(let address), .encrypted(let address, _): (accepting.localAddress ?? address).place
    }
  }

  /// Closes a listener that has not run.
  package func abandon() async {
    try? await accepting.close().get()
    socketFile?.remove()
  }

  /// Ends `run`, from any thread.
  package func stop() { accepting.close(promise: nil) }

  /// Serves clients until the listener is stopped, then closes their connections.
  /// - Parameter shuttingDown: the reason, which all clients receive.
  package func run(shuttingDown: LineError) async throws {
    defer { socketFile?.remove() }
    try await withTaskCancellationHandler {
      // This fails if the listener was stopped already.
      try? await accepting.setOption(.autoRead, value: true).get()
      try await accepting.closeFuture.get()
    } onCancel: {
      stop()
    }
    await registry.close(shuttingDown)
  }
}
