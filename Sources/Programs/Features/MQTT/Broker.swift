import Base
import Glibc
import LineProtocol
import Logging
import OperatingSystem
import Ports
import Synchronization

/// The gateway's client of one MQTT broker. The client has a thread that waits for the network, and that connects again
/// after each failure.
///
/// Each publication (the MQTT messages of one fix) is passed to libmosquitto at most once, and only during a
/// connection. After a call of `recall()`, the client sends no more bytes of the publication.
package final class Broker: Sendable {
  enum Event: Sendable {
    /// The broker accepted a connection with the given MQTT version.
    case connected(MQTTVersion)
    case disconnected
    /// A connection failed, or no connection was possible, for the given reason.
    case failed(OutputFault)
    /// A message on a subscribed topic. The payload is nil if the payload is longer than any request.
    case message(
      topic: String, payload: [UInt8]?, isRetained: Bool, arrived: MonotonicInstant, sinceConnected: Duration)
    /// The broker acknowledged the publication (the messages of one fix) with the given number.
    case acknowledged(Int64)
    /// The broker discarded the publication with the given number, because its topics have no subscriber.
    case discarded(Int64)
    /// The set of topics on which the broker does not deliver the gateway's messages, or refuses a fix or a subscription,
    /// has changed. The value is the new set.
    case undelivered([String])
    /// The client has dropped the unsent publication, and is ready for the next one.
    case idle
  }

  /// The messages to publish at the beginning and at the end of a connection. The broker itself publishes the message
  /// `offline` if the connection is lost (MQTT will).
  struct Greeting: Sendable {
    var online: Announcement?
    var offline: Announcement
  }

  /// The delays between attempts to connect. The delays are random, so that many gateways do not reconnect to one
  /// broker at the same time.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))
  /// The minimum duration of a connection after which the delay is short again. A shorter connection counts as a
  /// failure.
  private static let lasting = Duration.seconds(5)

  package let settings: BrokerSettings
  private let greeting: @Sendable () -> Greeting
  let filters: @Sendable () -> [(wanted: String, instead: String?)]
  let handles: @Sendable (_ topic: String) -> Bool
  let logger: Logger
  let connectTimeout: Duration
  let state: Mutex<BrokerState>
  let events: AsyncStream<Event>
  let continuation: AsyncStream<Event>.Continuation
  let wakeSocket: WakeSocket

  /// Creates a client, which connects only after `start()`.
  /// - Parameters:
  ///   - greeting: Returns the messages for the beginning and the end of each connection.
  ///   - filters: Returns the topic filters to subscribe to. If the broker refuses the filter `wanted`, the client
  ///     subscribes to the filter `instead`.
  ///   - handles: Returns false for a topic whose messages another client handles.
  ///   - connectTimeout: The time in which the broker must accept a connection. The timeout of libmosquitto is longer,
  ///     and gives no cause.
  init(
    _ settings: BrokerSettings, greeting: @escaping @Sendable () -> Greeting,
    filters: @escaping @Sendable () -> [(wanted: String, instead: String?)],
    handles: @escaping @Sendable (_ topic: String) -> Bool = { _ in true }, logger: Logger,
    connectTimeout: Duration = .seconds(20)
  ) throws(OutputError) {
    self.settings = settings
    self.greeting = greeting
    self.filters = filters
    self.handles = handles
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

  /// Records that one received message was processed, so that the client can accept another message.
  ///
  /// - Returns: The count of messages that the client has dropped since the last call.
  func noteTaken() -> Int { state.withLock { $0.noteTaken() } }

  var isConnected: Bool { state.withLock { $0.isConnected } }

  /// Adds an announcement (an MQTT message without a fix) to the queue for the broker. Returns false if the broker is
  /// disconnected.
  func publish(_ announcement: Announcement) -> Bool {
    let isTaken = state.withLock { $0.enqueue(announcement) }
    if isTaken { wakeSocket.wake() }
    return isTaken
  }

  /// Sends a publication (the MQTT messages of one fix) to the broker, unless the deadline `until` passes first. One of
  /// these events reports the result:
  ///
  /// - `acknowledged`: the broker has received the publication.
  /// - `discarded`: the broker has discarded the publication, because its topics have no subscriber.
  /// - `idle`: the client did not send the publication.
  /// - `disconnected`: the connection was lost.
  func publish(_ publication: Publication, until: MonotonicInstant) {
    state.withLock { $0.enqueue(publication, until: until) }
    wakeSocket.wake()
  }

  /// Withdraws the publication (the MQTT messages of one fix). If libmosquitto is already sending the publication, the
  /// connection is closed.
  func recall() {
    state.withLock { $0.recall() }
    wakeSocket.wake()
  }

  /// Closes the connection and opens a new one, for example with a new MQTT will.
  func renew() {
    state.withLock { $0.renew() }
    wakeSocket.wake()
  }

  /// Disconnects from the broker, and finishes the stream `events`.
  /// - Parameter isStatusKept: Whether another connection to this broker still publishes the gateway's status. If true,
  ///   this client does not publish `offline`.
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

  /// Whether the client may use MQTT 3.1.1 after the broker has refused MQTT 5. A broker that has already accepted MQTT
  /// 5 supports this version, so the client does not change the version.
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
