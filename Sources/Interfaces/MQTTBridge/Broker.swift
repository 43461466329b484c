import Clocks
import Glibc
import Ports
import Logging
import Synchronization
import OperatingSystem

/// The client of one broker. A dedicated thread connects again after each failure. Only this thread waits for the
/// network.
///
/// Guaranteed: the broker passes each publication to libmosquitto at most once per call of `publish`, and only while
/// the connection exists. After `recall` no bytes of the publication leave.
package final class Broker: Sendable {
  enum Event: Sendable {
    case connected
    case disconnected
    /// - Parameter payload: nil if the payload is too long.
    case message(
      topic: String, payload: [UInt8]?, isRetained: Bool, arrived: MonotonicInstant, sinceConnected: Duration)
    case acknowledged(Int64)
    /// The broker discarded a publication, because the topic has no subscriber.
    case unheard(Int64)
    /// The announcements that the broker does not deliver, by topic.
    case undelivered([String])
    /// No publication is in flight.
    case idle
  }

  /// The announcements for the beginning and for the end of a connection. The broker publishes the second announcement
  /// as the will if the connection is lost.
  struct Greeting: Sendable {
    var online: Announcement?
    var offline: Announcement
  }

  private struct State {
    var waiting: [Announcement] = []
    var publication: (content: Publication, until: MonotonicInstant)?
    /// The publication that libmosquitto has, with the numbers of its unacknowledged messages.
    var underWay: (number: Int64, messages: Set<Int32>, isHeard: Bool)?
    /// A duplicate of the connection's socket descriptor. The duplicate prevents a shutdown of another file after the
    /// library has closed its descriptor.
    var line: Int32?
    var connected: MonotonicInstant?
    /// Whether the connection ends because it carries a recalled publication.
    var isCut = false
    /// Whether the connection ends because the next connection has another will or other subscriptions.
    var isRenewed = false
    var isReaching = false
    var isStopping = false
    /// Whether a refused subscription was reported, and no subscription was accepted since then.
    var isRefusalTold = false
    /// Whether other bridges still publish the gateway's status at this broker.
    var isStatusKept = false
    /// The number of reported messages that the bridge has not processed.
    var untaken = 0
  }

  /// The maximum number of unprocessed messages. Further messages are dropped, so that a fast publisher cannot fill the
  /// memory.
  private static let mostUntaken = 64

  /// The maximum number of announcements that wait for the broker. If there are more, the oldest announcement is
  /// dropped.
  private static let mostWaiting = 256
  /// The time in which a broker has to accept a connection. It is shorter than the library's own timeout, because the
  /// error of that timeout has no cause.
  private static let patience = Duration.seconds(20)
  /// The delay before the next attempt. The delay is random, because many gateways can lose the same broker at the same
  /// time.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// The duration from which a connection counts as successful. A shorter connection counts as a refusal.
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
  ///   - greeting: returns the announcements of a connection; called for each connection.
  ///   - filters: returns the wanted topic filters, each with its replacement if the broker refuses the filter; called
  ///     for each connection.
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

  /// Notes that a reported message was processed.
  func noteTaken() { state.withLock { $0.untaken -= 1 } }

  var isConnected: Bool { state.withLock { $0.connected != nil } }

  /// Enqueues an announcement.
  ///
  /// - Returns: false if the broker is disconnected.
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

  /// Passes a publication to the broker, unless the deadline passes first.
  ///
  /// An event reports the result: the publication was acknowledged, no publication is in flight, or the broker is
  /// disconnected.
  ///
  /// - Parameter until: the deadline.
  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { state in
      guard state.connected != nil, state.publication == nil, state.underWay == nil else { return }
      state.publication = (publication, until)
    }
    wakeUp()
  }

  /// Recalls the publication. No further bytes of the publication leave. If the library already has the publication,
  /// the connection is closed.
  func recall() {
    state.withLock { state in
      if state.underWay != nil {
        state.isCut = true
        if let line = state.line { shutdown(line, Int32(SHUT_RDWR)) }
      }
      guard state.publication != nil else { return }
      state.publication = nil
      // The lock keeps the events in the order of the state changes.
      told.yield(.idle)
    }
    wakeUp()
  }

  /// Ends the connection and starts a new one.
  func renew() {
    state.withLock { $0.isRenewed = true }
    wakeUp()
  }

  /// Disconnects from the broker and ends `events`.
  ///
  /// - Parameter isStatusKept: whether other bridges still publish the gateway's status at this broker.
  func stop(isStatusKept: Bool = false) {
    let isReaching = state.withLock { state in
      state.isStopping = true
      state.isStatusKept = isStatusKept
      return state.isReaching
    }
    // A name lookup cannot be interrupted, so the events end before the thread does.
    if isReaching { told.finish() }
    wakeUp()
  }

  private func wakeUp() {
    // The write may fail if the socket is full: a full socket wakes the thread, too.
    _ = unsafe write(wake.writing, [1], 1)
  }

  // MARK: The thread

  func start() throws(BrokerError) {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        // SAFETY: the call of `pthread_create` retains the object for this thread.
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
    // Without SIGPIPE a lost connection fails only the current write and does not end the daemon.
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
      // SAFETY: the count is the length of the array.
      _ = unsafe poll(&polled, 1, Int32(clamping: rest / 1_000_000 + 1))
      drain()
    }
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 256)
    // SAFETY: the count is the length of the array.
    while unsafe read(wake.reading, &bytes, bytes.count) > 0 {}
  }

  /// Runs one connection from its beginning to its end.
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

  /// Removes the state of an ended connection. The gateway keeps the publication that was in flight.
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
      // The broker's own message before the end of the connection describes the cause better than the fault.
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

  /// Reports the undelivered announcements if the set has changed.
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

  /// Passes the waiting messages to the library, as far as the socket accepts bytes. All other messages stay in the
  /// queue, because a message in the queue can still be recalled or replaced.
  private func handOver(
    to client: MosquittoClient, _ verification: inout DeliveryVerification
  ) throws(BrokerError) {
    do {
      // The lock orders a recall before or after the transfer, never during it.
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
      // A broker may send answers without a request, and may repeat an answer.
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
      // If a fix has several messages, one message with a subscriber is sufficient.
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
      // The goodbye message is optional: if it fails, the broker publishes the will.
      return
    }
    hangUp(client)
  }

  /// Disconnects in such a way that the broker does not publish the will.
  private func hangUp(_ client: MosquittoClient) {
    client.disconnect()
    let deadline = SystemClock.monotonic + .seconds(1)
    while !client.flush(for: 100), SystemClock.monotonic < deadline {}
  }
}
