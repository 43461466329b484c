public import Base
import OperatingSystem

/// The client with which an app requests fixes (positions) from a gateway. The app requests a fix, a user presses the
/// gateway's button, and the app receives one fix.
///
/// ```swift
/// let client = try await OneFixClient.connect(.unix("/run/onefix/onefix.sock"), app: "park-finder")
/// let fix = try await client.requestOnce()
/// if let position = fix.coordinate, let radius = fix.horizontalAccuracy {
///   print(position.latitude, position.longitude, "±", radius, "m")
/// }
/// ```
///
/// The gateway's owner (administrator) must have configured the id `app` for the user or the service of this process,
/// or for the app's key.
///
/// If the connection is lost, the client connects again and continues its requests. Within five seconds (the gateway's
/// grace period), the client resumes its session, in which the gateway keeps the requests. After more than five
/// seconds, the client opens a new session and repeats its requests.
///
/// Any task can call any function. If the task is cancelled, the call throws ``ClientError/cancelled``.
public actor OneFixClient {
  /// The options of a client's connection: reconnection, pings and checksums.
  public struct Options: Hashable, Sendable {
    /// The delays between attempts to reconnect. If nil, the client does not reconnect: a lost connection ends all
    /// calls and sequences with an error.
    public var backoff: Backoff?
    /// The interval between pings in seconds, 1...3600; 0 disables pings. Each side closes the connection if no
    /// protocol line arrives for 1.5 times the interval.
    public var keepalive: Int {
      didSet { keepalive = Self.kept(keepalive) }
    }
    /// Whether protocol lines end with a checksum, if the gateway supports checksums. If nil, only serial ports use
    /// checksums. With checksums, the client repeats commands that were damaged or lost.
    public var crc: Bool?

    /// Creates connection options. A value of `keepalive` below 0 becomes 0, and a value above 3600 becomes 3600.
    public init(backoff: Backoff? = Backoff(), keepalive: Int = 30, crc: Bool? = nil) {
      self.backoff = backoff
      self.keepalive = Self.kept(keepalive)
      self.crc = crc
    }

    private static func kept(_ seconds: Int) -> Int { min(max(0, seconds), 3600) }
  }

  enum ConnectionState {
    case connected(Link)
    case away
    case over(ClientError)
  }

  /// The address of the gateway and the credential of the app.
  public nonisolated let endpoint: Endpoint
  /// The id of the app, as in the gateway's configuration.
  public nonisolated let app: String
  let options: Options

  private(set) var connectionState = ConnectionState.away
  let current = CurrentLink()
  private var connectionTask: Task<Void, Never>?
  /// The promises of the tasks that wait for a change of `connectionState`.
  private var waiting: [OneShot<Void>] = []
  /// The token with which the client continues its requests on a new connection; nil before the first connection.
  private var session: String?

  var once: OnceInProgress?
  var updatesInProgress: UpdatesInProgress?
  /// The task that stops the previous updates (a stream of fixes); nil if no updates were stopped. New updates wait for
  /// the end of the task.
  var stopping: Task<Void, Never>?
  var questions: [OneShot<QuestionEnd>] = []
  var isInBackground = false
  /// Whether a protocol line was lost since the client began the latest query of all states. The client must then
  /// repeat the query.
  var isBehind = false
  var isResynchronizing = false
  /// The id of the latest message with a fix that the client received; 0 before the first fix. A new session at the
  /// gateway begins again with 0.
  var lastFix = 0

  let authorizations = Broadcaster<Authorization>(.state(.authorization))
  let indications = Broadcaster<Indicator>(.state(.indicator))
  let receivers = Broadcaster<Receiver>(.state(.receiver))
  let connections = Broadcaster<Connection>(.ownState)
  let pressNotifications = Broadcaster<PressNotification>(.events("button/press", sid: "press"))
  let regionNotifications = Broadcaster<RegionEvent>(.events("region/+", sid: "regions"))

  private init(_ endpoint: Endpoint, _ app: String, _ options: Options) {
    self.endpoint = endpoint
    self.app = app
    self.options = options
  }

  deinit {
    connectionTask?.cancel()
    current.cut()
  }

  /// Connects to a gateway and authenticates the app. The gateway's owner (administrator) must have configured the
  /// app's id. If the connection fails, the call throws an error without a further attempt.
  ///
  /// - Throws: ``ClientError/noGateway(endpoint:cause:remedy:)``, ``ClientError/untrusted(cause:)``,
  ///   ``ClientError/unauthenticated(_:)``, ``ClientError/incompatible(_:)`` or ``ClientError/tooMany(_:)``.
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

  /// The fields of the gateway's greeting (its first protocol line), for example `id`, `server` and `maxregions`. The
  /// dictionary is empty while the connection is lost.
  public var greeting: ServerLine.Fields {
    get async { if case .connected(let link) = connectionState { await link.greeting } else { [:] } }
  }

  /// Closes the client, and ends its session at the gateway immediately. All sequences of the client end, and its
  /// pending and later calls throw ``ClientError/closed``.
  public func close() async {
    connectionTask?.cancel()
    let link: Link? = if case .connected(let link) = connectionState { link } else { nil }
    finish(.closed)
    if let link { _ = try? await link.send(.bye) }
    current.cut()
    // The serial port closes at the end of the connection. Another client can then open the port.
    if let link { _ = await link.over() }
  }

  // MARK: Keeping the connection

  private func attend(_ first: Link) {
    connectionTask = Task { [weak self] in
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
  /// The minimum duration of a stable connection. After the loss of a stable connection, the reconnection delays begin
  /// again with the shortest delay.
  private static let steady = Duration.seconds(10)

  /// Handles the loss of the connection. Returns the delay before the first attempt to reconnect; nil if the client
  /// makes no attempt.
  private func lost(_ error: LinkError, after age: Duration) -> Duration? {
    guard case .connected = connectionState else { return nil }
    guard let backoff = options.backoff, !error.isLasting else {
      finish(ClientError(error))
      return nil
    }
    connectionState = .away
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
    guard case .away = connectionState, let backoff = options.backoff else { return .over }
    do {
      return .connected(try await restore())
    } catch {
      guard case .away = connectionState else { return .over }
      guard error.isLasting else { return .again(after: delay(backoff)) }
      finish(ClientError(error))
      return .over
    }
  }

  /// Connects, and continues the pending requests. With checksums, the client makes up to three attempts, because a
  /// lost protocol line can make an attempt fail.
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
        // The serial port closes at the end of the connection. The next attempt can then open the port.
        _ = await link.over()
        guard case .away = connectionState, attempts > 0 else { throw error }
      }
    }
  }

  private func resume(on link: Link) async throws(LinkError) {
    let former = session
    let fields = try await link.authenticate(app: app, keepalive: options.keepalive, session: former)
    session = fields["session"]
    var isSame = false
    if former != nil {
      // The reply to HELLO does not show whether the gateway resumed the session. For this reason, the client sends
      // UNSUB, which the gateway accepts only if the session still has the subscription. The subscription continues,
      // because UNSUB ends it only after a large number of messages.
      do {
        _ = try await link.send(.unsubscribe(sid: "press", after: 1_000_000))
        isSame = true
      } catch  where !error.isAnswer {
        throw error
      } catch {}
    }
    if !isSame { lastFix = 0 }
    try await subscribe(pressNotifications, on: link)
    if !isSame && isInBackground { _ = try await link.send(.state(isInBackground: true)) }
    try await subscribeToStates(on: link)
    if regionNotifications.isSubscribed { try await subscribe(regionNotifications, on: link) }
    try await resumeQuestions(on: link, isSame: isSame)
    try await resumeOnce(on: link, isSame: isSame)
    let asking = inProgress
    try await resumeUpdates(on: link, isSame: isSame)
    // The app may have closed the client while the client was connecting.
    guard case .away = connectionState else { throw .closed }
    connectionState = .connected(link)
    connections.send(.connected)
    // The app cancelled a request while the connection was lost. CANCEL also withdraws prompts, so the client sends it
    // only for a request that it has sent.
    if let asking, asking.tag != nil, case .failure? = asking.outcome.present { try? await withdrawRequest(on: link) }
    wake()
  }

  /// Closes the client. Pending and later calls throw the error. Sequences also end with the error, but without an
  /// error if the error is `closed`.
  private func finish(_ error: ClientError) {
    if case .over = connectionState { return }
    connectionState = .over(error)
    let end: ClientError? = error == .closed ? nil : error
    authorizations.finish(end)
    indications.finish(end)
    receivers.finish(end)
    pressNotifications.finish(end)
    regionNotifications.finish(end)
    connections.finish(end)
    updatesInProgress?.mailbox.finish(end)
    updatesInProgress = nil
    once?.outcome.resolve(.failure(error))
    for question in questions { question.resolve(.over(error)) }
    wake()
  }

  // MARK: Commands

  /// Sends a command, and returns its reply. After a lost connection, the client sends the command again on the next
  /// connection, so the command must be idempotent. If the second copy is refused because the gateway has executed the
  /// first copy, the reply has no fields.
  ///
  /// - Parameters:
  ///   - isCancellable: Whether the cancellation of the task ends the wait for the reply.
  ///   - isElement: A test whether a message is an element of the list that the command requests; nil if the command
  ///     requests no list.
  func send(
    _ command: Command, isCancellable: Bool = true, isElement: Link.ElementTest? = nil
  ) async throws(ClientError) -> Link.Reply {
    var wasSent = false
    while true {
      let link = try await connectedLink()
      do {
        return try await link.request(command, isCancellable: isCancellable, isElement: isElement)
      } catch {
        if wasSent, case .refused(let refusal, _) = error, command.isDone(accordingTo: refusal.code) {
          return ([:], [])
        }
        if error.isAnswer { throw ClientError(error) }
        wasSent = true
        await noteLoss(of: link)
      }
    }
  }

  /// Sends any command of the protocol, for diagnostic tools.
  package func perform(_ command: Command) async throws(ClientError) -> ServerLine.Fields {
    try await send(command).fields
  }

  /// Waits until the client is connected, and returns the connection.
  /// - Parameter isNeeded: Returns whether the caller still needs a connection. If the client is not connected and the
  ///   result is false, the function throws `connectionLost`.
  func connectedLink(while isNeeded: () -> Bool = { true }) async throws(ClientError) -> Link {
    while true {
      if Task.isCancelled { throw .cancelled }
      switch connectionState {
      case .connected(let link): return link
      case .over(let error): throw error
      case .away:
        guard isNeeded() else { throw .connectionLost }
        await change()
      }
    }
  }

  /// Waits until the client has recorded the loss of a connection. In a cancelled task, the function returns
  /// immediately.
  func noteLoss(of link: Link) async {
    while !Task.isCancelled, case .connected(let present) = connectionState, present === link { await change() }
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
