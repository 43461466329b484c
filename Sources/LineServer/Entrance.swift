import Hexadecimal
import LineFraming
import LineProtocol
import Logging
import NIOCore
import SystemClock

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

  /// Meets whoever has come, on their event loop.
  /// - Returns: nil where there is no place for them; they were told.
  func meet(_ channel: any Channel, _ number: UInt64, _ agreement: Agreement?) throws -> Conversation? {
    let peer = try Peer(of: channel, over: listener.transport)
    let connection = Connection(
      number: number, role: listener.identification.role, transport: listener.transport, peer: peer, channel: channel,
      post: posts[channel.eventLoop])
    // What writes for it knows it from now on: what is sent leaves before the connection ends, however soon that is.
    _ = connection.handler
    attendance.meet(connection)
    guard admit(connection) else { return nil }
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
    doorkeeper.leave(connection.number, from: connection.peer.origin)
    attendance.leave(connection.number)
  }

  /// Lets a connection in, unless there are as many of its origin already who did not say who they are. Owners are known
  /// by their socket.
  private func admit(_ connection: Connection) -> Bool {
    guard connection.role == .app else { return true }
    let error = LineError(.tooMany, "\(WaitingRoom.most) connections of yours have not said who they are; finish one")
    switch doorkeeper.enter(connection.number, from: connection.peer.origin, at: SystemClock.monotonic) {
    case .admitted: return true
    case .insteadOf(let number):
      attendance[number]?.refuse(error)
      return true
    case .refused:
      logger.info("refused", metadata: ["peer": "\(connection.peer)", "cause": "too many that are not known"])
      connection.refuse(error)
      return false
    }
  }
}

extension Peer {
  fileprivate init(of channel: any Channel, over transport: Transport) throws {
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
      self = .machine(address)
    }
  }
}
