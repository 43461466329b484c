package import Base
import LineProtocol
package import Logging
import NIOPosix
package import OneFixClient
import OperatingSystem
import OwnerClients
import OwnerScreens
import Serving

/// The code that answers the requests to the owners' web page. For the gateway's data and commands, the service
/// connects to the Unix socket for owners.
package struct PageService: Sendable {
  /// The maximum count of log entries in a privacy report. More entries would need too much memory.
  private static let mostEntries = 20_000

  private let gateway: OneFixClient.Endpoint
  private let language: Language
  /// Waits for a time, between two updates of a page.
  private let sleep: @Sendable (Duration) async throws -> Void
  /// Returns a stream with one element for each change of the gateway's state.
  private let changes: @Sendable () async -> AsyncStream<Void>
  private let logger: Logger

  package init(
    gateway: OneFixClient.Endpoint, language: Language, logger: Logger,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    changes: @escaping @Sendable () async -> AsyncStream<Void>
  ) {
    self.gateway = gateway
    self.language = language
    self.logger = logger
    self.sleep = sleep
    self.changes = changes
  }

  /// Answers one request.
  /// - Parameters:
  ///   - received: The request, or the reason to refuse the request.
  ///   - admit: Marks the connection as authenticated. Returns false if there are already too many such connections.
  func answer(
    _ received: ReceivedRequest, as identity: PageIdentity, _ authenticator: PageAuthenticator, _ reply: Reply,
    admit: () -> Bool
  ) async throws {
    switch received {
    case .refused(let refusal): try await reply.refuse(refusal)
    case .asked(let request, let body):
      do throws(PageRefusal) {
        let route = try identity.route(request)
        try await answer(route, request, body, authenticator, reply, admit)
      } catch {
        try await reply.refuse(error)
      }
    }
  }

  private func answer(
    _ route: PageRoute, _ request: PageRequest, _ body: String, _ authenticator: PageAuthenticator, _ reply: Reply,
    _ admit: () -> Bool
  ) async throws(PageRefusal) {
    let language = request.header("accept-language").flatMap { Language(accepted: $0) } ?? language
    do {
      switch route {
      case .file(let file): return try await reply.send(200, file.type, file.text(in: language))
      case .open:
        guard let link = request.token, let session = authenticator.open(link, at: SystemClock.reading.boot) else {
          return try await refuse("the link", authenticator, reply)
        }
        logger.notice("page session started")
        return try await reply.send(200, "text/plain; charset=utf-8", session.text)
      case .events, .verb, .report, .present, .leave: break
      }
      guard let token = request.token,
        authenticator.validate(token, isUserAction: route.isUserAction, at: SystemClock.reading.boot)
      else {
        return try await refuse("the session", authenticator, reply)
      }
      guard admit() else { throw PageRefusal.unavailable }
      switch route {
      case .events:
        try await withClient { client in
          let feed = Feed(client, language: language, page: body, sleep: sleep, changes: changes)
          try await reply.begin("application/x-ndjson; charset=utf-8")
          try await feed.run(
            while: { authenticator.validate(token, isUserAction: false, at: SystemClock.reading.boot) }, reply)
          try await reply.end()
        }
      case .verb: try await perform(body, language, reply)
      case .report:
        guard authenticator.beginReport() else { throw PageRefusal.unavailable }
        defer { authenticator.endReport() }
        try await withClient { client in
          let name = client.greeting["id"] ?? "onefix"
          let report = try await PrivacyReport(
            from: OwnerConnection(client: client), named: name, most: Self.mostEntries, now: SystemClock.reading.utc,
            language: language)
          // A large report takes a long time, so the thread pool generates it.
          let body = try await NIOThreadPool.singleton.runIfActive { report.body(heading: 3) }
          try await reply.send(200, "text/html; charset=utf-8", body)
        }
      case .present: try await reply.send(204)
      case .leave:
        authenticator.end(token)
        logger.notice("page session ended")
        try await reply.send(204)
      case .file, .open: break
      }
    } catch let refusal as PageRefusal {
      throw refusal
    } catch {
      // The browser or the gateway closed the connection, so no response is possible.
      logger.debug("page connection ended", metadata: ["cause": "\(error)"])
    }
  }

  /// Refuses a request with a wrong token, after a delay that grows with each wrong token. The delay does not affect
  /// other requests.
  /// - Parameter what: The kind of token in the log message, as in `the link`.
  private func refuse(_ what: String, _ authenticator: PageAuthenticator, _ reply: Reply) async throws {
    let delay = authenticator.recordFailure(at: SystemClock.monotonic)
    // A long series of failures must not fill the log.
    let level: Logger.Level = delay < AuthenticationThrottle.longest ? .notice : .debug
    logger.log(level: level, "cannot answer a request from the owner's page: \(what) is invalid or has expired")
    try await SystemClock.sleep(until: SystemClock.monotonic + delay)
    throw PageRefusal.unauthorized
  }

  private func perform(_ words: String, _ language: Language, _ reply: Reply) async throws {
    let verb: OwnerVerb
    do throws(VerbError) { verb = try OwnerVerb(parsing: words) } catch { throw PageRefusal.badRequest }
    guard verb.isOnPage else { throw PageRefusal.forbidden }
    try await withClient { client in
      do {
        let lines = try await OwnerViews(of: OwnerConnection(client: client, surface: .page), in: language).lines(
          of: verb)
        try await reply.send(200, "text/plain; charset=utf-8", lines.joined(separator: "\n"))
      } catch let failure as OwnerFailure {
        try await reply.send(409, "text/plain; charset=utf-8", failure.text(in: language))
      }
    }
  }

  private func withClient(_ body: (OwnerClient) async throws -> Void) async throws {
    var isConnected = false
    do {
      try await OwnerClient.with(gateway) { client in
        isConnected = true
        try await body(client)
      }
    } catch {
      throw isConnected ? error : PageRefusal.unavailable as any Error
    }
  }
}
