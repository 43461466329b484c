import Clocks
import Glibc
import Ports
import Logging
import Synchronization
import OperatingSystem

/// The client of one MQTT broker. Its own thread waits for the network, and connects again after each failure.
///
/// For each call of `publish`, the client gives the publication to libmosquitto at most once, and only while the
/// connection exists. After a call of `recall`, the client sends no more bytes of the publication.
package final class Broker: Sendable {
  enum Event: Sendable {
    case connected
    case disconnected
    /// A message that arrived on a subscribed topic. The payload is nil if it exceeds the maximum length of a request.
    case message(
      topic: String, payload: [UInt8]?, isRetained: Bool, arrived: MonotonicInstant, sinceConnected: Duration)
    case acknowledged(Int64)
    /// The broker discarded the publication with this number, because its topics have no subscriber.
    case discarded(Int64)
    /// The topics on which the broker does not deliver the gateway's announcements.
    case undelivered([String])
    /// The client did not send the publication, and is ready for the next publication.
    case idle
  }

  /// The messages at the beginning and at the end of a connection. The message `offline` is also the will, which the
  /// broker publishes if the connection is lost.
  struct Greeting: Sendable {
    var online: Announcement?
    var offline: Announcement
  }

  private struct State {
    var waiting: [Announcement] = []
    var publication: (content: Publication, until: MonotonicInstant)?
    /// The publication that was passed to libmosquitto, with the numbers of its unacknowledged messages.
    var underWay: (number: Int64, messages: Set<Int32>, isHeard: Bool)?
    /// A duplicate of the connection's socket descriptor. A shutdown of libmosquitto's own descriptor could affect a
    /// new file with the same number. A shutdown of the duplicate is always safe.
    var line: Int32?
    var connected: MonotonicInstant?
    /// Whether the connection must end because the gateway withdrew a publication that libmosquitto already has.
    var isCut = false
    /// Whether the connection must end because the will or the subscriptions have changed.
    var isRenewed = false
    var isReaching = false
    var isStopping = false
    /// Whether the daemon's log already has a message about a refused subscription.
    var isRefusalTold = false
    var isStatusKept = false
    /// The number of messages in `events` that the bridge has not processed yet.
    var untaken = 0
  }

  /// The maximum number of unprocessed messages. Further messages are dropped.
  private static let mostUntaken = 64

  /// The maximum number of announcements that wait for the broker. A further announcement replaces the oldest
  /// announcement.
  private static let mostWaiting = 256
  /// The time in which a broker must accept a connection. It is shorter than the timeout of libmosquitto, which reports
  /// no cause.
  private static let patience = Duration.seconds(20)
  /// The random delays before attempts to connect. Many gateways that lose the same broker must not connect again at
  /// the same time.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// The minimum duration of a successful connection. A shorter connection counts as a failure, so the next delay
  /// grows.
  private static let lasting = Duration.seconds(5)

  package let settings: BrokerSettings
  private let greeting: @Sendable () -> Greeting
  private let filters: @Sendable () -> [(wanted: String, instead: String?)]
  private let logger: Logger
  private let state = Mutex(State())
  let events: AsyncStream<Event>
  private let told: AsyncStream<Event>.Continuation
  /// Two connected sockets. A byte that is written to `writing` wakes the thread, which waits for `reading`.
  private let wake: (reading: Int32, writing: Int32)

  /// - Parameters:
  ///   - greeting: Returns the messages for the beginning and the end of each connection.
  ///   - filters: Returns the topic filters for each connection. If the broker refuses the filter `wanted`, the client
  ///     subscribes to the filter `instead`.
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
      throw BrokerError("create a socket pair for", settings.place, cause: systemErrorText(errno))
    }
    wake = (ends[0], ends[1])
  }

  deinit {
    close(wake.reading)
    close(wake.writing)
  }

  // MARK: From any thread, without waiting

  func noteTaken() { state.withLock { $0.untaken -= 1 } }

  var isConnected: Bool { state.withLock { $0.connected != nil } }

  /// Adds an announcement to the queue for the broker. Returns false if the broker is disconnected.
  func publish(_ announcement: Announcement) -> Bool {
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

  /// Sends a publication to the broker, unless the deadline `until` passes first. An event reports the result:
  ///
  /// - `acknowledged`: the broker has received the publication.
  /// - `unheard`: the broker has discarded it, because its topics have no subscriber.
  /// - `idle`: the client did not send it.
  /// - `disconnected`: the connection was lost.
  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { state in
      guard state.connected != nil, state.publication == nil, state.underWay == nil else { return }
      state.publication = (publication, until)
    }
    wakeUp()
  }

  /// Withdraws the publication. If libmosquitto already has it, the client closes the connection.
  func recall() {
    state.withLock { state in
      if state.underWay != nil {
        state.isCut = true
        if let line = state.line { shutdown(line, Int32(SHUT_RDWR)) }
      }
      guard state.publication != nil else { return }
      state.publication = nil
      // The event is sent while the state is locked. The order of the events is therefore the order of the state
      // changes.
      told.yield(.idle)
    }
    wakeUp()
  }

  /// Ends the connection and starts a new connection.
  func renew() {
    state.withLock { $0.isRenewed = true }
    wakeUp()
  }

  /// Disconnects from the broker and ends `events`. If `isStatusKept` is true, other bridges still publish the
  /// gateway's status.
  func stop(isStatusKept: Bool = false) {
    let isReaching = state.withLock { state in
      state.isStopping = true
      state.isStatusKept = isStatusKept
      return state.isReaching
    }
    // A name lookup cannot be interrupted. During a lookup, `events` ends now, and the thread ends later.
    if isReaching { told.finish() }
    wakeUp()
  }

  private func wakeUp() {
    // The result of the write is ignored. The write can fail because the socket is full, but a full socket wakes the
    // thread too.
    _ = unsafe write(wake.writing, [1], 1)
  }

  // MARK: The thread

  func start() throws(BrokerError) {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        // SAFETY: the context is the object that `passRetained` retained for this thread.
        unsafe Unmanaged<Broker>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, context)
    guard result == 0 else {
      unsafe Unmanaged<Broker>.fromOpaque(context).release()
      throw BrokerError("start a thread for", settings.place, cause: systemErrorText(result))
    }
    pthread_detach(thread)
  }

  private func run() {
    // By default SIGPIPE ends the daemon when a connection is lost during a write. While the signal is blocked, only
    // the write fails.
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
          logger.warning("cannot use a broker; trying again", metadata: ["cause": "\(error)"])
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
      // SAFETY: the count of 1 is the length of the array `polled`.
      _ = unsafe poll(&polled, 1, Int32(clamping: rest / 1_000_000 + 1))
      drain()
    }
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 256)
    // SAFETY: the call writes at most `bytes.count` bytes into the array `bytes`.
    while unsafe read(wake.reading, &bytes, bytes.count) > 0 {}
  }

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

  /// Removes the state of an ended connection. A publication without an acknowledgement stays in the gateway's store.
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
    logger.info("disconnected from a broker", metadata: ["broker": "\(settings.place)"])
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
      if isStopping { return publishLastMessages(client, greeting, isConnected) }
      if isCut { return }
      if isRenewed { return isConnected ? hangUp(client) : () }
      try handOver(to: client, &verification)
      var fault: BrokerError?
      do throws(BrokerError) { try client.work(for: 1000, or: wake.reading) } catch { fault = error }
      drain()
      // If the connection has failed, the last messages of the broker are processed before `fault` is thrown, because
      // the messages describe the cause better than `fault`.
      for event in client.removeEvents() {
        if case .ended = event, let fault { throw refusal(fault, isConnected) }
        try process(event, from: client, greeting, &subscriptions, &verification)
      }
      if let fault { throw refusal(fault, isConnected) }
      guard isConnected || SystemClock.monotonic - began < Self.patience else {
        throw refusal(BrokerError("connect to", settings.place, cause: "the broker does not answer"), isConnected)
      }
      verification.abandon(at: SystemClock.monotonic)
      report(verification.undelivered, &undelivered)
    }
  }

  /// Returns the error to throw for a failed connection. If the broker never accepted the connection and `fault`
  /// contains no remedy, the returned error contains a general remedy.
  private func refusal(_ fault: BrokerError, _ isConnected: Bool) -> BrokerError {
    guard !isConnected, fault.remedy == nil else { return fault }
    var fault = fault
    fault.remedy =
      settings.version == .five
      ? "does the broker support MQTT 5? if not, set version = \"3.1.1\"; is mqtt:// or mqtts:// right?"
      : "is it a broker, and is mqtt:// or mqtts:// right?"
    return fault
  }

  /// Reports the announcements that the broker does not deliver, if their set has changed.
  private func report(_ undelivered: Set<String>, _ reported: inout Set<String>) {
    guard undelivered != reported else { return }
    for topic in undelivered.subtracting(reported).sorted() {
      logger.warning(
        "a broker does not deliver the description of an app (does its ACL let this user write and read the topic?)",
        metadata: ["broker": "\(settings.place)", "topic": "\(topic)"])
    }
    reported = undelivered
    self.told.yield(.undelivered(undelivered.sorted()))
  }

  /// Passes waiting messages to libmosquitto, as long as the socket accepts bytes. The other messages stay in the
  /// queue, where they can still be withdrawn or replaced.
  private func handOver(
    to client: MosquittoClient, _ verification: inout DeliveryVerification
  ) throws(BrokerError) {
    do {
      // The state is locked, so that no publication is withdrawn during its transfer to libmosquitto.
      try state.withLock { state in
        guard state.connected != nil else { return }
        while !state.waiting.isEmpty, !client.wantsToWrite {
          let announcement = state.waiting.removeFirst()
          guard announcement.isVerified else {
            try client.publish(announcement)
            continue
          }
          if verification.needsSubscription(to: announcement.topic) { _ = try client.subscribe(announcement.topic) }
          let message = try client.publish(announcement)
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
      if let online = greeting.online { try client.publish(online) }
      state.withLock { state in
        state.connected = now
        told.yield(.connected)
      }
      logger.info("connected to a broker", metadata: ["broker": "\(settings.place)"])
    case .refused(_, isOfVersion: true):
      let other = settings.version == .five ? MQTTVersion.three : .five
      throw BrokerError(
        "connect to", settings.place, cause: "the broker does not support MQTT \(settings.version.rawValue)",
        remedy: "set version = \"\(other.rawValue)\"")
    case .refused(let cause, isOfVersion: false):
      throw BrokerError(
        "connect to", settings.place, cause: cause, remedy: "check 'username', 'password_file' and 'client_id'")
    case .subscribed(let message, let isRefused):
      // A faulty broker may send an answer without a request, or an answer twice.
      guard let instead = subscriptions.removeValue(forKey: message) else { return }
      guard isRefused else { return state.withLock { $0.isRefusalTold = false } }
      guard let instead else {
        let isNews = state.withLock { state in
          defer { state.isRefusalTold = true }
          return !state.isRefusalTold
        }
        guard isNews else { return }
        return logger.warning(
          "a broker refuses a subscription, so requests do not arrive (does its ACL let this user read the topics?)",
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
      throw BrokerError(
        "publish at", settings.place, cause: cause, remedy: "does the broker's ACL let this user publish?")
    }
    state.withLock { state in
      guard state.underWay?.messages.remove(message) != nil else { return }
      if acknowledgement == .accepted { state.underWay?.isHeard = true }
      guard let done = state.underWay, done.messages.isEmpty else { return }
      state.underWay = nil
      // A fix may have several messages. The fix counts as delivered if at least one message has a subscriber.
      told.yield(done.isHeard ? .acknowledged(done.number) : .unheard(done.number))
    }
  }

  private func publishLastMessages(_ client: MosquittoClient, _ greeting: Greeting, _ isConnected: Bool) {
    guard isConnected else { return }
    do throws(BrokerError) {
      let (waiting, isStatusKept) = state.withLock { ($0.waiting, $0.isStatusKept) }
      for announcement in waiting { try client.publish(announcement) }
      if !isStatusKept { try client.publish(greeting.offline) }
    } catch {
      // The client cannot send its last messages. The broker publishes the will instead.
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
