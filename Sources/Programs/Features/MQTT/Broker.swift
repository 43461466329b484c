import Base
import Glibc
import LineProtocol
import Logging
import OperatingSystem
import Ports
import Synchronization

/// The client of one MQTT broker. A thread of the client waits for the network, and reconnects after each failure.
///
/// Each publication (the messages of a fix) goes to libmosquitto at most once, and only while the connection exists.
/// After a call of `recall`, the client sends no more bytes of the publication.
package final class Broker: Sendable {
  /// An event of the client: about its connection, or about a message.
  enum Event: Sendable {
    /// The broker accepted a connection with this version of MQTT.
    case connected(MQTTVersion)
    case disconnected
    /// An attempt to use the broker failed for this reason.
    case failed(OutputFault)
    /// A message on a subscribed topic. The payload is nil if the payload exceeds the maximum length of a request.
    case message(
      topic: String, payload: [UInt8]?, isRetained: Bool, arrived: MonotonicInstant, sinceConnected: Duration)
    /// The broker has received the publication with this number.
    case acknowledged(Int64)
    /// The broker discarded the publication with this number, because its topics have no subscriber.
    case discarded(Int64)
    /// The topics on which the broker does not deliver the gateway's messages to subscribers.
    case undelivered([String])
    /// The client did not send the publication, and is ready for the next publication.
    case idle
  }

  /// The messages at the beginning and at the end of a connection. The message `offline` is also the MQTT will, which
  /// the broker publishes if the connection is lost.
  struct Greeting: Sendable {
    var online: Announcement?
    var offline: Announcement
  }

  /// The random delays between attempts to connect. Because the delays are random, many gateways do not reconnect to
  /// the same broker at the same time.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// The minimum duration of a successful connection. A shorter connection counts as a failure, so that the next delay
  /// grows.
  private static let lasting = Duration.seconds(5)

  package let settings: BrokerSettings
  private let greeting: @Sendable () -> Greeting
  let filters: @Sendable () -> [(wanted: String, instead: String?)]
  let logger: Logger
  let connectTimeout: Duration
  let state: Mutex<BrokerState>
  let events: AsyncStream<Event>
  let continuation: AsyncStream<Event>.Continuation
  let wakeSocket: WakeSocket

  /// Creates a client. The thread begins with `start`.
  /// - Parameters:
  ///   - greeting: Returns the messages for the beginning and the end of each connection.
  ///   - filters: Returns the topic filters for each connection. If the broker refuses the filter `wanted`, the client
  ///     subscribes to the filter `instead`.
  ///   - connectTimeout: The time in which the broker must accept a connection. The timeout of libmosquitto is longer,
  ///     and reports no cause.
  init(
    _ settings: BrokerSettings, greeting: @escaping @Sendable () -> Greeting,
    filters: @escaping @Sendable () -> [(wanted: String, instead: String?)], logger: Logger,
    connectTimeout: Duration = .seconds(20)
  ) throws(OutputError) {
    self.settings = settings
    self.greeting = greeting
    self.filters = filters
    self.logger = logger
    self.connectTimeout = connectTimeout
    (events, continuation) = AsyncStream.makeStream()
    state = Mutex(BrokerState(continuation))
    do {
      wakeSocket = try WakeSocket()
    } catch {
      throw OutputError("create a socket pair for", settings.address, .machine, detail: systemErrorText(error.number))
    }
  }

  // MARK: From any thread, without waiting

  /// Records that the bridge has processed a received message, so that a further message may wait.
  func noteTaken() { state.withLock { $0.noteTaken() } }

  var isConnected: Bool { state.withLock { $0.isConnected } }

  /// Adds an announcement (an MQTT message that contains no fix) to the queue for the broker. Returns false if the
  /// broker is disconnected.
  func publish(_ announcement: Announcement) -> Bool {
    let isTaken = state.withLock { $0.enqueue(announcement) }
    if isTaken { wakeSocket.wake() }
    return isTaken
  }

  /// Sends a publication (the messages of a fix) to the broker, unless the deadline `until` passes first. An event
  /// reports the result:
  ///
  /// - `acknowledged`: the broker has received the publication.
  /// - `discarded`: the broker has discarded the publication, because its topics have no subscriber.
  /// - `idle`: the client did not send the publication.
  /// - `disconnected`: the connection was lost.
  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { $0.enqueue(publication, until: until) }
    wakeSocket.wake()
  }

  /// Withdraws the publication (the messages of a fix). If libmosquitto already has the publication, the connection
  /// closes.
  func recall() {
    state.withLock { $0.recall() }
    wakeSocket.wake()
  }

  /// Closes the connection, and connects again.
  func renew() {
    state.withLock { $0.renew() }
    wakeSocket.wake()
  }

  /// Disconnects from the broker, and ends the stream `events`.
  /// - Parameter isStatusKept: Whether other bridges still publish the gateway's status, so that this client does not
  ///   publish `offline`.
  func stop(isStatusKept: Bool = false) {
    let isReaching = state.withLock { state in
      state.stop(isStatusKept: isStatusKept)
      return state.isReaching
    }
    // A name lookup cannot be interrupted. During a lookup, `events` ends now, and the thread ends later.
    if isReaching { continuation.finish() }
    wakeSocket.wake()
  }

  // MARK: The thread

  func start() throws(OutputError) {
    do {
      try startThread { self.run() }
    } catch {
      throw OutputError("start a thread for", settings.address, .machine, detail: systemErrorText(error.number))
    }
  }

  private func run() {
    // By default SIGPIPE ends the daemon when a connection is lost during a write. While the signal is blocked, only
    // the write fails.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    var failures = 0
    var complaint: OutputError?
    var version = settings.version ?? .five
    while !state.withLock({ $0.isStopping }) {
      let began = SystemClock.monotonic
      do throws(OutputError) {
        try serve(version)
        complaint = nil
      } catch {
        if error.fault == .version, version == .five, mayLowerVersion {
          version = .three
          logger.warning(
            "a broker without MQTT 5 gets MQTT 3.1.1 until the next start, and acknowledges fixes that its ACL drops",
            metadata: ["broker": "\(settings.address)"])
          continue
        }
        if error != complaint {
          logger.warning("cannot use a broker; trying again", metadata: ["cause": "\(error)"])
        }
        continuation.yield(.failed(error.fault))
        complaint = error
      }
      if SystemClock.monotonic - began >= Self.lasting { failures = 0 }
      guard !state.withLock({ $0.beginsAnew() }) else { continue }
      pause(until: SystemClock.monotonic + Self.backoff.delay(after: failures, chance: .random(in: 0..<1)))
      failures += 1
    }
    continuation.finish()
  }

  /// Whether the gateway may use MQTT 3.1.1 after the broker has refused MQTT 5. If the broker accepted MQTT 5 earlier,
  /// the refusal is no reason to change the version.
  private var mayLowerVersion: Bool { settings.version == nil && !state.withLock(\.wasConnected) }

  private func pause(until end: MonotonicInstant) {
    while !state.withLock({ $0.isStopping }) {
      let rest = (end - SystemClock.monotonic).clampedNanoseconds
      guard rest > 0 else { return }
      var polled = [pollfd(fd: wakeSocket.descriptor, events: Int16(POLLIN), revents: 0)]
      // SAFETY: the count of 1 is the length of the array `polled`.
      _ = unsafe poll(&polled, 1, Int32(clamping: rest / 1_000_000 + 1))
      wakeSocket.drain()
    }
  }

  private func serve(_ version: MQTTVersion) throws(OutputError) {
    state.withLock { $0.beginReaching() }
    defer { state.withLock { $0.endReaching() } }
    let greeting = greeting()
    let client = try MosquittoClient(settings, version, will: greeting.offline)
    try client.connect()
    state.withLock { state in
      state.endReaching()
      state.open(client.brokerSocket)
    }
    defer {
      if state.withLock({ $0.disconnect() }) {
        logger.info("disconnected from a broker", metadata: ["broker": "\(settings.address)"])
      }
    }
    var exchange = BrokerExchange(self, client, greeting)
    try exchange.run()
  }
}
