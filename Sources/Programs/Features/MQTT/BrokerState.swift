import Base
import Glibc
import LineProtocol
import OperatingSystem
import Ports

/// The state of an MQTT broker's client, which several threads share. Each caller holds a lock, so that the order of
/// the events is the order of the changes.
struct BrokerState: Sendable {
  /// The maximum count of received messages that wait for the bridge (the code that executes requests). Further
  /// messages are dropped. Withdrawals of requests have as much room again.
  private static let mostUnprocessed = 64
  /// The maximum count of announcements (MQTT messages without a fix) that wait for the broker. A further announcement
  /// replaces the oldest one.
  private static let mostWaiting = 256

  private let events: AsyncStream<Broker.Event>.Continuation
  /// The announcements (MQTT messages without a fix) that wait for the broker, oldest first.
  private(set) var waiting: [Announcement] = []
  /// The publication (the MQTT messages of one fix) that waits for the broker, with its deadline; nil for none.
  private var publication: (content: Publication, until: MonotonicInstant)?
  /// The answers to the publication (the MQTT messages of one fix) that libmosquitto is sending; nil for none.
  private var underWay: PublicationAnswers?
  /// A duplicate of the connection's socket descriptor, with which any thread can shut the connection down; nil without
  /// a connection.
  ///
  /// A shutdown of libmosquitto's own descriptor could affect a new file with the same number.
  private var line: Int32?
  /// The instant at which the broker accepted the connection; nil without a connection.
  private var connected: MonotonicInstant?
  /// Whether the broker has accepted any connection since the start of the daemon.
  private(set) var wasConnected = false
  /// Whether the connection must end at once, so that a withdrawn publication inside libmosquitto is not sent.
  private(set) var isCut = false
  /// Whether the client must connect again, because the MQTT will or the subscriptions have changed.
  private(set) var isRenewed = false
  /// Whether the client's thread is in a step that cannot be interrupted: the name lookup or the connection attempt.
  private(set) var isReaching = false
  private(set) var isStopping = false
  /// Whether another app's connection to this broker still publishes the gateway's status. If so, this client does not
  /// publish `offline` when the client stops.
  private(set) var isStatusKept = false
  /// The topic filters of the refused subscriptions, about which the log already has a warning.
  private var refusedFilters: Set<String> = []
  /// The topics of the latest publication (the MQTT messages of one fix) that the broker refused.
  private var refusedTopics: Set<String> = []
  /// The count of received messages that wait for the bridge (the code that executes requests).
  private var unprocessed = 0
  /// The count of messages that were dropped since the bridge took its last message.
  private var dropped = 0

  init(_ events: AsyncStream<Broker.Event>.Continuation) { self.events = events }

  var isConnected: Bool { connected != nil }

  // MARK: For the callers

  /// Records that the bridge has taken one received message. A message is dropped only while others wait, so the bridge
  /// gets the count of every dropped message.
  ///
  /// - Returns: The count of messages that were dropped since the last call.
  mutating func noteTaken() -> Int {
    unprocessed -= 1
    return exchange(&dropped, with: 0)
  }

  /// Adds an announcement (an MQTT message without a fix) to the queue for the broker. Returns false if the broker is
  /// disconnected.
  mutating func enqueue(_ announcement: Announcement) -> Bool {
    guard isConnected else { return false }
    if announcement.isRetained { waiting.removeAll { $0.isRetained && $0.topic == announcement.topic } }
    if waiting.count >= Self.mostWaiting { waiting.removeFirst() }
    waiting.append(announcement)
    return true
  }

  /// Adds a publication (the MQTT messages of one fix) to send before a deadline. The call has no effect without a
  /// connection or during another publication.
  mutating func enqueue(_ publication: Publication, until: MonotonicInstant) {
    guard isConnected, self.publication == nil, underWay == nil else { return }
    self.publication = (publication, until)
  }

  /// Withdraws the publication (the MQTT messages of one fix) and all messages about regions. If libmosquitto is
  /// already sending the publication, the connection is closed.
  mutating func recall() {
    if underWay != nil {
      isCut = true
      if let line { shutdown(line, Int32(SHUT_RDWR)) }
    }
    if publication != nil { dropPublication() }
    waiting.removeAll { $0.end != nil }
  }

  /// Drops the waiting messages about entered and left regions whose deadline has passed.
  mutating func dropEnded(at now: MonotonicInstant) {
    waiting.removeAll { $0.end.map { $0 <= now } ?? false }
  }

  mutating func renew() { isRenewed = true }

  mutating func stop(isStatusKept: Bool) {
    isStopping = true
    self.isStatusKept = isStatusKept
  }

  // MARK: For the thread

  mutating func beginReaching() {
    isReaching = true
    isRenewed = false
  }

  mutating func endReaching() { isReaching = false }

  mutating func open(_ socket: Int32) { line = dup(socket) }

  /// Records that the broker accepted the connection, and yields the event `connected`.
  mutating func connect(with version: MQTTVersion, at now: MonotonicInstant) {
    connected = now
    wasConnected = true
    events.yield(.connected(version))
  }

