package import LineProtocol
import NIOCore
import OperatingSystem
import Ports
import Synchronization
import TLS

/// One connection to a gateway. The connection sends commands, and assigns each reply to its command.
package actor Link {
  /// A protocol line of the gateway that is not a reply to a pending command.
  package enum Event: Sendable {
    case message(ServerLine.Message)
    /// An error for a command to which the gateway has already replied. The values are the error, the id of the command
    /// (its tag) and further fields of the error.
    case refusal(LineError, tag: String, ServerLine.Fields)
    /// A protocol line that was damaged in transmission, so that its content is unknown.
    case damage
  }

  /// The fields of a reply, and the list of messages that the gateway sent before the reply.
  package typealias Reply = (fields: ServerLine.Fields, messages: [ServerLine.Message])
  package typealias ElementTest = @Sendable (ServerLine.Message) -> Bool

  /// The number in the latest tag (a text that assigns a reply to its command). All connections of the process share
  /// the number, so that each tag is unique.
  private static let lastTag = Atomic<Int>(0)

  /// The maximum count of elements that the client keeps of one list. Lists for owners (administrators) have no
  /// maximum.
  private static let longestList = 1000

  nonisolated package let endpoint: OneFixClient.Endpoint
  /// Whether the client is an owner (administrator). Replies to owners have no time limit, because a press of the
  /// simulated button can take a minute.
  nonisolated private let isOwners: Bool
  /// Whether protocol lines may be lost or damaged in transmission, as on a serial port. The client then asks for
  /// checksums, and repeats each command that receives no reply.
  nonisolated let isNoisy: Bool
  nonisolated private let opened = SystemClock.monotonic
  nonisolated private let channel: any Channel
  private let receive: @Sendable (Event) async -> Void
  private let greeted = OneShot<Result<ServerLine.Fields, LinkError>>()
  private let ended = OneShot<LinkError>()
  /// The commands to which the gateway has not replied yet. The key is the id of the command (its tag).
  private var outstanding: [String: PendingCommand] = [:]
  private var order: [String] = []
  private var end: LinkError?
  /// The maximum length of a protocol line that the gateway accepts, in bytes.
  private var longestLine = 4096
  private var checksums = InboundChecksums()
  /// The latest greetings (first protocol lines) of the gateway, at most eight. The client compares greetings, because
  /// greetings have no checksum and may be damaged.
  private var greetings: [ServerLine.Fields] = []
  /// The ids of the latest commands that the client sent more than once and the gateway then refused, at most eight.
  private var refusedRepetitions: [String] = []
  /// The count of refused commands that the client has sent again, because damage in transmission may have caused the
  /// refusal.
  private var doubtfulRefusals = 0
  private var isAuthenticated = false
  /// The open serial port; nil for other connections. The reference keeps the port open until the connection ends.
  private var port: SerialLinePort?

  private init(
    _ endpoint: OneFixClient.Endpoint, _ isOwners: Bool, _ isNoisy: Bool, _ channel: any Channel,
    _ port: SerialLinePort?, _ receive: @escaping @Sendable (Event) async -> Void
  ) {
    self.endpoint = endpoint
    self.isOwners = isOwners
    self.isNoisy = isNoisy
    self.channel = channel
    self.port = port
    self.receive = receive
  }

  /// Opens a connection to a gateway, and waits for the gateway's greeting (its first protocol line).
  ///
  /// - Parameters:
  ///   - keepalive: The interval of pings in seconds; 0 disables pings. The connection ends if no protocol line arrives
  ///     for 1.5 times this interval.
  ///   - crc: Whether the client asks for checksums.
  ///   - receive: Called for each event, one after the other. The client reads the next protocol line after the call
  ///     returns.
  package static func open(
    _ endpoint: OneFixClient.Endpoint, isOwners: Bool = false, keepalive: Int, crc: Bool = false,
    receive: @escaping @Sendable (Event) async -> Void
  ) async throws(LinkError) -> Link {
    let silence = keepalive > 0 ? TimeAmount.milliseconds(Int64(keepalive) * 1500) : nil
    let (lines, port) = try await Connector.connect(endpoint, silence: silence)
    let link = Link(endpoint, isOwners, crc, lines.channel, port, receive)
    Task { await link.read(lines) }
    let timeout = link.scheduleTimeout(in: link.replyTimeout)
    defer { timeout.cancel() }
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

  package var greeting: ServerLine.Fields {
    get async { (try? await greeted.value.get()) ?? [:] }
  }

  /// Waits for the end of the connection, and returns the error that ended the connection.
  package func over() async -> LinkError { await ended.value }

  nonisolated var age: Duration { SystemClock.monotonic - opened }

  /// Begins to append checksums to the client's protocol lines, if `isNoisy` is true and the gateway supports
  /// checksums.
  ///
  /// - Returns: Whether the client now appends checksums.
  func offerChecksums() async -> Bool {
    guard isNoisy, await greeting["caps"]?.split(separator: ",").contains("crc") ?? false else { return false }
    checksums.state = .offered
    channel.triggerUserOutboundEvent(ChecksumsBegin(), promise: nil)
    return true
  }

  /// Records that the client is authenticated, and starts to send pings.
  /// - Parameter keepalive: The interval between pings in seconds; 0 for no pings.
  func noteAuthenticated(keepalive: Int) {
    isAuthenticated = true
    if keepalive > 0 { keepAlive(each: .seconds(Int64(keepalive))) }
  }

  /// Closes the connection immediately. Any thread may call this function.
  nonisolated package func cut() { channel.close(promise: nil) }

  /// Closes the connection. Pending commands fail with the error.
  func fail(_ error: LinkError) {
    end = end ?? error
    cut()
  }

  // MARK: Commands

  /// Returns a new tag (a text that assigns a reply to its command). Each tag is unique in this process.
  package static func newTag() -> String { "@\(lastTag.add(1, ordering: .relaxed).newValue)" }

  /// Sends a command, and returns its reply.
  ///
  /// - Parameters:
  ///   - isCancellable: Whether the cancellation of the task ends the wait for the reply. The client then ignores the
  ///     reply.
  ///   - isElement: A test whether a message is an element of the list that the command requests; nil if the command
  ///     requests no list.
  func request(
    _ command: Command, tag: String = newTag(), isCancellable: Bool = false, isElement: ElementTest? = nil
  ) async throws(LinkError) -> Reply {
    let reply = try enqueue(command, tag, isElement)
    guard isCancellable else { return try await reply.value.get() }
    return try await withTaskCancellationHandler {
      await reply.value
    } onCancel: {
      reply.resolve(.failure(.cancelled))
    }.get()
  }

  /// Sends a command that requests no list, and returns the fields of its reply.
  package func send(
    _ command: Command, tag: String = newTag(), isCancellable: Bool = false
  ) async throws(LinkError) -> ServerLine.Fields {
    try await request(command, tag: tag, isCancellable: isCancellable).fields
  }

  private func enqueue(
    _ command: Command, _ tag: String, _ isElement: ElementTest? = nil
  ) throws(LinkError) -> OneShot<Result<Reply, LinkError>> {
    let reply = try transmit(command, tag, isElement)
    if !isOwners { outstanding[tag]?.timeout = scheduleTimeout(in: replyTimeout) }
    if isNoisy { outstanding[tag]?.repetition = scheduleRepetition(tag) }
    return reply
  }

  func sendIgnoringReply(_ command: Command) {
    // The gateway does not read. Further writes would fill the memory, so the connection ends.
    guard channel.isWritable else { return fail(.unexpected("it does not read commands")) }
    if isNoisy { _ = try? enqueue(command, Self.newTag()) } else { _ = try? transmit(command, Self.newTag()) }
  }

  private func transmit(
    _ command: Command, _ tag: String, _ isElement: ElementTest? = nil
  ) throws(LinkError) -> OneShot<Result<Reply, LinkError>> {
    if let end { throw end }
    let text = TaggedCommand(command, tag: tag).line
    // A line end in an app's text, for example in a purpose, would begin another command.
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw .refused(LineError(.badLine, "a line must not contain control characters"))
    }
    let longest = longestLine - (checksums.state == .none ? 0 : Checksum.length)
    guard text.utf8.count <= longest else {
      throw .refused(LineError(.lineTooLong, "a line must have at most \(longest) bytes"))
    }
    let sent = PendingCommand(command: command, text: text, reply: OneShot(), isElement: isElement)
    outstanding[tag] = sent
    order.append(tag)
    write(text)
    return sent.reply
  }

  private func write(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text + "\n"), promise: nil) }

  private func repeatCommand(_ tag: String) {
    guard let command = outstanding[tag], channel.isWritable else { return }
    outstanding[tag]?.isRepeated = true
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
      // Only a failed TLS handshake is reported as a separate error. A reset of the connection, for example by a crash
      // of the gateway, counts as a normal end of the connection.
      if !greeted.isResolved, let cause = Self.distrust(error) { end = end ?? .untrusted(cause: cause) }
    }
    finish(end ?? .closed)
  }

  /// Returns the text of an error of the TLS handshake; nil for any other error, for example a lost connection.
  private static func distrust(_ error: any Error) -> String? {
    switch error {
    case TLSError.ended: nil
    case let error as TLSError: "\(error)"
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
      throw .unexpected("it sent a line that is not text, or has more than \(Connector.longestLine) bytes")
    }
    guard let text = checksums.verify(bytes, isSerial: endpoint.isSerial) else { return await noteDamage() }
    let parsed = ServerLine(parsing: text)
    guard greeted.isResolved else {
      guard case .info(let greeting)? = parsed else {
        // The port may still contain protocol lines of an earlier connection, which come before the greeting.
        if endpoint.isSerial { return }
        throw .unexpected(String(String(buffer: text).prefix(80)))
      }
      guard isBelieved(greeting) else { return write("\nHELLO") }
      if let most = greeting["maxline"].flatMap({ Int($0) }), most > 0 { longestLine = most }
      return greeted.resolve(.success(greeting))
    }
    switch parsed {
    case .ok(let tag, let fields): if let tag { complete(tag, .success(fields)) }
    case .error(let error, let tag, let fields): try await processError(error, tag, fields)
    case .message(let message):
      if let first = order.first(where: { outstanding[$0]?.isElement != nil }),
        outstanding[first]?.isElement?(message) == true
      {
        // The limit is higher than the limits of all gateways, except for the lists of owners.
        if isOwners || outstanding[first]?.messages.count ?? 0 < Self.longestList {
          outstanding[first]?.messages.append(message)
        }
      } else {
        await receive(.message(message))
      }
    case .ping:
      guard channel.isWritable else { throw .unexpected("it does not read commands") }
      write("PONG")
    // A greeting in the middle of a session means that the gateway at the serial port expects a new authentication.
    case .info where endpoint.isSerial && isAuthenticated: throw .closed
    case .info, .pong, nil: break
    }
  }

  /// Returns whether the client accepts a greeting (the first protocol line of the gateway).
  ///
  /// On a serial port with checksums, the client accepts a greeting only if the gateway sends the greeting twice,
  /// because greetings have no checksum. The comparison ignores the nonce, which can differ.
  private func isBelieved(_ greeting: ServerLine.Fields) -> Bool {
    guard isNoisy, endpoint.isSerial else { return true }
    var greeting = greeting
    greeting["nonce"] = nil
    if greetings.contains(greeting) { return true }
    greetings = greetings.suffix(7) + [greeting]
    return false
  }

  private func noteDamage() async { if isAuthenticated { await receive(.damage) } }

  private func processError(_ error: LineError, _ tag: String?, _ fields: ServerLine.Fields) async throws(LinkError) {
    // A refusal of a protocol line that the gateway could not parse has no tag. The refusal belongs to the first
    // pending command.
    if !error.code.closes, isDoubtful(tag) {
      doubtfulRefusals += 1
      if let first = order.first { repeatCommand(first) }
    } else if let tag = tag ?? (error.code.closes ? nil : order.first), outstanding[tag] != nil {
      let isDone = outstanding[tag].map { $0.isRepeated && $0.command.isDone(accordingTo: error.code) } ?? false
      complete(tag, isDone ? .success([:]) : .failure(.refused(error, fields)))
    } else if let tag {
      await receive(.refusal(error, tag: tag, fields))
    }
    if error.code.closes { throw .refused(error, fields) }
  }

  /// Returns whether the client should send a refused command again, because damage in transmission may have caused the
  /// refusal.
  ///
  /// Before the gateway has agreed to checksums that the client has requested, the result is true for the first three
  /// refusals. Afterwards, the result is true for refusals without a tag.
  ///
  /// - Parameter tag: The id of the refused command; nil if the gateway could not read the command.
  private func isDoubtful(_ tag: String?) -> Bool {
    switch checksums.state {
    case .none: false
    case .offered: doubtfulRefusals < 3
    case .agreed: tag == nil
    }
  }

  /// Returns whether the client sent a refused command more than once. The gateway may then have executed the first copy.
  ///
  /// - Parameter tag: The id of the command.
  func wasRepeated(_ tag: String) -> Bool { refusedRepetitions.contains(tag) }

  /// Returns whether the gateway has not replied to a command yet.
  ///
  /// - Parameter tag: The id of the command.
  func isPending(_ tag: String) -> Bool { outstanding[tag] != nil }

  private func complete(_ tag: String, _ result: Result<ServerLine.Fields, LinkError>) {
    guard let command = outstanding.removeValue(forKey: tag) else { return }
    order.removeAll { $0 == tag }
    if command.isRepeated, case .failure(.refused) = result {
      refusedRepetitions = refusedRepetitions.suffix(7) + [tag]
    }
    command.end(result)
  }

  // MARK: Time

  /// The maximum time to wait for the gateway's greeting (its first protocol line) or for a reply.
  private nonisolated var replyTimeout: TimeAmount {
    isNoisy || endpoint.isSerial ? Connector.noisyReplyTimeout : Connector.replyTimeout
  }

  private nonisolated func scheduleRepetition(_ tag: String) -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: Connector.repetition, delay: Connector.repetition) { _ in
      Task { await self.repeatCommand(tag) }
    }
  }

  /// Repeatedly sends a line end and the client's first command (HELLO) to a serial port, so that the gateway sends its
  /// greeting. The line end completes an unfinished protocol line of an earlier client.
  private nonisolated func wake() -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: Connector.repetition) { [channel] _ in
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "\nHELLO\n"), promise: nil) }
    }
  }

  /// Schedules the end of the connection after a time. The caller cancels the returned task when the gateway answers.
  private nonisolated func scheduleTimeout(in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) {
      let error = LinkError.noGateway(
        endpoint: "\(self.endpoint)", cause: LinkError.noAnswer, remedy: LinkError.isItRunning)
      Task { await self.fail(error) }
    }
  }

  private nonisolated func keepAlive(each interval: TimeAmount) {
    let pings = channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [channel] _ in
      // If earlier protocol lines still wait, the gateway will receive these protocol lines, so a ping is not
      // necessary.
      if channel.isWritable { channel.writeAndFlush(ByteBuffer(string: "PING\n"), promise: nil) }
    }
    channel.closeFuture.whenComplete { _ in pings.cancel() }
  }

  /// Returns the gateway's TLS certificate in DER; nil without TLS.
  func certificate() async -> [UInt8]? {
    try? await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.handler(type: TLSHandler.self).peerCertificate?.der
    }.get()
  }
}
