import Base
import LineProtocol
import Logging
import OperatingSystem
import Synchronization

/// The exchange of MQTT messages with a broker during one connection. All code runs on the thread of the broker's
/// client.
struct BrokerExchange {
  private let broker: Broker
  private let client: MosquittoClient
  private let greeting: Broker.Greeting
  /// The subscriptions that the broker has not answered yet. The key is the MQTT message id. The value is the topic
  /// filter, and the topic filter for a second attempt after a refusal; nil for no second attempt.
  private var subscriptions: [Int32: (filter: String, instead: String?)] = [:]
  private var verification: DeliveryVerification
  /// The topics of undelivered descriptions that the log already names.
  private var missed: Set<String> = []
  /// The topics of the latest event `undelivered`.
  private var reported: Set<String> = []

  init(_ broker: Broker, _ client: MosquittoClient, _ greeting: Broker.Greeting) {
    self.broker = broker
    self.client = client
    self.greeting = greeting
    verification = DeliveryVerification(version: client.version)
  }

  private var settings: BrokerSettings { broker.settings }

  /// Exchanges messages until the daemon stops, the gateway closes the connection, or the connection fails.
  ///
  /// - Throws: `OutputError` if the connection fails.
  mutating func run() throws(OutputError) {
    let began = SystemClock.monotonic
    defer { report(broker.state.withLock(\.refused)) }
    while true {
      let (isStopping, isCut, isRenewed, isConnected) = broker.state.withLock {
        ($0.isStopping, $0.isCut, $0.isRenewed, $0.isConnected)
      }
      if isStopping { return isConnected ? publishLastMessages() : () }
      if isCut { return }
      if isRenewed { return isConnected ? disconnect() : () }
      try sendWaiting()
      var fault: OutputError?
      do throws(OutputError) { try client.work(orUntil: broker.wakeSocket.descriptor) } catch { fault = error }
      broker.wakeSocket.drain()
      // If the connection has failed, the last messages of the broker are processed before `fault` is thrown, because
      // the messages describe the cause better than `fault`.
      for event in client.removeEvents() {
        try process(event)
      }
      if let fault { throw refusal(fault, isConnected) }
      guard isConnected || SystemClock.monotonic - began < broker.connectTimeout else {
        throw OutputError("connect to", settings.address, .silent)
      }
      let now = SystemClock.monotonic
      guard !broker.state.withLock({ $0.isAnswerOverdue(at: now) }) else {
        throw OutputError(
          "publish at", settings.address, .silent,
          detail: "the broker has not acknowledged a fix for \(PublicationAnswers.timeout.components.seconds) s")
      }
      verification.abandon(at: now)
      reportUndelivered()
    }
  }

  private mutating func sendWaiting() throws(OutputError) {
    // The state is locked, so that no publication is withdrawn during its transfer to libmosquitto.
    try broker.state.withLock { state throws(OutputError) in try state.sendWaiting(through: client, &verification) }
  }

  /// Returns the error to report for an ended connection. If the broker never accepted the connection, the cause
  /// becomes `unaccepted`.
  private func refusal(_ error: OutputError, _ isConnected: Bool) -> OutputError {
    guard !isConnected, error.fault == .ended else { return error }
    var error = error
    error.fault = .unaccepted
    return error
  }

  /// Logs the topics of the descriptions that the broker does not deliver, and yields all topics that the broker does
  /// not permit.
  private mutating func reportUndelivered() {
    let undelivered = verification.undelivered
    for topic in undelivered.subtracting(missed).sorted() {
      broker.logger.warning(
        "a broker does not deliver the description of an app (does its ACL permit the topic, and its limit 8 KB?)",
        metadata: ["broker": "\(settings.address)", "topic": "\(topic)"])
    }
    missed = undelivered
    report(undelivered.union(broker.state.withLock(\.refused)))
  }

  private mutating func report(_ topics: Set<String>) {
    guard topics != reported else { return }
    reported = topics
    broker.continuation.yield(.undelivered(topics.sorted()))
  }

  // MARK: The broker's messages

  private mutating func process(_ event: MosquittoClient.Event) throws(OutputError) {
    let now = SystemClock.monotonic
    switch event {
    case .accepted:
      let filters = broker.filters()
      broker.state.withLock { $0.keepRefusals(of: Set(filters.map { $0.instead ?? $0.wanted })) }
      for (wanted, instead) in filters { subscriptions[try client.subscribe(wanted)] = (wanted, instead) }
      if let online = greeting.online { try client.publish(online) }
      broker.state.withLock { $0.connect(with: client.version, at: now) }
      broker.logger.info(
        "connected to a broker", metadata: ["broker": "\(settings.address)", "version": "\(client.version.rawValue)"])
    case .refused(_, .version):
      throw OutputError(
        "connect to", settings.address, .version,
        detail: "the broker does not support MQTT \(client.version.rawValue)")
    case .refused(let cause, let fault):
      throw OutputError("connect to", settings.address, fault, detail: cause)
    case .subscribed(let message, let isRefused):
      // A faulty broker may send an answer without a request, or an answer twice.
      guard let (filter, instead) = subscriptions.removeValue(forKey: message) else { return }
      if isRefused, let instead {
        subscriptions[try client.subscribe(instead)] = (instead, nil)
      } else if broker.state.withLock({ $0.noteSubscription(to: instead ?? filter, isRefused: isRefused) }) {
        broker.logger.warning(
          "a broker refuses a subscription (does its ACL let this user read the topic?)",
          metadata: ["broker": "\(settings.address)", "topic": "\(filter)"])
      }
    case .message(let topic, let payload, let isRetained):
      verification.receive(topic, payload)
      guard broker.handles(topic) else { return }
      broker.state.withLock { $0.receive(topic, payload, isRetained: isRetained, at: now) }
    case .acknowledged(let message, let acknowledgement):
      if verification.acknowledge(message, acknowledgement) { return }
      let refusals = try broker.state.withLock { state throws(OutputError) in
        try state.acknowledge(message, acknowledgement, from: settings.address)
      }
      for (topic, cause) in refusals.sorted(by: { $0.key < $1.key }) {
        broker.logger.warning(
          "a broker refuses a message of a fix (does its ACL let this user write the topic?)",
          metadata: ["broker": "\(settings.address)", "topic": "\(topic)", "cause": "\(cause)"])
      }
    case .ended(let cause, let fault):
      throw OutputError("keep the connection to", settings.address, fault, detail: cause)
    }
  }

  // MARK: The end of the connection

  private func publishLastMessages() {
    do throws(OutputError) {
      let (waiting, isStatusKept) = broker.state.withLock { ($0.waiting, $0.isStatusKept) }
      for announcement in waiting { try client.publish(announcement) }
      if !isStatusKept { try client.publish(greeting.offline) }
    } catch {
      // The client cannot send its last messages. The broker publishes the will instead.
      return
    }
    disconnect()
  }

  /// Ends the connection with the MQTT packet DISCONNECT, and waits up to 1 s until the packet is sent. The broker then
  /// does not publish the will (the message for a lost connection).
  private func disconnect() {
    client.disconnect()
    let deadline = SystemClock.monotonic + .seconds(1)
    while !client.flush(), SystemClock.monotonic < deadline {}
  }
}