  /// Removes the state of an ended connection. A publication that has reached no subscriber stays in the gateway's
  /// database, and can be sent again.
  ///
  /// - Returns: Whether the broker had accepted the connection.
  mutating func disconnect() -> Bool {
    if let line { close(line) }
    line = nil
    publication = nil
    // After a withdrawal, the gateway has already decided about the fix.
    if !isCut, let answers = underWay, answers.hasSubscriber { events.yield(.acknowledged(answers.number)) }
    underWay = nil
    waiting = []
    guard isConnected else { return false }
    connected = nil
    events.yield(.disconnected)
    return true
  }

  /// Returns whether the client must connect again without a delay, because the gateway itself closed the connection.
  /// The call clears the reason.
  mutating func beginsAnew() -> Bool {
    defer { isCut = false }
    return isCut || isRenewed
  }

  /// Passes waiting messages to libmosquitto while the socket accepts bytes. The other messages stay in the queue,
  /// where the gateway can still withdraw or replace a message.
  mutating func sendWaiting(
    through client: MosquittoClient, _ verification: inout DeliveryVerification
  ) throws(OutputError) {
    guard isConnected else { return }
    dropEnded(at: SystemClock.monotonic)
    while !waiting.isEmpty, !client.wantsToWrite {
      let announcement = waiting.removeFirst()
      guard announcement.isVerified else {
        try client.publish(announcement)
        continue
      }
      if verification.needsSubscription(to: announcement.topic) { _ = try client.subscribe(announcement.topic) }
      let message = try client.publish(announcement)
      verification.note(announcement, message: message, at: SystemClock.monotonic)
    }
    guard let (content, until) = publication else { return }
    guard SystemClock.monotonic < until else { return dropPublication() }
    guard !isCut, !client.wantsToWrite else { return }
    publication = nil
    let life = UInt32(clamping: max(1, content.life.components.seconds))
    underWay = PublicationAnswers(content.number, at: SystemClock.monotonic)
    for message in content.messages {
      underWay?.expect(try client.publish(message.topic, message.payload, life: life), on: message.topic)
    }
  }

  private mutating func dropPublication() {
    publication = nil
    events.yield(.idle)
  }

  /// Records the broker's answer to one MQTT message of the publication. After the last answer, the function yields the
  /// event `acknowledged` or `discarded`, or throws if the broker refuses the publication.
  ///
  /// - Returns: The topics that the broker refuses and that the log does not have yet, with the causes.
  mutating func acknowledge(
    _ message: Int32, _ answer: MosquittoClient.Acknowledgement, from address: String
  ) throws(OutputError) -> [String: String] {
    guard underWay?.take(message, answer) == true, let answers = underWay, let result = answers.result else {
      return [:]
    }
    underWay = nil
    let known = exchange(&refusedTopics, with: Set(answers.refusals.keys))
    switch result {
    case .acknowledged: events.yield(.acknowledged(answers.number))
    case .discarded: events.yield(.discarded(answers.number))
    case .refused:
      let causes = answers.refusals.sorted { $0.key < $1.key }.map { "\($0.value): \($0.key)" }
      throw OutputError("publish at", address, .publication, detail: causes.joined(separator: ", "))
    }
    return answers.refusals.filter { !known.contains($0.key) }
  }

  /// Whether the broker has left a message of the publication without an answer for too long.
  func isAnswerOverdue(at now: MonotonicInstant) -> Bool { underWay?.isOverdue(at: now) ?? false }

  /// Yields a received message to the bridge (the code that executes requests). The message is dropped and counted if
  /// too many messages wait.
  ///
  /// Behind many requests there is still room for the withdrawal that ends the first of them. Without it, the request
  /// would stay armed. A withdrawal is dropped only if all of the latest messages that wait are withdrawals.
  mutating func receive(_ topic: String, _ payload: [UInt8]?, isRetained: Bool, at now: MonotonicInstant) {
    let room = topic.hasSuffix("/cancel") ? 2 * Self.mostUnprocessed : Self.mostUnprocessed
    guard let connected else { return }
    guard unprocessed < room else {
      dropped += 1
      return
    }
    unprocessed += 1
    events.yield(
      .message(topic: topic, payload: payload, isRetained: isRetained, arrived: now, sinceConnected: now - connected))
  }

  /// Records whether the broker refused a subscription.
  ///
  /// - Returns: Whether the answer is a refusal that the log does not have yet.
  mutating func noteSubscription(to filter: String, isRefused: Bool) -> Bool {
    if isRefused { return refusedFilters.insert(filter).inserted }
    refusedFilters.remove(filter)
    return false
  }

  /// Forgets the refusals of subscriptions that the client no longer needs.
  mutating func keepRefusals(of filters: Set<String>) { refusedFilters.formIntersection(filters) }

  /// The topics and topic filters that the broker refused at the last attempt.
  var refused: Set<String> { refusedFilters.union(refusedTopics) }
}
