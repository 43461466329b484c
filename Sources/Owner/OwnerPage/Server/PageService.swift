import ConsoleService
package import Languages
import LineProtocol
import Connections
package import Logging
import NIOPosix
package import OneFixClient
import OwnerVerbs
import OperatingSystem

/// What the page is for its owner. To the gateway it is an owner as any other, through the owners' socket.
package struct PageService: Sendable {
  /// What a report is made of at most: the daemon's memory is for other things. onefix report takes its own.
  private static let mostEntries = 20_000

  /// The owners' socket.
  private let gateway: OneFixClient.Endpoint
  /// Where a browser asks for none that there is.
  private let language: Language
  /// Says something whenever something may look different.
  private let changes: @Sendable () async -> AsyncStream<Void>
  private let logger: Logger

  package init(
    gateway: OneFixClient.Endpoint, language: Language, logger: Logger,
    changes: @escaping @Sendable () async -> AsyncStream<Void>
  ) {
    self.gateway = gateway
    self.language = language
    self.logger = logger
    self.changes = changes
  }

  /// - Parameter admit: told that a session was shown; false where there is no room for it.
  func answer(
    _ received: ReceivedRequest, as identity: PageIdentity, _ door: PageDoor, _ reply: Reply, admit: () -> Bool
  ) async throws {
    switch received {
    case .refused(let refusal): try await reply.refuse(refusal)
    case .asked(let request, let body):
      do throws(PageRefusal) {
        let route = try identity.route(request)
        try await answer(route, request, body, door, reply, admit)
      } catch {
        try await reply.refuse(error)
      }
    }
  }

  private func answer(
    _ route: PageRoute, _ request: PageRequest, _ body: String, _ door: PageDoor, _ reply: Reply, _ admit: () -> Bool
  ) async throws(PageRefusal) {
    let language = request.header("accept-language").flatMap { Language(accepted: $0) } ?? language
    do {
      switch route {
      case .file(let file): return try await reply.send(200, file.type, file.text(in: language))
      case .open:
        guard let link = request.token, let session = door.open(link, at: SystemClock.monotonic) else {
          return try await refuse("a link to the page", door, reply)
        }
        logger.notice("the page was opened")
        return try await reply.send(200, "text/plain; charset=utf-8", session.text)
      case .events, .verb, .report, .present, .leave: break
      }
      guard let token = request.token, door.admits(token, isAct: route.isAct, at: SystemClock.monotonic) else {
        return try await refuse("a session of the page", door, reply)
      }
      guard admit() else { throw PageRefusal.unavailable }
      switch route {
      case .events:
        try await attend { client in
          let feed = Feed(client, language: language, count: Int(body) ?? Feed.fewEntries, changes: changes)
          try await reply.begin("application/x-ndjson; charset=utf-8")
          try await feed.run(while: { door.admits(token, isAct: false, at: SystemClock.monotonic) }, reply)
          try await reply.end()
        }
      case .verb: try await perform(body, language, reply)
      case .report:
        guard door.beginReport() else { throw PageRefusal.unavailable }
        defer { door.endReport() }
        try await attend { client in
          let name = client.greeting["id"] ?? "onefix"
          let report = try await PrivacyReport(
            from: OwnerConnection(client: client), named: name, most: Self.mostEntries, now: SystemClock.reading.utc)
          // A long one is long in the making: no other task waits for it.
          let body = try await NIOThreadPool.singleton.runIfActive { report.body(heading: 3) }
          try await reply.send(200, "text/html; charset=utf-8", body)
        }
      case .present: try await reply.send(204)
      case .leave:
        door.end(token)
        logger.notice("the page was left")
        try await reply.send(204)
      case .file, .open: break
      }
    } catch let refusal as PageRefusal {
      throw refusal
    } catch {
      // The browser is gone, or the gateway: there is nobody to tell.
      logger.debug("the page's connection ended", metadata: ["cause": "\(error)"])
    }
  }

  /// Whoever guesses waits for the answer, longer each time; nobody else waits for them.
  private func refuse(_ what: String, _ door: PageDoor, _ reply: Reply) async throws {
    let delay = door.noteFailure(at: SystemClock.monotonic)
    // Who goes on guessing fills no log.
    let level: Logger.Level = delay < AuthenticationThrottle.longest ? .notice : .debug
    logger.log(level: level, "\(what) was refused: it is none, or not any more")
    try await SystemClock.sleep(until: SystemClock.monotonic + delay)
    throw PageRefusal.unauthorized
  }

  private func perform(_ words: String, _ language: Language, _ reply: Reply) async throws {
    let verb: OwnerVerb
    do throws(VerbError) { verb = try OwnerVerb(parsing: words) } catch { throw PageRefusal.badRequest }
    guard verb.isOnPage else { throw PageRefusal.forbidden }
    try await attend { client in
      do {
        let lines = try await OwnerViews(of: OwnerConnection(client: client), in: language).lines(of: verb)
        try await reply.send(200, "text/plain; charset=utf-8", lines.joined(separator: "\n"))
      } catch let failure as OwnerFailure {
        try await reply.send(409, "text/plain; charset=utf-8", failure.text(in: language))
      }
    }
  }

  /// Speaks with the gateway, as an owner.
  private func attend(_ body: (OwnerClient) async throws -> Void) async throws {
    let client: OwnerClient
    do { client = try await OwnerClient.connect(gateway) } catch { throw PageRefusal.unavailable }
    do {
      try await body(client)
    } catch {
      await client.close()
      throw error
    }
    await client.close()
  }
}
