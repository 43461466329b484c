import Base
import NIOCore
import NIOEmbedded
import NIOHTTP1
import OneFixClient
import OperatingSystem
import RecordingClients
import ScriptedGateways
import Synchronization
import Testing

@testable import Features

/// The browser's end of a connection, which records one response.
final class ReceivedResponse: ChannelOutboundHandler, Sendable {
  typealias OutboundIn = HTTPServerResponsePart

  private struct State {
    var status: UInt?
    var body = ""
    var isComplete = false
  }

  private let state = Mutex(State())
  /// The parts of the body. The stream ends with the answer.
  let parts: AsyncStream<String>
  private let part: AsyncStream<String>.Continuation

  init() { (parts, part) = AsyncStream.makeStream() }

  /// The status code; nil without a response.
  var status: UInt? { state.withLock { $0.status } }
  var body: String { state.withLock { $0.body } }
  /// Whether the server has ended the response.
  var isComplete: Bool { state.withLock { $0.isComplete } }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head): state.withLock { $0.status = head.status.code }
    case .body(.byteBuffer(let bytes)):
      let text = String(buffer: bytes)
      state.withLock { $0.body += text }
      part.yield(text)
    case .body(.fileRegion): break
    case .end: state.withLock { $0.isComplete = true }
    }
    promise?.succeed(())
  }

  func finish() { part.finish() }
}

/// A gateway for owners that answers every command with the values that a test has chosen.
final class OwnersGateway: Sendable {
  private struct Answer {
    var fields = ""
    var messages: [String] = []
  }

  /// The commands of the page.
  let heard = Recorder<String>()
  /// One element for each list of log entries, with which the page ends a look at the gateway.
  let looks: AsyncStream<Void>
  private let look: AsyncStream<Void>.Continuation
  private let answers = Mutex<[String: Answer]>([:])
  private let news: [String]
  private let lastVerb: String?

  /// - Parameters:
  ///   - news: The messages, as JSON, that follow the subscription to prompts.
  ///   - lastVerb: The command at which the gateway closes the connection; nil for none.
  init(news: [String] = [], closingAt lastVerb: String? = nil) {
    self.news = news
    self.lastVerb = lastVerb
    (looks, look) = AsyncStream.makeStream()
  }

  /// Sets the answer to a command: the fields of the reply, and the messages before the reply, as JSON.
  func setAnswer(to verb: String, fields: String = "", messages: [String] = []) {
    answers.withLock { $0[verb] = Answer(fields: fields, messages: messages) }
  }

  func play(_ connection: inout GatewayConnection) async throws {
    try await connection.send("INFO proto=1 server=scripted id=boat maxline=4096")
    while true {
      let (words, tag, _) = try await connection.command()
      heard.record(words.joined(separator: " "))
      if words[0] == lastVerb { return }
      let answer = answers.withLock { $0[words[0]] } ?? Answer()
      for json in answer.messages { try await connection.send("MSG owner/list - \(json)") }
      try await connection.send(answer.fields.isEmpty ? "+OK \(tag)" : "+OK \(tag) \(answer.fields)")
      if words[0] == "SUB", words[1] == "owner/prompt" {
        for json in news { try await connection.send("MSG owner/prompt \(words[2]) \(json)") }
      }
      if words[0] == "LOG" { look.yield() }
    }
  }
}

/// A clock on which the pauses between two updates take no time, and on which a stream's time between two heartbeats
/// passes only when a test lets it pass.
private final class HeartbeatClock: Sendable {
  private let passes: AsyncStream<Void>
  private let next: AsyncStream<Void>.Continuation

  init() { (passes, next) = AsyncStream.makeStream() }

  @Sendable func sleep(_ duration: Duration) async throws {
    guard duration >= .seconds(1) else { return }
    for await _ in passes { return }
    throw CancellationError()
  }

  func pass() { next.yield() }
}

/// The service of the owners' page, with one session.
final class ServedPage: Sendable {
  let authenticator = PageAuthenticator()
  let log: RecordingLog
  let session: PageToken
  private let identity = PageIdentity(port: 8021)
  private let socket = TemporarySocket()
  private let gateway: ScriptedGateway?
  private let service: PageService
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation
  private let clock = HeartbeatClock()

  /// - Parameter gateway: The gateway behind the page; nil for a page whose gateway does not run.
  init(_ gateway: OwnersGateway? = nil, log: RecordingLog = RecordingLog()) async throws {
    self.log = log
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    (self.changes, self.change) = (changes, change)
    service = PageService(
      gateway: socket.endpoint, language: .english, logger: log.logger, sleep: clock.sleep
    ) { changes }
    authenticator.serve(as: identity)
    let link = try Self.link(authenticator)
    session = try #require(authenticator.open(link, at: SystemClock.reading.boot))
    if let gateway {
      self.gateway = try await ScriptedGateway(socket.path) { connection, _ in
        try await gateway.play(&connection)
      }
    } else {
      self.gateway = nil
    }
  }

  private static func link(_ authenticator: PageAuthenticator) throws -> PageToken {
    let link = try #require(authenticator.makeLink(at: SystemClock.reading.boot))
    return try #require(PageToken(offered: link.address.suffix(43)))
  }

  /// Returns the token of a new link.
  func link() throws -> PageToken { try Self.link(authenticator) }

  /// Answers a request. Returns at the end of the answer.
  /// - Parameters:
  ///   - token: The token of a link or a session; nil for the token of `session`.
  ///   - isAdmitted: Whether there is room for a further authenticated connection.
  func answer(
    _ target: String, as token: PageToken? = nil, body: String = "", isAdmitted: Bool = true,
    to response: ReceivedResponse
  ) async throws {
    defer { response.finish() }
    let channel = await NIOAsyncTestingChannel(handler: response)
    let request = PageRequest(
      method: "POST", target: target,
      headers: [
        ("Host", identity.host), ("Origin", identity.origin),
        ("Authorization", "Bearer \((token ?? session).text)"),
      ])
    try await service.answer(.asked(request, body: body), as: identity, authenticator, Reply(to: channel)) {
      isAdmitted
    }
    _ = try await channel.finish(acceptAlreadyClosed: true)
  }

  /// Answers a request. Returns the response at its end.
  func ask(_ target: String, as token: PageToken? = nil, body: String = "") async throws -> ReceivedResponse {
    let response = ReceivedResponse()
    try await answer(target, as: token, body: body, to: response)
    return response
  }

  /// Runs a stream of events for a session that ends as soon as `isValid` returns false.
  func stream(while isValid: @escaping @Sendable () -> Bool, to response: ReceivedResponse) async throws {
    let channel = await NIOAsyncTestingChannel(handler: response)
    try await OwnerClient.with(socket.endpoint) { [changes, clock] client in
      let feed = Feed(client, language: .english, page: "20", sleep: clock.sleep) { changes }
      try await feed.run(while: isValid, Reply(to: channel))
    }
    _ = try await channel.finish(acceptAlreadyClosed: true)
  }

  /// Lets the time until the next heartbeat of the stream pass.
  func passHeartbeat() { clock.pass() }

  /// Tells the page that the gateway has changed.
  func markChanged() { change.yield() }

  /// Ends the session, which its streams notice at once.
  func endSession() {
    authenticator.end(session)
    markChanged()
  }
}
