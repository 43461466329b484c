import Handshake
import LineFraming
package import LineProtocol
import NIOCore
import NIOSSL
import SerialPorts
import Synchronization
import OperatingSystem

/// One connection to a gateway, which sends commands and assigns replies to them. A link cannot be used after its
/// connection has ended.
package actor Link {
  /// A notification from the gateway that is not a reply.
  package enum News: Sendable {
    case message(ServerLine.Message)
    /// A command that the gateway accepted before has failed.
    case refusal(LineError, tag: String, ServerLine.Fields)
    /// A line was damaged in transmission. Its content is unknown.
    case damage
  }

  private struct Command {
    let said: LineProtocol.Command
    let text: String
    /// Whether the command was repeated. The gateway may have executed the first one if only the reply was lost.
    var isSaidAgain = false
    let reply: OneShot<Result<ServerLine.Fields, LinkError>>
    /// Receives the messages of a list before the reply. Returns false if the message is not part of the list.
    let hear: (@Sendable (ServerLine.Message) -> Bool)?
    /// The timeout of the reply, after which the connection ends, and the timer that repeats the command.
    var patience: Scheduled<Void>?
    var again: RepeatedTask?

    func end(_ result: Result<ServerLine.Fields, LinkError>) {
      patience?.cancel()
      again?.cancel()
      reply.resolve(result)
    }
  }

  /// The number of the last tag. Tags are unique in the process, because a session can outlive its connections.
  private static let lastTag = Atomic<Int>(0)

  nonisolated package let endpoint: OneFixClient.Endpoint
  /// Whether the client is an owner. Owners' commands have no timeout, because a command can press a button for a
  /// minute.
  nonisolated private let isOwners: Bool
  /// Whether lines have checksums. In this case the link repeats commands that may be lost.
  nonisolated let isNoisy: Bool
  nonisolated private let opened = SystemClock.monotonic
  nonisolated private let channel: any Channel
  private let news: @Sendable (News) async -> Void
  private let greeted = OneShot<Result<ServerLine.Fields, LinkError>>()
  private let ended = OneShot<LinkError>()
  /// The commands without a reply, by their tags, and the tags in the order of sending.
  private var outstanding: [String: Command] = [:]
  private var order: [String] = []
  private var end: LinkError?
  /// The maximum length of a line that the gateway accepts, in bytes.
  private var longestLine = 4096
  private var checksums = InboundChecksums()
  /// The received greetings, each of which may be damaged.
  private var greetings: [ServerLine.Fields] = []
  /// The number of refusals during authentication that may be caused by a damaged line.
  private var doubts = 0
  /// Whether the client is authenticated.
  private var isIntroduced = false
  /// The serial port, held until the connection has ended, so that the next connection can open it.
  private var port: SerialLinePort?

  private init(
    _ endpoint: OneFixClient.Endpoint, _ isOwners: Bool, _ isNoisy: Bool, _ channel: any Channel,
    _ port: SerialLinePort?, _ news: @escaping @Sendable (News) async -> Void
  ) {
    self.endpoint = endpoint
    self.isOwners = isOwners
    self.isNoisy = isNoisy
    self.channel = channel
    self.port = port
    self.news = news
  }

  /// Connects and waits for the greeting of the gateway.
  /// - Parameters:
  ///   - keepalive: the interval of pings in seconds. The connection ends after 1.5 times this interval without a line.
  ///     0 disables both.
  ///   - crc: whether the client offers checksums.
  ///   - news: called for each notification, one after the other. The link reads no further line until the call
  ///     returns.
  package static func open(
    _ endpoint: OneFixClient.Endpoint, isOwners: Bool = false, keepalive: Int, crc: Bool = false,
    news: @escaping @Sendable (News) async -> Void
  ) async throws(LinkError) -> Link {
    let silence = keepalive > 0 ? TimeAmount.milliseconds(Int64(keepalive) * 1500) : nil
    let (lines, port) = try await Connector.connect(endpoint, silence: silence)
    let link = Link(endpoint, isOwners, crc, lines.channel, port, news)
    Task { await link.read(lines) }
    let patience = link.giveUp(in: link.patience)
    defer { patience.cancel() }
    let waking = endpoint.isSerial ? link.wake() : nil
    defer { waking?.cancel() }
    let greeting = await withTaskCancellationHandler {
      await link.greeted.value
    } onCancel: {
      link.cut()
    }
    _ = try greeting.get()
    return link
  }

  /// The greeting of the gateway, which is its first line.
  package var greeting: ServerLine.Fields {
    get async { (try? await greeted.value.get()) ?? [:] }
  }

  /// Returns when the connection has ended.
  package func over() async -> LinkError { await ended.value }

  /// The time since the connection was opened.
  nonisolated var age: Duration { SystemClock.monotonic - opened }

  /// Begins to send checksums if the gateway supports them.
  /// - Returns: whether the gateway supports checksums.
  func offerChecksums() async -> Bool {
    guard isNoisy, await greeting["caps"]?.split(separator: ",").contains("crc") ?? false else { return false }
    checksums.state = .offered
    channel.triggerUserOutboundEvent(ChecksumsBegin(), promise: nil)
    return true
  }

  /// Records that the client is authenticated, and starts to send pings.
  func noteAuthenticated(keepalive: Int) {
    isIntroduced = true
    if keepalive > 0 { keepAlive(each: .seconds(Int64(keepalive))) }
  }

  /// Closes the connection immediately.
  nonisolated package func cut() { channel.close(promise: nil) }

  /// Closes the connection with an error.
  func fail(_ error: LinkError) {
    end = end ?? error
    cut()
  }

  // MARK: Commands

  /// Returns a tag that no other command has.
  package static func newTag() -> String { "@\(lastTag.add(1, ordering: .relaxed).newValue)" }

  /// Sends a command and returns the fields of its reply.
  /// - Parameters:
  ///   - isCancellable: whether the cancellation of the task ends the wait. A later reply is then discarded.
  ///   - hear: receives the messages of a list before the reply. It returns false if the message is not part of the
  ///     list.
  package func say(
    _ command: LineProtocol.Command, tag: String = newTag(), isCancellable: Bool = false,
    hear: (@Sendable (ServerLine.Message) -> Bool)? = nil
  ) async throws(LinkError) -> ServerLine.Fields {
    let reply = try ask(command, tag, hear)
    guard isCancellable else { return try await reply.value.get() }
    return try await withTaskCancellationHandler {
      await reply.value
    } onCancel: {
      reply.resolve(.failure(.cancelled))
    }.get()
  }

  /// Sends a command and returns its pending reply.
  private func ask(
    _ command: LineProtocol.Command, _ tag: String, _ hear: (@Sendable (ServerLine.Message) -> Bool)?
  ) throws(LinkError) -> OneShot<Result<ServerLine.Fields, LinkError>> {
    let reply = OneShot<Result<ServerLine.Fields, LinkError>>()
    try send(command, tag, reply, hear)
    if !isOwners { outstanding[tag]?.patience = giveUp(in: patience) }
    if isNoisy { outstanding[tag]?.again = sayAgain(tag) }
    return reply
  }

  /// Sends a command and ignores its reply.
  func tell(_ command: LineProtocol.Command) {
    // If the gateway does not read, unlimited writes would fill the memory.
    guard channel.isWritable else { return fail(.unexpected("it does not read what it is told")) }
    if isNoisy {
      _ = try? ask(command, Self.newTag(), nil)
    } else {
      try? send(command, Self.newTag(), OneShot(), nil)
    }
  }

  private func send(
    _ command: LineProtocol.Command, _ tag: String, _ reply: OneShot<Result<ServerLine.Fields, LinkError>>,
    _ hear: (@Sendable (ServerLine.Message) -> Bool)?
  ) throws(LinkError) {
    if let end { throw end }
    let text = TaggedCommand(command, tag: tag).line
    // Texts that an app passes on must not insert a further command.
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw .refused(LineError(.badLine, "a line has no control characters"))
    }
    let longest = longestLine - (checksums.state == .none ? 0 : Checksum.length)
    guard text.utf8.count <= longest else {
      throw .refused(LineError(.lineTooLong, "a line has at most \(longest) bytes"))
    }
    outstanding[tag] = Command(said: command, text: text, reply: reply, hear: hear)
    order.append(tag)
    write(text)
  }

  private func write(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text + "\n"), promise: nil) }

  /// Repeats a command that has no reply yet.
  private func repeatCommand(_ tag: String) {
    guard let command = outstanding[tag], channel.isWritable else { return }
    outstanding[tag]?.isSaidAgain = true
    write(command.text)
  }

  // MARK: Lines

  private func read(_ lines: Connector.Lines) async {
    do {
      try await lines.executeThenClose { inbound, _ in
        for try await line in inbound { try await process(line) }
      }
    } catch let error as LinkError {
      end = end ?? error
    } catch {
      // A gateway that crashes resets the connection. For callers that wait, a reset is the same as an end.
      if !greeted.isResolved, let cause = Self.distrust(error) { end = end ?? .untrusted(cause: cause) }
    }
    finish(end ?? .closed)
  }

  /// Returns the cause of a failed TLS handshake. Returns nil if only the connection was lost.
  private static func distrust(_ error: any Error) -> String? {
    switch error {
    case NIOSSLError.uncleanShutdown, NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])): nil
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: "\(error)"
    default: nil
    }
  }

  private func finish(_ error: LinkError) {
    end = error
    greeted.resolve(.failure(error))
    for command in outstanding.values { command.end(.failure(error)) }
    outstanding = [:]
    order = []
    port = nil
    ended.resolve(error)
  }

  private func process(_ line: ReceivedLine) async throws(LinkError) {
    guard case .text(let bytes) = line else {
      if isNoisy || endpoint.isSerial { return await noteDamage() }
      throw .unexpected("a line that is no text, or of more than \(Connector.longestLine) bytes")
    }
    guard let text = checksums.verify(bytes, isSerial: endpoint.isSerial) else { return await noteDamage() }
    let parsed = ServerLine(parsing: text)
    guard greeted.isResolved else {
      guard case .info(let greeting)? = parsed else {
        // Bytes that are still in the port belong to a previous connection.
        if endpoint.isSerial { return }
        throw .unexpected(String(String(buffer: text).prefix(80)))
      }
      guard isBelieved(greeting) else { return write("\nHELLO") }
      if let most = greeting["maxline"].flatMap({ Int($0) }), most > 0 { longestLine = most }
      return greeted.resolve(.success(greeting))
    }
    switch parsed {
    case .ok(let tag, let fields): if let tag { answer(tag, .success(fields)) }
    case .error(let error, let tag, let fields): try await processError(error, tag, fields)
    case .message(let message):
      if let first = order.first(where: { outstanding[$0]?.hear != nil }), outstanding[first]?.hear?(message) == true {
        return
      }
      await news(.message(message))
    case .ping:
      guard channel.isWritable else { throw .unexpected("it does not read what it is told") }
      write("PONG")
    // The gateway at the serial port restarted the conversation, and the client is no longer authenticated.
    case .info where endpoint.isSerial && isIntroduced: throw .closed
    case .info, .pong, nil: break
    }
  }

  /// Whether to accept a greeting. Greetings have no checksum, so on a serial line that loses data the link accepts a
  /// greeting when it has received it twice. The nonces of the two greetings differ.
  private func isBelieved(_ greeting: ServerLine.Fields) -> Bool {
    guard isNoisy, endpoint.isSerial else { return true }
    var greeting = greeting
    greeting["nonce"] = nil
    if greetings.contains(greeting) { return true }
    greetings = greetings.suffix(7) + [greeting]
    return false
  }

  private func noteDamage() async { if isIntroduced { await news(.damage) } }

  private func processError(_ error: LineError, _ tag: String?, _ fields: ServerLine.Fields) async throws(LinkError) {
    // If the gateway could not parse the line, the refusal has no tag. It then belongs to the first pending command.
    if !error.code.closes, isDoubtful(tag) {
      doubts += 1
      if let first = order.first { repeatCommand(first) }
    } else if let tag = tag ?? (error.code.closes ? nil : order.first), outstanding[tag] != nil {
      let isDone = outstanding[tag].map { $0.isSaidAgain && $0.said.isDone(accordingTo: error.code) } ?? false
      answer(tag, isDone ? .success([:]) : .failure(.refused(error, fields)))
    } else if let tag {
      await news(.refusal(error, tag: tag, fields))
    }
    if error.code.closes { throw .refused(error, fields) }
  }

  /// Whether the cause of a refusal may be a damaged line. The link then repeats the command. While checksums are
  /// offered but not agreed, this applies to every refusal, but at most three times.
  private func isDoubtful(_ tag: String?) -> Bool {
    switch checksums.state {
    case .none: false
    case .offered: doubts < 3
    case .agreed: tag == nil
    }
  }

  private func answer(_ tag: String, _ result: Result<ServerLine.Fields, LinkError>) {
    guard let command = outstanding.removeValue(forKey: tag) else { return }
    order.removeAll { $0 == tag }
    command.end(result)
  }

  // MARK: Time

  /// The timeout of the gateway's greeting and replies.
  private nonisolated var patience: TimeAmount {
    isNoisy || endpoint.isSerial ? Connector.noisyPatience : Connector.patience
  }

  /// Repeats a command at an interval until the task is cancelled.
  private nonisolated func sayAgain(_ tag: String) -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: Connector.repetition, delay: Connector.repetition) { _ in
      Task { await self.repeatCommand(tag) }
    }
  }

  /// Requests the greeting of the gateway at a serial port, at an interval until the task is cancelled. A line end
  /// first terminates any incomplete line.
  private nonisolated func wake() -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Connector.repetition) { [channel] _ in
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "\nHELLO\n"), promise: nil) }
    }
  }

  /// Closes the connection after a timeout, unless the task is cancelled.
  private nonisolated func giveUp(in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) {
      Task { await self.fail(.noGateway(endpoint: "\(self.endpoint)", cause: "it does not answer")) }
    }
  }

  private nonisolated func keepAlive(each interval: TimeAmount) {
    let pings = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [channel] _ in
      // Pending output has the same effect as a ping.
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "PING\n"), promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in pings.cancel() }
  }

  /// Returns the peer's TLS certificate as DER; nil without TLS.
  func certificate() async -> [UInt8]? {
    try? await channel.nioSSL_peerCertificate().get()?.toDERBytes()
  }
}

extension Command {
  /// Whether a refusal only means that an earlier copy of the command was executed.
  fileprivate func isDone(accordingTo code: ErrorCode) -> Bool {
    switch self {
    case .acknowledge: code == .expired
    case .unsubscribe(_, nil), .region(.remove): code == .badArgument
    case .hello, .authenticate, .subscribe, .unsubscribe, .requestOnce, .cancel, .startUpdates, .stopUpdates,
      .authorize, .state, .region, .status, .ping, .help, .bye, .owner:
      false
    }
  }
}
