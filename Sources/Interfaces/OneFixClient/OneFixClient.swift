public import Clocks
import OperatingSystem

/// An app's way to the gateway: it asks, a person presses, it gets one fix.
///
/// ```swift
/// let client = try await OneFixClient.connect(.unix("/run/onefix/onefix.sock"), app: "park-finder")
/// let fix = try await client.requestOnce()
/// print(fix.coordinate.latitude, fix.coordinate.longitude, "±", fix.horizontalAccuracy, "m")
/// ```
///
/// The request waits for a press of the board's button. The gateway decides who may ask: `app` must be one of the ids
/// that its owner configured for this process's user or service, or for its key.
///
/// A client outlives its connection. Where that is lost it is made again, and what was under way goes on: within the
/// gateway's five seconds of grace in the same session, else in a new one. Only the first connection has to succeed at
/// once. Every call may be made from any task; cancelling the task ends the call with ``ClientError/cancelled``.
public actor OneFixClient {
  /// How a client keeps its connection.
  public struct Options: Hashable, Sendable {
    /// How long it waits between attempts; nil: a lost connection is the end, as for a program that asks once.
    public var backoff: Backoff?
    /// Seconds of silence after which a sign of life is sent, 1...3600. After one and a half times as long the gateway
    /// counts as gone, and for the gateway the app does. 0 turns that off.
    public var keepalive: Int {
      didSet { keepalive = Self.kept(keepalive) }
    }
    /// Whether each line ends in a checksum, where the gateway knows them. What did not arrive as it was said is then
    /// said again. Nil: on serial ports it does, elsewhere not.
    public var crc: Bool?

    /// - Parameters:
    ///   - backoff: how long it waits between attempts to connect again; nil: a lost connection is the end.
    ///   - keepalive: seconds of silence after which a sign of life is sent, 1...3600; 0 turns that off.
    ///   - crc: whether each line ends in a checksum; nil: on serial ports it does, elsewhere not.
    public init(backoff: Backoff? = Backoff(), keepalive: Int = 30, crc: Bool? = nil) {
      self.backoff = backoff
      self.keepalive = Self.kept(keepalive)
      self.crc = crc
    }

    private static func kept(_ seconds: Int) -> Int { min(max(0, seconds), 3600) }
  }

  enum Standing {
    case connected(Link)
    case away
    case over(ClientError)
  }

  /// Where the gateway listens.
  public nonisolated let endpoint: Endpoint
  /// Who the app is.
  public nonisolated let app: String
  let options: Options

  private(set) var standing = Standing.away
  /// The connection that is being made or that is in use, so that it can be given up.
  let current = CurrentLink()
  private var attendance: Task<Void, Never>?
  /// Who waits for the standing to change.
  private var waiting: [OneShot<Void>] = []
  /// The token of the session.
  private var session: String?

  var once: OnceInProgress?
  var updatesInProgress: UpdatesInProgress?
  /// The end of updates, which new ones wait for.
  var stopping: Task<Void, Never>?
  var questions: [OneShot<QuestionEnd>] = []
  var isInBackground = false
  /// Lines were lost, and what they may have told was not asked for yet.
  var isBehind = false
  var isResynchronizing = false
  /// The id of the last fix that came in this session.
  var lastFix = 0

  let authorizations = Broadcaster<Authorization>(.state(.authorization))
  let indications = Broadcaster<Indicator>(.state(.indicator))
  let receivers = Broadcaster<Receiver>(.state(.receiver))
  let connections = Broadcaster<Connection>(.ownState)
  let pressNews = Broadcaster<PressNews>(.events("button/press", sid: "press"))
  let regionNews = Broadcaster<RegionEvent>(.events("region/+", sid: "regions"))

  private init(_ endpoint: Endpoint, _ app: String, _ options: Options) {
    self.endpoint = endpoint
    self.app = app
    self.options = options
  }

  deinit {
    attendance?.cancel()
    current.cut()
  }

  /// Connects and says who the app is.
  /// - Parameters:
  ///   - endpoint: where the gateway listens.
  ///   - app: an id that the gateway's owner configured.
  ///   - options: how the connection is kept.
  /// - Throws: ``ClientError/noGateway(endpoint:cause:)``, ``ClientError/untrusted(cause:)``,
  ///   ``ClientError/unauthenticated(_:)``, ``ClientError/incompatible(_:)``, ``ClientError/tooMany(_:)``: also where
  ///   it would connect again later, since somebody should know of a gateway that was never there.
  public static func connect(
    _ endpoint: Endpoint = .standard, app: String, options: Options = Options()
  ) async throws(ClientError) -> OneFixClient {
    let client = OneFixClient(endpoint, app, options)
    do {
      let link = try await client.restore()
      await client.attend(link)
    } catch {
      throw Task.isCancelled ? .cancelled : ClientError(error)
    }
    return client
  }

  /// What the gateway said of itself in its first line, as `id`, `server` and `maxregions`; empty while it is away.
  public var greeting: ServerLine.Fields {
    get async { if case .connected(let link) = standing { await link.greeting } else { [:] } }
  }

  /// Says goodbye: the gateway forgets the session at once. Sequences end, requests throw ``ClientError/closed``.
  public func close() async {
    attendance?.cancel()
    let link: Link? = if case .connected(let link) = standing { link } else { nil }
    finish(.closed)
    if let link { _ = try? await link.say(.bye) }
    current.cut()
    // Whoever opens the same port next finds it free.
    if let link { _ = await link.over() }
  }

  // MARK: Keeping the connection

  private func attend(_ first: Link) {
    attendance = Task { [weak self] in
      var link = first
      while !Task.isCancelled {
        let error = await link.over()
        guard var delay = await self?.lost(error, after: link.age) else { return }
        while true {
          do { try await SystemClock.sleep(until: SystemClock.monotonic + delay) } catch { return }
          switch await self?.retry() {
          case .connected(let restored): link = restored
          case .again(let after):
            delay = after
            continue
          case nil, .over: return
          }
          break
        }
      }
    }
  }

  private enum Retry {
    case connected(Link)
    case again(after: Duration)
    case over
  }

  private var failures = 0
  /// A connection that held for so long was a good one: the next loss begins anew.
  private static let steady = Duration.seconds(10)

  /// - Returns: how long to wait before the first attempt; nil where there is none.
  private func lost(_ error: LinkError, after age: Duration) -> Duration? {
    guard case .connected = standing else { return nil }
    guard let backoff = options.backoff, !error.isLasting else {
      finish(ClientError(error))
      return nil
    }
    standing = .away
    failures = age >= Self.steady ? 0 : failures
    connections.send(.lost(ClientError(error)))
    expireOnceWhileAway()
    return delay(backoff)
  }

  private func delay(_ backoff: Backoff) -> Duration {
    defer { failures += 1 }
    return backoff.delay(after: failures, chance: .random(in: 0..<1))
  }

  private func retry() async -> Retry {
    guard case .away = standing, let backoff = options.backoff else { return .over }
    do {
      return .connected(try await restore())
    } catch {
      guard case .away = standing else { return .over }
      guard error.isLasting else { return .again(after: delay(backoff)) }
      finish(ClientError(error))
      return .over
    }
  }

  /// Connects, and brings back what was under way. What goes wrong where lines get lost may be due to that, and is
  /// tried again.
  private func restore() async throws(LinkError) -> Link {
    let crc = options.crc ?? endpoint.isSerial
    var attempts = crc ? 3 : 1
    while true {
      attempts -= 1
      let link = try await Link.open(endpoint, keepalive: options.keepalive, crc: crc) { [weak self] news in
        await self?.process(news)
      }
      current.set(link)
      do {
        try await resume(on: link)
        return link
      } catch {
        link.cut()
        // A port is free again once it is given back.
        _ = await link.over()
        guard case .away = standing, attempts > 0 else { throw error }
      }
    }
  }

  private func resume(on link: Link) async throws(LinkError) {
    let former = session
    let fields = try await link.authenticate(app: app, keepalive: options.keepalive, session: former)
    session = fields["session"]
    var isSame = false
    if former != nil {
      // The reply to HELLO does not say whether the session goes on; that the gateway knows its subscription does. It
      // is not ended yet, so that this may be said twice.
      do {
        _ = try await link.say(.unsubscribe(sid: "press", after: 1_000_000))
        isSame = true
      } catch  where !error.isAnswer {
        throw error
      } catch {}
    }
    if !isSame { lastFix = 0 }
    try await subscribe(pressNews, on: link)
    if !isSame && isInBackground { _ = try await link.say(.state(isInBackground: true)) }
    try await subscribeToStates(on: link)
    if regionNews.isSubscribed { try await subscribe(regionNews, on: link) }
    try await resumeQuestions(on: link, isSame: isSame)
    try await resumeOnce(on: link, isSame: isSame)
    let asking = inProgress
    try await resumeUpdates(on: link, isSame: isSame)
    // It may have been closed meanwhile.
    guard case .away = standing else { throw .closed }
    standing = .connected(link)
    connections.send(.connected)
    // Who has given up since the request was brought back could not say so; the next one waits until it is said. What
    // the gateway was never asked is not taken back: that would withdraw a question to the person.
    if let asking, asking.tag != nil, case .failure? = asking.outcome.present { _ = try? await link.say(.cancel) }
    wake()
  }

  /// Nothing can be asked any more.
  private func finish(_ error: ClientError) {
    if case .over = standing { return }
    standing = .over(error)
    let end: ClientError? = error == .closed ? nil : error
    authorizations.finish(end)
    indications.finish(end)
    receivers.finish(end)
    pressNews.finish(end)
    regionNews.finish(end)
    connections.finish(end)
    updatesInProgress?.mailbox.finish(end)
    updatesInProgress = nil
    once?.outcome.resolve(.failure(error))
    for question in questions { question.resolve(.over(error)) }
    wake()
  }

  // MARK: Commands

  /// Says a command, as often as it takes to be answered: one that may be said twice.
  /// - Parameter isCancellable: whether the end of the task ends the wait, whatever the gateway answers then.
  /// - Throws: what the gateway answers, or why there is no way to it any more.
  func say(
    _ command: Command, isCancellable: Bool = true, hear: (@Sendable (ServerLine.Message) -> Bool)? = nil
  ) async throws(ClientError) -> ServerLine.Fields {
    while true {
      let link = try await connectedLink()
      do {
        return try await link.say(command, isCancellable: isCancellable, hear: hear)
      } catch {
        if error.isAnswer { throw ClientError(error) }
        await noteLoss(of: link)
      }
    }
  }

  /// Says a command on the connection as it is, as owners' and diagnostic tools do.
  package func perform(_ command: Command) async throws(ClientError) -> ServerLine.Fields { try await say(command) }

  /// Waits until there is a connection.
  /// - Parameter isNeeded: asked again at each change.
  func connectedLink(while isNeeded: () -> Bool = { true }) async throws(ClientError) -> Link {
    while true {
      if Task.isCancelled { throw .cancelled }
      switch standing {
      case .connected(let link): return link
      case .over(let error): throw error
      case .away:
        guard isNeeded() else { throw .connectionLost }
        await change()
      }
    }
  }

  /// Waits until it is known here, too, that a connection has ended. Whoever is cancelled does not wait: with nothing
  /// to wait for it would keep this actor from everybody, and from learning of the loss.
  func noteLoss(of link: Link) async {
    while !Task.isCancelled, case .connected(let present) = standing, present === link { await change() }
  }

  private func change() async {
    let change = OneShot<Void>()
    waiting.append(change)
    await withTaskCancellationHandler {
      await change.value
    } onCancel: {
      change.resolve(())
    }
    waiting.removeAll { $0 === change }
  }

  func wake() {
    for change in waiting { change.resolve(()) }
    waiting = []
  }
}
