import Base
import LineProtocol
import Logging
import NIOCore
import OperatingSystem
import Ports

/// The object that sets up the connections of one listener and processes their protocol lines. All connections share
/// this object.
final class ConnectionAcceptor<Service: LineService>: Sendable {
  let listener: Listener
  let service: Service
  let registry: ConnectionRegistry
  let admission: AdmissionControl
  private let shares: ConnectionShares
  private let authenticationTime: Duration
  let logger: Logger

  init(
    _ listener: Listener, _ service: Service, _ registry: ConnectionRegistry, _ admission: AdmissionControl,
    limit: Int, _ authenticationTime: Duration, _ logger: Logger
  ) {
    self.listener = listener
    self.service = service
    self.registry = registry
    self.admission = admission
    shares = ConnectionShares(limit: limit)
    self.authenticationTime = authenticationTime
    self.logger = logger
  }

  func prepare(_ channel: any Channel, _ tls: Reloadable<TLSIdentity>?) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      // The time limit includes the TLS handshake.
      let silence = SilenceLimit(
        limit: TimeAmount(authenticationTime), isDeadline: true,
        error: LineError(.authTimeout, "authentication timed out after \(authenticationTime.components.seconds) s"))
      let tlsPeer = try tls?.value.secure(channel)
      try channel.pipeline.syncOperations.addHandlers([
        ChecksumHandler(), BackpressureHandler(), IdleTimeoutHandler(silence),
        ByteToMessageHandler(LineDecoder(longest: Transport.longestSocketLine)), ConversationHandler(self, tlsPeer),
      ])
    }
  }

  /// Registers a connection that the listener accepted. Returns false if the listener is closing.
  ///
  /// The connection of an app then counts as pending (without authentication), also during its TLS handshake. If the
  /// peer (the client's end) has too many pending connections, the function can close the new connection. The handler
  /// of the connection must therefore know the peer before this call.
  func accept(_ channel: any Channel, _ number: UInt64, from peer: Peer) -> Bool {
    guard registry.add(number, channel) else { return false }
    if listener.identification.role == .app {
      admission.add(number, from: peer.origin, at: SystemClock.monotonic) { [registry] in
        registry.refuse(number, Conversation.tooMany)
      }
    }
    return true
  }

  func remove(_ number: UInt64, _ peer: Peer) {
    admission.remove(number, from: peer.origin)
    shares.remove(number)
    registry.remove(number)
  }

  /// Closes a connection without authentication, so that a full listener has room for a new connection.
  @Sendable func makeRoom() {
    admission.makeRoom(at: SystemClock.monotonic) { registry.contains($0) }
  }

  /// Creates the conversation (the dialog with a client), and sends the first protocol line. For a TLS connection, the
  /// handshake must be complete. Only the event loop of the connection may call this function.
  func begin(_ channel: any Channel, _ number: UInt64, _ peer: Peer, _ tlsPeer: TLSPeerInfo?) -> Conversation {
    let connection = Connection(
      number: number, role: listener.identification.role, transport: listener.transport, peer: peer, channel: channel)
    connection.beginOnEventLoop()
    registry.update(connection)
    let authentication = AuthenticationStateMachine(
      AuthenticationStateMachine.ConnectionInfo(
        identification: listener.identification, transport: listener.transport, peer: peer, gateway: service.name,
        nonce: randomDigits(), binding: tlsPeer?.binding ?? "", certificate: tlsPeer?.certificate,
        keyring: service.keyring))
    let conversation = Conversation(
      connection: connection, authentication: authentication, admission: admission, shares: shares, logger: logger,
      now: SystemClock.monotonic)
    conversation.begin(service)
    return conversation
  }

  /// Processes the waiting protocol lines of a client, until no line waits or the connection must close.
  func converse(_ conversation: Conversation, _ handler: NIOLoopBound<ConversationHandler<Service>>) async {
    var conversation = conversation
    let connection = conversation.connection
    var goesOn = true
    while goesOn, let line = handler.value.nextLine() {
      goesOn = await conversation.process(line, at: SystemClock.monotonic, service)
      if goesOn {
        await connection.drain()
        if let pause = conversation.pause {
          // The client sends too many commands. If it has disconnected, the remaining lines are dropped. A client that
          // has closed only its sending direction still receives a reply to each line.
          goesOn = handler.value.isConnected
          guard goesOn else { break }
          try? await Task.sleep(for: pause)
        }
      }
      // This task is cancelled only when the gateway stops.
      if Task.isCancelled { goesOn = false }
    }
    if goesOn, handler.value.rest(conversation) { return }
    if conversation.isAuthenticated { await service.closed(connection, isFinal: conversation.isOver) }
    connection.close()
    remove(connection.number, connection.peer)
  }
}
