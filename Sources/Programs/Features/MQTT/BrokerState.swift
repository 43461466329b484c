import Base
import Glibc
import LineProtocol
import OperatingSystem
import Ports

/// The state of the client of a broker, which the client's thread and its callers share. The caller locks the state.
/// Therefore, the order of the events is the order of the state changes.
struct BrokerState: Sendable {
  /// The maximum number of unprocessed messages. Further messages are dropped.
  private static let mostUnprocessed = 64
  /// The maximum number of announcements that wait for the broker. A further announcement replaces the oldest
  /// announcement.
  private static let mostWaiting = 256

  private let events: AsyncStream<Broker.Event>.Continuation
  /// The announcements that wait for the broker, oldest first.
  private(set) var waiting: [Announcement] = []
  /// The publication that waits for the broker, with the time until which it may be sent.
  private var publication: (content: Publication, until: MonotonicInstant)?
  /// The publication that libmosquitto has: its number, the numbers of its unacknowledged messages, and whether at
  /// least one of its acknowledged messages had a subscriber.
  private var underWay: (number: Int64, messages: Set<Int32>, hasSubscriber: Bool)?
  /// A duplicate of the connection's socket descriptor. A shutdown of libmosquitto's own descriptor could affect a new
  /// file with the same number. A shutdown of the duplicate is always safe.
  private var line: Int32?
  /// The instant at which the broker accepted the connection; nil without a connection.
  private var connected: MonotonicInstant?
  /// Whether the broker has accepted a connection since the start of the daemon.
  private(set) var wasConnected = false
  /// Whether the connection must end because the gateway withdrew a publication that libmosquitto already has.
  private(set) var isCut = false
  /// Whether the connection must end because the will or the subscriptions have changed.
  private(set) var isRenewed = false
  /// Whether the thread looks up the broker's name or connects to the broker's host.
  private(set) var isReaching = false
  private(set) var isStopping = false
  /// Whether other bridges still publish the gateway's status after the stop of this client.
  private(set) var isStatusKept = false
  /// Whether the daemon's log already has a message about a refused subscription.
  private var isRefusalLogged = false
  /// The number of messages in `events` that the bridge has not processed yet.
  private var unprocessed = 0

  init(_ events: AsyncStream<Broker.Event>.Continuation) { self.events = events }

  var isConnected: Bool { connected != nil }

  // MARK: For the callers

  mutating func noteTaken() { unprocessed -= 1 }

  /// Adds an announcement to the queue for the broker. Returns false if the broker is disconnected.
  mutating func enqueue(_ announcement: Announcement) -> Bool {
    guard isConnected else { return false }
    if announcement.isRetained { waiting.removeAll { $0.isRetained && $0.topic == announcement.topic } }
    if waiting.count >= Self.mostWaiting { waiting.removeFirst() }
    waiting.append(announcement)
    return true
  }

  /// Adds a publication, unless another publication has not ended yet.
  mutating func enqueue(_ publication: Publication, until: MonotonicInstant) {
    guard isConnected, self.publication == nil, underWay == nil else { return }
    self.publication = (publication, until)
  }

  /// Withdraws the publication and the events of regions. If libmosquitto already has the publication, the connection
  /// ends.
  mutating func recall() {
    if underWay != nil {
      isCut = true
      if let line { shutdown(line, Int32(SHUT_RDWR)) }
    }
    if publication != nil { dropPublication() }
    waiting.removeAll { $0.end != nil }
  }

  /// Drops the events of regions whose indication has ended.
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

  /// Records the socket of a new connection.
  mutating func open(_ socket: Int32) { line = dup(socket) }

  /// Records that the broker accepted the connection.
  mutating func connect(with version: MQTTVersion, at now: MonotonicInstant) {
    connected = now
    wasConnected = true
    events.yield(.connected(version))
  }

  /// Removes the state of an ended connection. A publication without an acknowledgement stays in the gateway's store.
  ///
  /// - Returns: Whether the broker had accepted the connection.
  mutating func disconnect() -> Bool {
    if let line { close(line) }
    line = nil
    publication = nil
    underWay = nil
    waiting = []
    guard isConnected else { return false }
    connected = nil
    events.yield(.disconnected)
    return true
  }

  /// Returns whether the next connection begins without a pause, because the gateway itself ended the last connection.
  mutating func beginsAnew() -> Bool {
    defer { isCut = false }
    return isCut || isRenewed
  }

  /// Passes waiting messages to libmosquitto, as long as the socket accepts bytes. The other messages stay in the
  /// queue, where they can still be withdrawn or replaced.
  mutating func sendWaiting(
    through client: MosquittoClient, _ verification: inout DeliveryVerification
  ) throws(BrokerError) {
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
    underWay = (content.number, [], false)
    for message in content.messages {
      underWay?.messages.insert(try client.publish(message.topic, message.payload, life: life))
    }
  }

  /// Discards the publication that libmosquitto does not have yet.
  private mutating func dropPublication() {
    publication = nil
    events.yield(.idle)
  }

  /// Notes that the broker acknowledged a message of the publication.
  mutating func acknowledge(_ message: Int32, hasSubscriber: Bool) {
    guard underWay?.messages.remove(message) != nil else { return }
    if hasSubscriber { underWay?.hasSubscriber = true }
    guard let done = underWay, done.messages.isEmpty else { return }
    underWay = nil
    // A fix may have several messages. The fix counts as delivered if at least one message has a subscriber.
    events.yield(done.hasSubscriber ? .acknowledged(done.number) : .discarded(done.number))
  }

  /// Passes a message of the broker to the bridge, or drops it if too many messages are unprocessed.
  mutating func receive(_ topic: String, _ payload: [UInt8]?, isRetained: Bool, at now: MonotonicInstant) {
    guard let connected, unprocessed < Self.mostUnprocessed else { return }
    unprocessed += 1
    events.yield(
      .message(topic: topic, payload: payload, isRetained: isRetained, arrived: now, sinceConnected: now - connected))
  }

  /// Records an answer to a subscription.
  ///
  /// - Returns: Whether the answer is a refusal that the daemon's log does not have yet.
  mutating func noteSubscription(isRefused: Bool) -> Bool {
    defer { isRefusalLogged = isRefused }
    return isRefused && !isRefusalLogged
  }
}
