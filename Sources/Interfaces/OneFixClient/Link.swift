import Handshake
import LineFraming
package import LineProtocol
import NIOCore
import NIOSSL
import SerialPorts
import Synchronization
import OperatingSystem

/// One connection to a gateway: lines out, lines in, and which reply answers which command. When it is over, it is
/// over.
package actor Link {
  /// What the gateway says unasked.
  package enum News: Sendable {
    case message(ServerLine.Message)
    /// A command that was accepted comes to nothing.
    case refusal(LineError, tag: String, ServerLine.Fields)
    /// A line did not arrive as it was said: nobody knows what it was.
    case damage
  }

  private struct Command {
    let said: LineProtocol.Command
    let text: String
    /// It was said more than once: the first time may have been heard, and its reply lost.
    var isSaidAgain = false
    let reply: OneShot<Result<ServerLine.Fields, LinkError>>
    /// Takes what lists say before their reply; false for what is no part of one.
    let hear: (@Sendable (ServerLine.Message) -> Bool)?
    /// What ends the connection where there is no reply, and what says it again until there is one.
    var patience: Scheduled<Void>?
    var again: RepeatedTask?

    func end(_ result: Result<ServerLine.Fields, LinkError>) {
      patience?.cancel()
      again?.cancel()
      reply.resolve(result)
    }
  }

  /// Tags stay unlike each other for as long as the process lives, since a session outlives its connections.
  private static let lastTag = Atomic<Int>(0)

  nonisolated package let endpoint: OneFixClient.Endpoint
  /// An owner's command takes as long as it takes: a button may be pressed for a minute.
  nonisolated private let isOwners: Bool
  /// Whether lines are to have checksums: then what is lost on the way is said again.
  nonisolated let isNoisy: Bool
  nonisolated private let opened = SystemClock.monotonic
  nonisolated private let channel: any Channel
  private let news: @Sendable (News) async -> Void
  private let greeted = OneShot<Result<ServerLine.Fields, LinkError>>()
  private let ended = OneShot<LinkError>()
  /// Commands without a reply, by their tags, and the tags in the order in which they were said.
  private var outstanding: [String: Command] = [:]
  private var order: [String] = []
  private var end: LinkError?
  /// The longest line that the gateway takes, in bytes.
  private var longestLine = 4096
  private var checksums = InboundChecksums()
  /// Those that were heard, and may be damaged.
  private var greetings: [ServerLine.Fields] = []
  /// How often HELLO was refused by one that may not have heard it as it was said.
  private var doubts = 0
  /// The gateway knows who speaks.
  private var isIntroduced = false
  /// Until the connection has ended, so that whoever opens the next finds it free.
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

  /// Connects and waits for the gateway's first line.
  /// - Parameters:
  ///   - keepalive: seconds after which something is said and something has to come; 0 turns that off.
  ///   - crc: whether lines are to have checksums.
  ///   - news: called for what comes unasked, one after the other; while it works, nothing more is read.
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

  /// What the gateway said in its first line.
  package var greeting: ServerLine.Fields {
    get async { (try? await greeted.value.get()) ?? [:] }
  }

  /// Returns when the connection has ended.
  package func over() async -> LinkError { await ended.value }

  /// How long ago it was opened.
  nonisolated var age: Duration { SystemClock.monotonic - opened }

  /// From now on what is said has a checksum, where the gateway knows them.
  /// - Returns: whether it does.
  func offerChecksums() async -> Bool {
    guard isNoisy, await greeting["caps"]?.split(separator: ",").contains("crc") ?? false else { return false }
    checksums.state = .offered
    channel.triggerUserOutboundEvent(ChecksumsBegin(), promise: nil)
    return true
  }

  /// The gateway knows who speaks: from now on it is told now and then that somebody does.
  func noteAuthenticated(keepalive: Int) {
    isIntroduced = true
    if keepalive > 0 { keepAlive(each: .seconds(Int64(keepalive))) }
  }

  /// Ends the connection at once.
  nonisolated package func cut() { channel.close(promise: nil) }

  /// Ends the connection for a reason.
  func fail(_ error: LinkError) {
    end = end ?? error
    cut()
  }

  // MARK: Commands

  /// A tag that no other command has.
  package static func newTag() -> String { "@\(lastTag.add(1, ordering: .relaxed).newValue)" }

  /// Says a command and returns the fields of its reply.
  /// - Parameters:
  ///   - isCancellable: whether the end of the task ends the wait; what comes later is taken, and nobody hears of it.
  ///   - hear: takes what a list says before its reply; false for what is no part of it.
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

  /// Says a command that is to be answered.
  private func ask(
    _ command: LineProtocol.Command, _ tag: String, _ hear: (@Sendable (ServerLine.Message) -> Bool)?
  ) throws(LinkError) -> OneShot<Result<ServerLine.Fields, LinkError>> {
    let reply = OneShot<Result<ServerLine.Fields, LinkError>>()
    try send(command, tag, reply, hear)
    if !isOwners { outstanding[tag]?.patience = giveUp(in: patience) }
    if isNoisy { outstanding[tag]?.again = sayAgain(tag) }
    return reply
  }

  /// Says a command whose reply does not matter.
  func tell(_ command: LineProtocol.Command) {
    // Who does not read what is said unasked would fill the memory with it.
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
    // What an app was given to pass on must not become a command of its own.
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

  /// Says a command again that nobody has answered.
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
      // A gateway that dies resets the connection: for those who wait it is the same as an end.
      if !greeted.isResolved, let cause = Self.distrust(error) { end = end ?? .untrusted(cause: cause) }
    }
    finish(end ?? .closed)
  }

  /// Why a handshake of TLS has failed; nil where the connection was only lost in it.
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
        // What a port still carries was said to somebody else.
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
    // The gateway at a port begins anew, and has forgotten who speaks.
    case .info where endpoint.isSerial && isIntroduced: throw .closed
    case .info, .pong, nil: break
    }
  }

  /// A greeting has no checksum: where lines get damaged it counts once it has come twice. Only its nonce is another.
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
    // Where a line was not even read, the refusal has no tag: it answers what was said first.
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

  /// Whether a refusal may be one of a line that was damaged on its way: then it is said again. Before checksums are
  /// agreed that is any, but not for ever.
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

  /// How long the gateway may take for what it has to say.
  private nonisolated var patience: TimeAmount {
    isNoisy || endpoint.isSerial ? Connector.noisyPatience : Connector.patience
  }

  /// Says a command again and again, unless that is called off.
  private nonisolated func sayAgain(_ tag: String) -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: Connector.repetition, delay: Connector.repetition) { _ in
      Task { await self.repeatCommand(tag) }
    }
  }

  /// Has the gateway at a serial port speak first, again and again, unless that is called off. Whatever stands on the
  /// line is ended before.
  private nonisolated func wake() -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Connector.repetition) { [channel] _ in
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "\nHELLO\n"), promise: nil) }
    }
  }

  /// Ends the connection, unless that is called off.
  private nonisolated func giveUp(in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) {
      Task { await self.fail(.noGateway(endpoint: "\(self.endpoint)", cause: "it does not answer")) }
    }
  }

  private nonisolated func keepAlive(each interval: TimeAmount) {
    let pings = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [channel] _ in
      // What waits to be sent is as good.
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "PING\n"), promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in pings.cancel() }
  }

  /// The certificate of the other side under TLS, as DER; nil without TLS.
  func certificate() async -> [UInt8]? {
    try? await channel.nioSSL_peerCertificate().get()?.toDERBytes()
  }
}

extension Command {
  /// Whether a refusal says no more than that it was done already.
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
