import Clocks
import Glibc
import Ports
import Logging
import Synchronization
import OperatingSystem

/// A broker: connected to as long as it runs, again and again, on a thread of its own, which alone waits for the
/// network.
///
/// Guaranteed: a publication is handed to the library at most once for each time that it was asked for, and only while
/// the broker is there; after `recall` none of its bytes leave any more.
package final class Broker: Sendable {
  enum Event: Sendable {
    case connected
    case disconnected
    /// - Parameter payload: nil where it is too long.
    case message(
      topic: String, payload: [UInt8]?, isRetained: Bool, arrived: MonotonicInstant, sinceConnected: Duration)
    case acknowledged(Int64)
    /// The broker threw a publication away, since nobody subscribes to it.
    case unheard(Int64)
    /// The announcements that the broker does not deliver, by topic.
    case undelivered([String])
    /// What was asked for was not handed over.
    case idle
  }

  /// What is said at the begin of a connection, and at its end: by the gateway, or by the broker in its stead.
  struct Greeting: Sendable {
    var online: Announcement?
    var offline: Announcement
  }

  private struct State {
    var waiting: [Announcement] = []
    var publication: (content: Publication, until: MonotonicInstant)?
    /// What the library has, and the numbers of its messages that are not acknowledged.
    var underWay: (number: Int64, messages: Set<Int32>, isHeard: Bool)?
    /// A descriptor of our own for the connection's socket, so that it is nobody else's when it is cut.
    var line: Int32?
    var connected: MonotonicInstant?
    /// The connection is over because something that it carries is void.
    var isCut = false
    /// The connection is over because the next one is to have another will, or other subscriptions.
    var isRenewed = false
    var isReaching = false
    var isStopping = false
    /// A refused subscription was told, and none was accepted since.
    var isRefusalTold = false
    /// Others tell this broker that the gateway is there.
    var isStatusKept = false
    /// Messages that were told of and have not been taken.
    var untaken = 0
  }

  /// Messages that wait to be taken at most: whoever publishes more than can be answered is not heard.
  private static let mostUntaken = 64

  /// What waits at most while the broker takes nothing; then the oldest goes.
  private static let mostWaiting = 256
  /// How long a broker has to accept a connection: less than the library's own patience, whose error says nothing.
  private static let patience = Duration.seconds(20)
  /// Before a broker is tried again: many gateways may have lost the same one.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// A connection that lasted so long was none that was refused in other words.
  private static let lasting = Duration.seconds(5)

  package let settings: BrokerSettings
  private let greeting: @Sendable () -> Greeting
  private let filters: @Sendable () -> [(wanted: String, instead: String?)]
  private let logger: Logger
  private let state = Mutex(State())
  let events: AsyncStream<Event>
  private let told: AsyncStream<Event>.Continuation
  /// A pair of sockets that wakes the thread.
  private let wake: (reading: Int32, writing: Int32)

  /// - Parameters:
  ///   - greeting: made for each connection.
  ///   - filters: what is subscribed to, and what instead where the broker refuses that; made for each connection.
  init(
    _ settings: BrokerSettings, greeting: @escaping @Sendable () -> Greeting,
    filters: @escaping @Sendable () -> [(wanted: String, instead: String?)], logger: Logger
  ) throws(BrokerError) {
    self.settings = settings
    self.greeting = greeting
    self.filters = filters
    self.logger = logger
    (events, told) = AsyncStream.makeStream()
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw BrokerError("watch over", settings.place, cause: systemErrorText(errno))
    }
    wake = (ends[0], ends[1])
  }

  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  // MARK: From any thread, without waiting

  /// A message that was told of has been taken.
  func noteTaken() { state.withLock { $0.untaken -= 1 } }

  var isConnected: Bool { state.withLock { $0.connected != nil } }

  /// Says something while the broker is there; false where it is not.
  func say(_ announcement: Announcement) -> Bool {
    let isTaken = state.withLock { state in
      guard state.connected != nil else { return false }
      if announcement.isRetained { state.waiting.removeAll { $0.isRetained && $0.topic == announcement.topic } }
      if state.waiting.count >= Self.mostWaiting { state.waiting.removeFirst() }
      state.waiting.append(announcement)
      return true
    }
    if isTaken { wakeUp() }
    return isTaken
  }

  /// Hands a publication over, where that is before an instant. What becomes of it is an event: that it was
  /// acknowledged, that nothing is in flight, or that the broker has gone.
  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { state in
      guard state.connected != nil, state.publication == nil, state.underWay == nil else { return }
      state.publication = (publication, until)
    }
    wakeUp()
  }

  /// What was to be published is void: none of its bytes leave any more. What the library has goes with its connection.
  func recall() {
    state.withLock { state in
      if state.underWay != nil {
        state.isCut = true
        if let line = state.line { shutdown(line, Int32(SHUT_RDWR)) }
      }
      guard state.publication != nil else { return }
      state.publication = nil
      // Within the lock events have the order of what they tell.
      told.yield(.idle)
    }
    wakeUp()
  }

  /// Ends the connection, and begins another.
  func renew() {
    state.withLock { $0.isRenewed = true }
    wakeUp()
  }

  /// Says goodbye, and ends `events`.
  /// - Parameter isStatusKept: others tell this broker that the gateway is there, and it still is.
  func stop(isStatusKept: Bool = false) {
    let isReaching = state.withLock { state in
      state.isStopping = true
      state.isStatusKept = isStatusKept
      return state.isReaching
    }
    // Whoever looks a name up cannot be called back.
    if isReaching { told.finish() }
    wakeUp()
  }

  private func wakeUp() {
    // One that is full wakes as well.
    _ = unsafe write(wake.writing, [1], 1)
  }

  // MARK: The thread

  func start() throws(BrokerError) {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        // SAFETY: retained for this thread alone, just above.
        unsafe Unmanaged<Broker>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context)
    guard result == 0 else {
      unsafe Unmanaged<Broker>.fromOpaque(context).release()
      throw BrokerError("watch over", settings.place, cause: systemErrorText(result))
    }
    pthread_detach(thread)
  }

  private func run() {
    // A broker that has gone is an error of one write, not the end of the daemon.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    var failures = 0
    var complaint: BrokerError?
    while !state.withLock({ $0.isStopping }) {
      let began = SystemClock.monotonic
      do throws(BrokerError) {
        try serve()
        complaint = nil
      } catch {
        if error != complaint {
          logger.warning("a broker is not there; it is tried again and again", metadata: ["cause": "\(error)"])
        }
        complaint = error
      }
      if SystemClock.monotonic - began >= Self.lasting { failures = 0 }
      let isAnew = state.withLock { state in
        defer { state.isCut = false }
        return state.isCut || state.isRenewed
      }
      guard !isAnew else { continue }
      pause(until: SystemClock.monotonic + Self.backoff.delay(after: failures, chance: .random(in: 0..<1)))
      failures += 1
    }
    told.finish()
  }

  private func pause(until end: MonotonicInstant) {
    while !state.withLock({ $0.isStopping }) {
      let rest = (end - SystemClock.monotonic).clampedNanoseconds
      guard rest > 0 else { return }
      var polled = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
      // No more than the array has.
      _ = unsafe poll(&polled, 1, Int32(clamping: rest / 1_000_000 + 1))
      drain()
    }
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 256)
    // No more than the array has.
    while unsafe read(wake.reading, &bytes, bytes.count) > 0 {}
  }

  /// One connection, from its begin to its end.
  private func serve() throws(BrokerError) {
    state.withLock { state in
      state.isReaching = true
      state.isRenewed = false
    }
    defer { state.withLock { $0.isReaching = false } }
    let greeting = greeting()
    let client = try MosquittoClient(settings, will: greeting.offline)
    try client.connect()
    state.withLock { state in
      state.isReaching = false
      state.line = dup(client.brokerSocket)
    }
    defer { forget() }
    try exchange(with: client, greeting)
  }

  /// The connection is over; what was under way waits with the gateway.
  private func forget() {
    let wasConnected = state.withLock { state in
      if let line = state.line { close(line) }
      state.line = nil
      state.publication = nil
      state.underWay = nil
      state.waiting = []
      guard state.connected != nil else { return false }
      state.connected = nil
      told.yield(.disconnected)
      return true
    }
    guard wasConnected else { return }
    logger.info("a broker is gone", metadata: ["broker": "\(settings.place)"])
  }

  private func exchange(with client: MosquittoClient, _ greeting: Greeting) throws(BrokerError) {
    let began = SystemClock.monotonic
    var subscriptions: [Int32: String?] = [:]
    var verification = DeliveryVerification(version: settings.version)
    var undelivered: Set<String> = []
    defer { if !undelivered.isEmpty { told.yield(.undelivered([])) } }
    while true {
      let (isStopping, isCut, isRenewed, isConnected) = state.withLock {
        ($0.isStopping, $0.isCut, $0.isRenewed, $0.connected != nil)
      }
      if isStopping { return sayGoodbye(client, greeting, isConnected) }
      if isCut { return }
      if isRenewed { return isConnected ? hangUp(client) : () }
      try handOver(to: client, &verification)
      var fault: BrokerError?
      do throws(BrokerError) { try client.work(for: 1000, or: wake.reading) } catch { fault = error }
      drain()
      // What the broker said before it hung up tells more.
      for event in client.removeEvents() {
        if case .ended = event, let fault { throw refusal(fault, isConnected) }
        try process(event, from: client, greeting, &subscriptions, &verification)
      }
      if let fault { throw refusal(fault, isConnected) }
      guard isConnected || SystemClock.monotonic - began < Self.patience else {
        throw refusal(BrokerError("connect to", settings.place, cause: "it does not answer"), isConnected)
      }
      verification.giveUp(at: SystemClock.monotonic)
      tell(verification.undelivered, &undelivered)
    }
  }

  /// Adds a remedy to a fault of a connection that the broker did not accept.
  private func refusal(_ fault: BrokerError, _ isConnected: Bool) -> BrokerError {
    guard !isConnected, fault.remedy == nil else { return fault }
    var fault = fault
    fault.remedy =
      settings.version == .five
      ? "does it speak MQTT 5? if not, set version = \"3.1.1\"; is it a broker, with TLS or without?"
      : "is it a broker, with TLS or without?"
    return fault
  }

  /// Tells which announcements the broker does not deliver, if these are others than before.
  private func tell(_ undelivered: Set<String>, _ told: inout Set<String>) {
    guard undelivered != told else { return }
    for topic in undelivered.subtracting(told).sorted() {
      logger.warning(
        "a broker does not deliver a description of the app (may this user write and read it there? see its ACL)",
        metadata: ["broker": "\(settings.place)", "topic": "\(topic)"])
    }
    told = undelivered
    self.told.yield(.undelivered(undelivered.sorted()))
  }

  /// Hands over what waits, as far as the socket takes it: whatever would have to wait could still be recalled, or
  /// replaced.
  private func handOver(
    to client: MosquittoClient, _ verification: inout DeliveryVerification
  ) throws(BrokerError) {
    do {
      // A recall waits for the end of a hand-over, and comes before the next.
      try state.withLock { state in
        guard state.connected != nil else { return }
        while !state.waiting.isEmpty, !client.wantsToWrite {
          let announcement = state.waiting.removeFirst()
          guard announcement.isVerified else {
            try client.say(announcement)
            continue
          }
          if verification.needsSubscription(to: announcement.topic) { _ = try client.subscribe(announcement.topic) }
          let message = try client.say(announcement)
          verification.note(announcement, message: message, at: SystemClock.monotonic)
        }
        guard let (publication, until) = state.publication else { return }
        guard SystemClock.monotonic < until else {
          state.publication = nil
          told.yield(.idle)
          return
        }
        guard !state.isCut, !client.wantsToWrite else { return }
        state.publication = nil
        let life = UInt32(clamping: max(1, publication.life.components.seconds))
        var messages: Set<Int32> = []
        state.underWay = (publication.number, messages, false)
        for message in publication.messages {
          messages.insert(try client.publish(message.topic, message.payload, life: life))
        }
        state.underWay = (publication.number, messages, false)
      }
    } catch let error as BrokerError {
      throw error
    } catch {
      throw BrokerError("publish at", settings.place, cause: "\(error)")
    }
  }

  private func process(
    _ event: MosquittoClient.Event, from client: MosquittoClient, _ greeting: Greeting,
    _ subscriptions: inout [Int32: String?], _ verification: inout DeliveryVerification
  ) throws(BrokerError) {
    let now = SystemClock.monotonic
    switch event {
    case .accepted:
      for (wanted, instead) in filters() { subscriptions[try client.subscribe(wanted)] = .some(instead) }
      if let online = greeting.online { try client.say(online) }
      state.withLock { state in
        state.connected = now
        told.yield(.connected)
      }
      logger.info("connected to a broker", metadata: ["broker": "\(settings.place)"])
    case .refused(_, isOfVersion: true):
      let other = settings.version == .five ? MQTTVersion.three : .five
      throw BrokerError(
        "connect to", settings.place, cause: "it does not speak MQTT \(settings.version.rawValue)",
        remedy: "set version = \"\(other.rawValue)\"")
    case .refused(let cause, isOfVersion: false):
      throw BrokerError(
        "connect to", settings.place, cause: cause, remedy: "see 'username', 'password_file' and 'client_id'")
    case .subscribed(let message, let isRefused):
      // A broker may answer what nobody asked, and any number of times.
      guard let instead = subscriptions.removeValue(forKey: message) else { return }
      guard isRefused else { return state.withLock { $0.isRefusalTold = false } }
      guard let instead else {
        let isNews = state.withLock { state in
          defer { state.isRefusalTold = true }
          return !state.isRefusalTold
        }
        guard isNews else { return }
        return logger.warning(
          "a broker refuses a subscription: what is asked there is not heard (may this user read it? see its ACL)",
          metadata: ["broker": "\(settings.place)"])
      }
      subscriptions[try client.subscribe(instead)] = .some(nil)
    case .message(let topic, let payload, let isRetained):
      verification.receive(topic, payload)
      let connected: MonotonicInstant? = state.withLock { state in
        guard state.connected != nil, state.untaken < Self.mostUntaken else { return nil }
        state.untaken += 1
        return state.connected
      }
      guard let connected else { return }
      told.yield(
        .message(
          topic: topic, payload: payload, isRetained: isRetained, arrived: now, sinceConnected: now - connected))
    case .acknowledged(let message, let acknowledgement):
      if !verification.acknowledge(message, acknowledgement) { try acknowledge(message, acknowledgement) }
    case .ended(let cause):
      throw BrokerError("keep the connection to", settings.place, cause: cause)
    }
  }

  private func acknowledge(
    _ message: Int32, _ acknowledgement: MosquittoClient.Acknowledgement
  ) throws(BrokerError) {
    if case .refused(let cause) = acknowledgement {
      throw BrokerError("publish at", settings.place, cause: cause, remedy: "may this user publish there? see its ACL")
    }
    state.withLock { state in
      guard state.underWay?.messages.remove(message) != nil else { return }
      if acknowledgement == .accepted { state.underWay?.isHeard = true }
      guard let done = state.underWay, done.messages.isEmpty else { return }
      state.underWay = nil
      // Of several messages of one fix it is enough that somebody subscribes to one.
      told.yield(done.isHeard ? .acknowledged(done.number) : .unheard(done.number))
    }
  }

  private func sayGoodbye(_ client: MosquittoClient, _ greeting: Greeting, _ isConnected: Bool) {
    guard isConnected else { return }
    do throws(BrokerError) {
      let (waiting, isStatusKept) = state.withLock { ($0.waiting, $0.isStatusKept) }
      for announcement in waiting { try client.say(announcement) }
      if !isStatusKept { try client.say(greeting.offline) }
    } catch {
      // It goes without: the broker says it in its stead.
      return
    }
    hangUp(client)
  }

  /// Ends the connection, so that the will is not published.
  private func hangUp(_ client: MosquittoClient) {
    client.disconnect()
    let deadline = SystemClock.monotonic + .seconds(1)
    while !client.flush(for: 100), SystemClock.monotonic < deadline {}
  }
}
