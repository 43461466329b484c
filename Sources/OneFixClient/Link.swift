import Handshake
import LineFraming
package import LineProtocol
import NIOCore
import NIOSSL
import Synchronization
import SystemClock

/// One connection to a gateway: lines out, lines in, and which reply answers which command. When it is over, it is over.
package actor Link {
  /// What the gateway says unasked.
  package enum News: Sendable {
    case message(ServerLine.Message)
    /// A command that was accepted comes to nothing.
    case refusal(LineError, tag: String, ServerLine.Fields)
  }

  private struct Command {
    let reply: Promised<Result<ServerLine.Fields, LinkError>>
    /// Takes what lists say before their reply; false for what is no part of one.
    let hear: (@Sendable (ServerLine.Message) -> Bool)?
  }

  /// Tags stay unlike each other for as long as the process lives, since a session outlives its connections.
  private static let lastTag = Atomic<Int>(0)

  nonisolated package let endpoint: OneFixClient.Endpoint
  /// An owner's command takes as long as it takes: a button may be pressed for a minute.
  nonisolated private let isOwners: Bool
  nonisolated private let opened = SystemClock.monotonic
  nonisolated private let channel: any Channel
  private let news: @Sendable (News) async -> Void
  private let greeted = Promised<Result<ServerLine.Fields, LinkError>>()
  private let ended = Promised<LinkError>()
  /// Commands without a reply, by their tags, and the tags in the order in which they were said.
  private var outstanding: [String: Command] = [:]
  private var order: [String] = []
  private var end: LinkError?
  /// The longest line that the gateway takes, in bytes.
  private var longestLine = 4096

  private init(
    _ endpoint: OneFixClient.Endpoint, _ isOwners: Bool, _ channel: any Channel,
    _ news: @escaping @Sendable (News) async -> Void
  ) {
    self.endpoint = endpoint
    self.isOwners = isOwners
    self.channel = channel
    self.news = news
  }

  /// Connects and waits for the gateway's first line.
  /// - Parameters:
  ///   - keepalive: seconds after which something is said and something has to come; 0 turns that off.
  ///   - news: called for what comes unasked, one after the other; while it works, nothing more is read.
  package static func open(
    _ endpoint: OneFixClient.Endpoint, isOwners: Bool = false, keepalive: Int,
    news: @escaping @Sendable (News) async -> Void
  ) async throws(LinkError) -> Link {
    let silence = keepalive > 0 ? TimeAmount.milliseconds(Int64(keepalive) * 1500) : nil
    let lines = try await Dialling.dial(endpoint, silence: silence)
    let link = Link(endpoint, isOwners, lines.channel, news)
    Task { await link.read(lines) }
    let patience = link.giveUp(in: Dialling.patience)
    defer { patience.cancel() }
    let greeting = await withTaskCancellationHandler {
      await link.greeted.value
    } onCancel: {
      link.cut()
    }
    _ = try greeting.get()
    if keepalive > 0 { link.keepAlive(each: .seconds(Int64(keepalive))) }
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
  /// - Parameter hear: takes what a list says before its reply; false for what is no part of it.
  package func say(
    _ command: LineProtocol.Command, tag: String = newTag(), hear: (@Sendable (ServerLine.Message) -> Bool)? = nil
  ) async throws(LinkError) -> ServerLine.Fields {
    let reply = Promised<Result<ServerLine.Fields, LinkError>>()
    try send(command, tag, Command(reply: reply, hear: hear))
    let patience = isOwners ? nil : giveUp(in: Dialling.patience)
    defer { patience?.cancel() }
    return try await reply.value.get()
  }

  /// Says a command whose reply does not matter.
  func tell(_ command: LineProtocol.Command) {
    // Who does not read what is said unasked would fill the memory with it.
    guard channel.isWritable else { return fail(.unexpected("it does not read what it is told")) }
    try? send(command, Self.newTag(), Command(reply: Promised(), hear: nil))
  }

  private func send(_ command: LineProtocol.Command, _ tag: String, _ waiting: Command) throws(LinkError) {
    if let end { throw end }
    let text = TaggedCommand(command, tag: tag).line
    // What an app was given to pass on must not become a command of its own.
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw .refused(LineError(.badLine, "a line has no control characters"))
    }
    guard text.utf8.count <= longestLine else {
      throw .refused(LineError(.lineTooLong, "a line has at most \(longestLine) bytes"))
    }
    outstanding[tag] = waiting
    order.append(tag)
    write(text)
  }

  private func write(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text + "\n"), promise: nil) }

  // MARK: Lines

  private func read(_ lines: Dialling.Lines) async {
    do {
      try await lines.executeThenClose { inbound, _ in
        for try await line in inbound { try await take(line) }
      }
    } catch let error as LinkError {
      end = end ?? error
    } catch {
      // A gateway that dies resets the connection: for those who wait it is the same as an end.
      if !greeted.isKept, let cause = Self.distrust(error) { end = end ?? .untrusted(cause: cause) }
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
    greeted.keep(.failure(error))
    for command in outstanding.values { command.reply.keep(.failure(error)) }
    outstanding = [:]
    order = []
    ended.keep(error)
  }

  private func take(_ line: ReceivedLine) async throws(LinkError) {
    guard case .text(let text) = line else {
      throw .unexpected("a line that is no text, or of more than \(Dialling.longestLine) bytes")
    }
    let parsed = ServerLine(parsing: text)
    guard greeted.isKept else {
      guard case .info(let greeting)? = parsed else { throw .unexpected(String(String(buffer: text).prefix(80))) }
      if let most = greeting["maxline"].flatMap({ Int($0) }), most > 0 { longestLine = most }
      return greeted.keep(.success(greeting))
    }
    switch parsed {
    case .ok(let tag, let fields): if let tag { answer(tag, .success(fields)) }
    case .error(let error, let tag, let fields): try await take(error, tag, fields)
    case .message(let message):
      if let first = order.first(where: { outstanding[$0]?.hear != nil }), outstanding[first]?.hear?(message) == true {
        return
      }
      await news(.message(message))
    case .ping:
      guard channel.isWritable else { throw .unexpected("it does not read what it is told") }
      write("PONG")
    case .info, .pong, nil: break
    }
  }

  private func take(_ error: LineError, _ tag: String?, _ fields: ServerLine.Fields) async throws(LinkError) {
    // Where a line was not even read, the refusal has no tag: it answers what was said first.
    if let tag = tag ?? (error.code.closes ? nil : order.first), outstanding[tag] != nil {
      answer(tag, .failure(.refused(error, fields)))
    } else if let tag {
      await news(.refusal(error, tag: tag, fields))
    }
    if error.code.closes { throw .refused(error, fields) }
  }

  private func answer(_ tag: String, _ result: Result<ServerLine.Fields, LinkError>) {
    guard let command = outstanding.removeValue(forKey: tag) else { return }
    order.removeAll { $0 == tag }
    command.reply.keep(result)
  }

  // MARK: Time

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
