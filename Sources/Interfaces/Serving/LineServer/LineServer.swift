import Glibc
package import LineProtocol
package import Logging
import NIOCore
package import NIOPosix
package import Ports

/// A server of the line protocol (commands and replies as text lines) on one network address or Unix socket.
package struct LineServer: ListeningServer {
  private let listener: Listener
  private let accepting: any Channel
  private let socketFile: SocketFile?
  /// The TLS certificate and private key of the server; nil without TLS.
  private let identity: Reloadable<TLSIdentity>?
  private let registry = ConnectionRegistry()

  /// Binds the network address or the Unix socket. Clients can then connect, and are served when `run` begins.
  ///
  /// - Parameters:
  ///   - limit: The maximum count of simultaneous clients. Further clients wait in the socket's backlog.
  ///   - admission: The limits of connections without authentication, which all listeners share.
  ///   - authenticationTime: The time in which a client must authenticate, TLS handshake included.
  /// - Throws: `ListenError`.
  package init(
    _ listener: Listener, for service: some LineService, limit: Int, admission: AdmissionControl = AdmissionControl(),
    authenticationTime: Duration = .seconds(10), group: MultiThreadedEventLoopGroup, logger: Logger
  ) async throws {
    self.listener = listener
    let acceptor = ConnectionAcceptor(listener, service, registry, admission, limit: limit, authenticationTime, logger)
    let bootstrap = ServerBootstrap.limited(to: limit, group: group, makeRoom: acceptor.makeRoom)
      .serverChannelOption(.autoRead, value: false)
    switch listener.endpoint {
    case .socket(let path, let access):
      // The sockets of the apps and the owners of one daemon are in the same folder.
      let choice = access == .app ? "in [[listen]]" : "with --socket, in another folder"
      try await SocketFile.prepare(path, group: group, choice: choice)
      do {
        accepting = try await bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
          .childChannelInitializer { acceptor.prepare($0, nil) }.bind(unixDomainSocketPath: path).get()
      } catch {
        throw ListenError(address: path, error, remedy: "choose another path \(choice)")
      }
      identity = nil
      do {
        socketFile = try SocketFile(path, for: access, choice: choice)
      } catch {
        try? await accepting.close().get()
        _ = unsafe unlink(path)
        throw error
      }
    case .address(let address, let files):
      var tls: Reloadable<TLSIdentity>?
      if let files {
        // The thread pool reads the files, because a task of the daemon must not block.
        let read = try await NIOThreadPool.singleton.runIfActive { [listener] in
          Result { () throws(ListenError) in try listener.identity(files) }
        }
        tls = Reloadable(try read.get())
      }
      identity = tls
      do {
        accepting = try await bootstrap.overTCP().childChannelOption(.allowRemoteHalfClosure, value: files == nil)
          .childChannelInitializer { [identity] in acceptor.prepare($0, identity) }.bind(to: address).get()
      } catch {
        throw ListenError(
          address: address.hostAndPort, error, remedy: "choose another address in [[listen]]")
      }
      socketFile = nil
    }
  }

  package var kind: String { listener.transport.rawValue }

  /// The path of the Unix socket, or the network address and its port.
  package var address: String {
    switch listener.endpoint {
    case .socket(let path, _): path
    case .address(let address, _): (accepting.localAddress ?? address).hostAndPort
    }
  }

  package func abandon() async {
    try? await accepting.close().get()
    socketFile?.remove()
  }

  package func stop() { accepting.close(promise: nil) }

  /// Reads the TLS certificate and the private key again. Open connections still use the previous certificate.
  package func reload() throws(ListenError) {
    guard case .address(_, let files?) = listener.endpoint else { return }
    identity?.value = try listener.identity(files)
  }

  package func run(farewell: @escaping @Sendable () -> LineError) async throws {
    defer { socketFile?.remove() }
    try await withTaskCancellationHandler {
      // If the listener was already stopped, `setOption` fails and `closeFuture` is already complete.
      try? await accepting.setOption(.autoRead, value: true).get()
      try await accepting.closeFuture.get()
    } onCancel: {
      stop()
    }
    await registry.close(farewell())
  }
}
