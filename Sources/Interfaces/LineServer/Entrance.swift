import Encoding
import LineFraming
import LineProtocol
import Logging
import NIOCore
import OperatingSystem

/// What all have in common who come to one place.
final class Entrance<Service: LineService>: Sendable {
  let listener: Listener
  let service: Service
  let attendance: Attendance
  let doorkeeper: Doorkeeper
  let posts = Posts()
  let logger: Logger

  init(
    _ listener: Listener, _ service: Service, _ attendance: Attendance, _ doorkeeper: Doorkeeper, _ logger: Logger
  ) {
    self.listener = listener
    self.service = service
    self.attendance = attendance
    self.doorkeeper = doorkeeper
    self.logger = logger
  }

  /// Makes a channel ready for whoever has come.
  func prepare(_ channel: any Channel, _ tls: Live<TLSIdentity>?) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      // The time runs while TLS is being agreed, too.
      let silence = SilenceLimit(
        limit: LineServer.timeToProve, isDeadline: true,
        error: LineError(.authTimeout, "not known who is there within 10 s of connecting"))
      let agreement = try tls?.value.secure(channel)
      try channel.pipeline.syncOperations.addHandlers([
        ChecksumHandler(), FlowHandler(), WatchHandler(silence),
        ByteToMessageHandler(LineDecoder(longest: LineServer.longestLine)), ConversationHandler(self, agreement),
      ])
    }
  }

  /// Counts a connection among those that have not authenticated, from the moment in which it is accepted: a TLS
  /// handshake may never end. Owners need no authentication.
  /// - Returns: the peer, or nil if the listener is being closed.
  /// - Throws: `IOError` or `ChannelError` if the kernel does not name the peer.
  func accept(_ channel: any Channel, _ number: UInt64) throws -> Peer? {
    let peer = try Peer(of: channel, over: listener.transport)
    guard attendance.enter(number, channel) else { return nil }
    if listener.identification.role == .app {
      doorkeeper.enter(number, from: peer.origin, at: SystemClock.monotonic) { [attendance] in
        attendance.refuse(number, Conversation.tooMany)
      }
    }
    return peer
  }

  /// Removes a connection that has ended.
  func leave(_ number: UInt64, _ peer: Peer) {
    doorkeeper.leave(number, from: peer.origin)
    attendance.leave(number)
  }

  /// Closes a connection that has not authenticated because the listener is full.
  @Sendable func makeRoom() {
    doorkeeper.makeRoom(at: SystemClock.monotonic) { attendance.contains($0) }
  }

  /// Begins a conversation with a client whose connection is ready, on its event loop.
  func meet(_ channel: any Channel, _ number: UInt64, _ peer: Peer, _ agreement: Agreement?) -> Conversation {
    let connection = Connection(
      number: number, role: listener.identification.role, transport: listener.transport, peer: peer, channel: channel,
      post: posts[channel.eventLoop])
    // What writes for it knows it from now on: what is sent leaves before the connection ends, however soon that is.
    _ = connection.handler
    attendance.meet(connection)
    let introduction = Introduction(
      Introduction.Circumstances(
        identification: listener.identification, transport: listener.transport, peer: peer, gateway: service.name,
        nonce: randomDigits(), binding: agreement?.binding ?? "", certificate: agreement?.certificate,
        keyring: service.keyring))
    let conversation = Conversation(
      connection: connection, introduction: introduction, doorkeeper: doorkeeper, logger: logger,
      now: SystemClock.monotonic)
    conversation.begin(service)
    return conversation
  }

  /// Hears line after line, until none waits.
  func converse(_ conversation: Conversation, _ handler: NIOLoopBound<ConversationHandler<Service>>) async {
    var conversation = conversation
    let connection = conversation.connection
    var goesOn = true
    while goesOn, let line = handler.value.nextLine() {
      goesOn = await conversation.take(line, at: SystemClock.monotonic, service)
      if goesOn {
        await connection.drain()
        if conversation.isHasty {
          // Who has said too much and gone is not heard out.
          goesOn = !handler.value.isEnded
          guard goesOn else { break }
          try? await Task.sleep(for: Conversation.pause)
        }
      }
      // The gateway stops.
      if Task.isCancelled { goesOn = false }
    }
    if goesOn, handler.value.rest(conversation) { return }
    if conversation.isIntroduced { await service.closed(connection, isFinal: conversation.isOver) }
    connection.close()
    leave(connection.number, connection.peer)
  }
}

extension Peer {
  /// Reads the peer of a connection, on its event loop.
  /// - Throws: `IOError` or `ChannelError` if the kernel does not name the peer.
  init(of channel: any Channel, over transport: Transport) throws {
    switch transport {
    case .unix:
      let peer = try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
        try Peer(ofUnixSocket: $0)
      }
      guard let peer else { throw ChannelError.operationUnsupported }
      self = peer
    case .serial, .gpsd, .mqtt: preconditionFailure("nobody speaks lines there whom this listens to")
    case .tcp, .tls:
      guard let address = channel.remoteAddress.flatMap(NetworkAddress.init) else {
        throw ChannelError.unknownLocalAddress
      }
      // A user that cannot be looked up has closed the socket: what remains is counted by its address.
      self = .machine(address, uid: address.isLoopback ? try? channel.peerUID : nil)
    }
  }
}
