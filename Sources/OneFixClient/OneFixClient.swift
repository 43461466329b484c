import Glibc
import LineFraming
public import LineProtocol
import NIOCore
import NIOPosix

/// A host app's way to the gateway: it asks, a person presses, it gets one fix.
///
/// ```swift
/// let client = try await OneFixClient.connect(.unix("/run/onefix/onefix.sock"), app: "park-finder")
/// let fix = try await client.requestOnce()
/// print(fix.coordinate.latitude, fix.coordinate.longitude, "±", fix.horizontalAccuracy, "m")
/// ```
///
/// The request waits for a press of the board's button. The gateway decides who may ask: `app` must be one of the ids
/// that its owner configured for this process's user or service.
public actor OneFixClient {
  /// What a press that concerned this app came to, where it gave no fix.
  public enum PressNews: Hashable, Sendable {
    case authorized
    /// With the gateway's reason, as in `restricted` or `indicator-dark`.
    case unauthorized(String)
  }

  /// What the gateway said in its first line.
  public nonisolated let greeting: ServerLine.Fields
  private let channel: any Channel
  private var reader: Task<Void, Never>?
  private var lastTag = 0
  /// The id of the last fix that came.
  private var lastFix = 0
  private var replies: [String: CheckedContinuation<ServerLine.Fields, any Error>] = [:]
  private var fixes: [String: AwaitedFix] = [:]
  private var listener: (@Sendable (ServerLine.Message) -> Void)?
  /// Who follows topics, by the id of their subscriptions.
  private var followers: [String: AsyncThrowingStream<ServerLine.Message, any Error>.Continuation] = [:]
  private var pressListener: (@Sendable (PressNews) -> Void)?
  /// Why nothing can be asked any more.
  private var failure: ClientError?

  /// A request's fix: it may come before anybody waits for it.
  private enum AwaitedFix {
    case outstanding
    case arrived(Result<FixReport, any Error>)
    case waiting(CheckedContinuation<FixReport, any Error>)
  }

  private init(channel: any Channel, greeting: ServerLine.Fields) {
    self.channel = channel
    self.greeting = greeting
  }

  /// Connects and says who the app is.
  /// - Parameter app: an id that the gateway's owner configured; nil on the owners' socket.
  /// - Throws: `ClientError`
  public static func connect(_ endpoint: Endpoint, app: String?) async throws -> OneFixClient {
    let path =
      switch endpoint {
      case .unix(let path): path
      }
    let lines: NIOAsyncChannel<ReceivedLine, ByteBuffer>
    do {
      lines = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(
        unixDomainSocketPath: path
      ) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder(longest: 65_536)))
          return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
      }
    } catch {
      let cause = (error as? IOError).map { unsafe String(cString: strerror($0.errnoCode)) }
      throw ClientError.noGateway(endpoint: path, cause: cause ?? "\(error)")
    }
    return try await start(lines, app: app)
  }

  private static func start(
    _ lines: NIOAsyncChannel<ReceivedLine, ByteBuffer>, app: String?
  ) async throws -> OneFixClient {
    let (clients, handOver) = AsyncThrowingStream.makeStream(of: OneFixClient.self)
    let reader = Task {
      do {
        try await lines.executeThenClose { inbound, _ in
          var client: OneFixClient?
          do {
            for try await line in inbound {
              guard case .text(let text) = line, let parsed = ServerLine(parsing: text) else { continue }
              if let client {
                await client.take(parsed)
              } else if case .info(let greeting) = parsed {
                let made = OneFixClient(channel: lines.channel, greeting: greeting)
                client = made
                handOver.yield(made)
              } else {
                throw ClientError.unexpected(String(buffer: text))
              }
            }
          } catch  where client != nil {
            // A gateway that dies resets the connection: for those who wait it is the same as an end.
          }
          await client?.end(.closed)
        }
      } catch {
        handOver.finish(throwing: error is ClientError ? error : ClientError.closed)
      }
      handOver.finish(throwing: ClientError.closed)
    }
    var first = clients.makeAsyncIterator()
    guard let client = try await first.next() else { throw ClientError.closed }
    await client.keep(reader)
    try await client.introduce(app)
    return client
  }

  private func keep(_ reader: Task<Void, Never>) { self.reader = reader }

  private func introduce(_ app: String?) async throws {
    _ = try await send(.hello(Hello(app: app, keepalive: 0)))
    if app != nil { _ = try await send(.subscribe(TopicFilter(Topic.buttonPress.rawValue), sid: "press", qos: nil)) }
  }

  /// Asks for one fix and waits until the person pressed and the fix came.
  ///
  /// The fix is acknowledged. Cancelling the surrounding task cancels the request.
  /// - Parameters:
  ///   - options: what is asked for.
  ///   - armed: called when the gateway waits for the press.
  ///   - pressed: called for a press that concerned this app.
  /// - Throws: `ClientError.refused` with `no-press`, `denied`, `restricted`, `locked`, `no-fix`, …
  public func requestOnce(
    _ options: OnceRequest = OnceRequest(), armed: @Sendable () -> Void = {},
    pressed: (@Sendable (PressNews) -> Void)? = nil
  ) async throws -> FixReport {
    pressListener = pressed
    let tag = nextTag()
    fixes[tag] = .outstanding
    defer { fixes[tag] = nil }
    return try await withTaskCancellationHandler {
      _ = try await send(.requestOnce(options), tag: tag)
      armed()
      return try await withCheckedThrowingContinuation { continuation in
        if case .arrived(let result)? = fixes[tag] { return continuation.resume(with: result) }
        fixes[tag] = .waiting(continuation)
      }
    } onCancel: {
      Task { await self.cancelRequest(tag) }
    }
  }

  private func cancelRequest(_ tag: String) async {
    _ = try? await send(.cancel)
    finish(tag, .failure(CancellationError()))
  }

  private func finish(_ tag: String, _ result: Result<FixReport, any Error>) {
    switch fixes[tag] {
    case .outstanding?: fixes[tag] = .arrived(result)
    case .waiting(let continuation)?:
      fixes[tag] = nil
      continuation.resume(with: result)
    case .arrived?, nil: break
    }
  }

  /// Says a command and returns the fields of its reply.
  /// - Parameter heard: called for each message that comes before the reply, as owners' lists do.
  /// - Throws: `ClientError`
  public func perform(
    _ command: Command, heard: (@Sendable (ServerLine.Message) -> Void)? = nil
  ) async throws -> ServerLine.Fields {
    listener = heard
    defer { listener = nil }
    return try await send(command)
  }

  /// Follows topics from now on: what is retained comes first.
  ///
  /// The stream ends by an error when the connection does.
  /// - Throws: `ClientError`
  public func messages(
    on topics: [Topic]
  ) async throws -> AsyncThrowingStream<ServerLine.Message, any Error> {
    let (messages, continuation) = AsyncThrowingStream.makeStream(of: ServerLine.Message.self)
    let sids = topics.map { _ in "follow-\(nextTag().dropFirst())" }
    for sid in sids { followers[sid] = continuation }
    continuation.onTermination = { _ in Task { await self.unfollow(sids) } }
    for (topic, sid) in zip(topics, sids) {
      _ = try await send(.subscribe(TopicFilter(topic.rawValue), sid: sid, qos: nil))
    }
    return messages
  }

  private func unfollow(_ sids: [String]) async {
    for sid in sids where followers.removeValue(forKey: sid) != nil && failure == nil {
      _ = try? await send(.unsubscribe(sid: sid, after: nil))
    }
  }

  /// Says goodbye: the gateway forgets the session at once.
  public func close() async {
    _ = try? await send(.bye)
    try? await channel.close().get()
    reader?.cancel()
  }

  // MARK: Lines

  private func nextTag() -> String {
    lastTag += 1
    return "@\(lastTag)"
  }

  private func send(_ command: Command, tag: String? = nil) async throws -> ServerLine.Fields {
    if let failure { throw failure }
    let tag = tag ?? nextTag()
    let text = TaggedCommand(command, tag: tag).line
    // What an app was given to pass on must not become a command of its own.
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw ClientError.refused(LineError(.badLine, "a line has no control characters"))
    }
    let line = text + "\n"
    return try await withCheckedThrowingContinuation { continuation in
      replies[tag] = continuation
      channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
    }
  }

  private func take(_ line: ServerLine) {
    switch line {
    case .ok(let tag, let fields):
      if let tag { replies.removeValue(forKey: tag)?.resume(returning: fields) }
    case .error(let error, let tag, _):
      let refusal = ClientError.refused(error)
      if let tag, let reply = replies.removeValue(forKey: tag) {
        reply.resume(throwing: refusal)
      } else if let tag, fixes[tag] != nil {
        finish(tag, .failure(refusal))
      } else if error.code.closes {
        end(refusal)
      }
    case .message(let message):
      take(message)
    case .ping:
      channel.writeAndFlush(ByteBuffer(string: "PONG\n"), promise: nil)
    case .info, .pong:
      break
    }
  }

  private func take(_ message: ServerLine.Message) {
    switch Topic(rawValue: message.topic) {
    case .fixOnce:
      if let id = message.id {
        let line = TaggedCommand(.acknowledge(id)).line + "\n"
        channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
        // Sent again because its acknowledgement was late: it is no answer to a later request.
        guard id > lastFix else { return }
        lastFix = id
      }
      // One arm per app: the request that waits is the one that is answered.
      guard let tag = fixes.keys.first else { return }
      finish(tag, Result { try FixReport(json: message.json) })
    case .buttonPress:
      guard let news = PressNews(json: message.json) else { return }
      pressListener?(news)
      guard case .unauthorized("restricted") = news else { return }
      let error = LineError(.restricted, "the owner's configuration forbids this app to know the location")
      let line = TaggedCommand(.cancel).line + "\n"
      channel.writeAndFlush(ByteBuffer(string: line), promise: nil)
      for tag in fixes.keys { finish(tag, .failure(ClientError.refused(error))) }
    default:
      if let follower = followers[message.sid] { follower.yield(message) } else { listener?(message) }
    }
  }

  private func end(_ error: ClientError) {
    failure = failure ?? error
    for (_, reply) in replies { reply.resume(throwing: error) }
    replies = [:]
    for follower in followers.values { follower.finish(throwing: error) }
    followers = [:]
    for tag in fixes.keys { finish(tag, .failure(error)) }
  }
}
