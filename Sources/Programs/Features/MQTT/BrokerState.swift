import Base
import Glibc
import LineProtocol
import OperatingSystem
import Ports

/// The state of the client of an MQTT broker, which the client's thread and other threads share. The caller holds a
/// lock, so that the order of the events is the order of the changes.
struct BrokerState: Sendable {
  /// The maximum count of received messages that the bridge has not processed yet. Further messages are dropped.
  private static let mostUnprocessed = 64
  /// The maximum count of waiting announcements (MQTT messages that contain no fix). A further announcement replaces
  /// the oldest one.
  private static let mostWaiting = 256

  private let events: AsyncStream<Broker.Event>.Continuation
  /// The announcements (MQTT messages that contain no fix) that wait for the broker, oldest first.
  private(set) var waiting: [Announcement] = []
  /// The publication (the messages of a fix) that waits for the broker, with its deadline; nil for none.
  private var publication: (content: Publication, until: MonotonicInstant)?
  /// The publication that libmosquitto has; nil for none. The values are the number of the publication, the MQTT ids of
  /// its unacknowledged messages, and whether an acknowledged message had a subscriber.
  private var underWay: (number: Int64, messages: Set<Int32>, hasSubscriber: Bool)?
  /// A duplicate of the connection's socket descriptor, for a safe shutdown from any thread; nil without a connection.
  ///
  /// A shutdown of libmosquitto's own descriptor could affect a new file with the same number.
  private var line: Int32?
  /// The instant at which the broker accepted the connection; nil without a connection.
  private var connected: MonotonicInstant?
  /// Whether the broker has accepted a connection since the start of the daemon.
  private(set) var wasConnected = false
  /// Whether the connection must end because the gateway withdrew a publication that libmosquitto already has.
  private(set) var isCut = false
  /// Whether the connection must end because the MQTT will or the subscriptions have changed.
  private(set) var isRenewed = false
  /// Whether the thread is looking up the broker's name, or connecting to the broker's host.
  private(set) var isReaching = false
  private(set) var isStopping = false
  /// Whether other bridges still publish the gateway's status, so that this client does not publish `offline` at its
  /// stop.
  private(set) var isStatusKept = false
  /// Whether the log already has a message about a refused subscription.
  private var isRefusalLogged = false
  /// The count of received messages that the bridge has not processed yet.
  private var unprocessed = 0

  init(_ events: AsyncStream<Broker.Event>.Continuation) { self.events = events }

  var isConnected: Bool { connected != nil }

  // MARK: For the callers

  mutating func noteTaken() { unprocessed -= 1 }

  /// Adds an announcement (an MQTT message that contains no fix) to the queue for the broker. Returns false if the
  /// broker is disconnected.
  mutating func enqueue(_ announcement: Announcement) -> Bool {
    guard isConnected else { return false }
    if announcement.isRetained { waiting.removeAll { $0.isRetained && $0.topic == announcement.topic } }
    if waiting.count >= Self.mostWaiting { waiting.removeFirst() }
    waiting.append(announcement)
    return true
  }

  /// Adds a publication (the messages of a fix), unless another publication has not ended yet.
  mutating func enqueue(_ publication: Publication, until: MonotonicInstant) {
    guard isConnected, self.publication == nil, underWay == nil else { return }
    self.publication = (publication, until)
  }

  /// Withdraws the publication (the messages of a fix) and the messages about regions. If libmosquitto already has the
  /// publication, the connection ends.
  mutating func recall() {
    if underWay != nil {
      isCut = true
      if let line { shutdown(line, Int32(SHUT_RDWR)) }
    }
    if publication != nil { dropPublication() }
    waiting.removeAll { $0.end != nil }
  }

  /// Drops the messages about regions whose deadline has passed.
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

  /// Removes the state of an ended connection. A publication without an acknowledgement stays in the gateway's
  /// database.
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

  /// Whether the next connection begins without a pause, because the gateway itself ended the last connection.
  mutating func beginsAnew() -> Bool {
    defer { isCut = false }
    return isCut || isRenewed
  }

  /// Passes waiting messages to libmosquitto, as long as the socket accepts bytes. All other messages stay in the
  /// queue, where the gateway can still withdraw or replace them.
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

  /// Records that the broker acknowledged a message of the publication, given by its MQTT message id.
  mutating func acknowledge(_ message: Int32, hasSubscriber: Bool) {
    guard underWay?.messages.remove(message) != nil else { return }
    if hasSubscriber { underWay?.hasSubscriber = true }
    guard let done = underWay, done.messages.isEmpty else { return }
    underWay = nil
    // A fix may have several messages. The fix counts as delivered if at least one message has a subscriber.
    events.yield(done.hasSubscriber ? .acknowledged(done.number) : .discarded(done.number))
  }

  /// Passes a received message to the bridge, or drops the message if too many messages are unprocessed.
  mutating func receive(_ topic: String, _ payload: [UInt8]?, isRetained: Bool, at now: MonotonicInstant) {
    guard let connected, unprocessed < Self.mostUnprocessed else { return }
    unprocessed += 1
    events.yield(
      .message(topic: topic, payload: payload, isRetained: isRetained, arrived: now, sinceConnected: now - connected))
  }

  /// Records the broker's answer to a subscription.
  ///
  /// - Returns: Whether the answer is a refusal that the log does not have yet.
  mutating func noteSubscription(isRefused: Bool) -> Bool {
    defer { isRefusalLogged = isRefused }
    return isRefused && !isRefusalLogged
  }
}
