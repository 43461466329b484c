import Base
package import LineProtocol
package import Logging
import OperatingSystem
package import Ports

/// The connection of one app to the gateway through an MQTT broker. The bridge converts MQTT messages of the app into
/// commands of the line protocol (OneFix's own protocol), and publishes the app's fixes and the gateway's states.
package final class Bridge: Sendable {
  private let app: AppID
  private let topics: BridgeTopics
  private let integrations: Reloadable<Integrations>
  private let broker: Broker
  private let connection: BridgeConnection
  /// The session that receives a fix at each press of the button; nil if the app receives a fix only after a request.
  private let eachPress: EachPressConnection?
  private let logger: Logger

  /// Creates a bridge, which connects only in `run(_:)`.
  /// - Parameters:
  ///   - form: The conversion of fixes into MQTT messages.
  ///   - integrations: The additional messages for other programs, for example for Home Assistant.
  ///   - isForEachPress: Whether each press of the button gives the app a fix, even without a request.
  ///   - others: The other apps at this broker.
  ///   - statusPublishers: The apps whose bridges publish the gateway's status at this broker.
  package init(
    to settings: BrokerSettings, app: AppID, topics: BridgeTopics, form: any PublicationForm,
    integrations: Integrations, isForEachPress: Bool = false,
    others: Set<AppID> = [], statusPublishers: StatusPublishers = StatusPublishers(), logger: Logger
  ) throws(OutputError) {
    self.app = app
    self.topics = topics
    let integrations = Reloadable(integrations)
    self.integrations = integrations
    self.logger = logger
    let others = Set(others.map(\.name))
    broker = try Broker(
      settings, greeting: { Self.greeting(topics, integrations.value) },
      filters: { topics.filters + Self.filters(of: integrations.value) },
      handles: { topic in
        // A request for another app at this broker is not an error, because another bridge handles the request.
        if case .foreign(let app) = topics.inquiry(topic) { !others.contains(app) } else { true }
      }, logger: logger)
    connection = BridgeConnection(broker, topics, form, integrations, statusPublishers)
    eachPress = isForEachPress ? EachPressConnection(to: connection, over: .mqtt, peer: connection.peer) : nil
  }

  /// Stops the bridge, so that `run(_:)` returns. Any thread may call this function.
  package func stop() { broker.stop() }

  /// Replaces the additional messages for other programs, for example for Home Assistant. The bridge then connects
  /// again with a new MQTT will and new subscriptions. Any thread may call this function.
  package func change(_ integrations: Integrations) {
    self.integrations.value = integrations
    broker.renew()
  }

  /// Runs the bridge until `stop()` is called. The app's session at the gateway exists even while the broker is
  /// disconnected. A press of the button can therefore serve the app at any time.
  package func run(_ service: some OutputService) async throws {
    await service.hello(
      Hello(app: app.name, keepalive: 0), tag: nil, as: Identity(app, by: .transport), on: connection)
    var filters = [Topic.buttonPress, .indicator, .authorization, .receiver].map(\.rawValue)
    if integrations.value.crossing != nil { filters.append("region/+") }
    for name in filters {
      guard let filter = try? TopicFilter(name) else { continue }
      await service.perform(.subscribe(filter, sid: name, qos: 0), tag: nil, on: connection)
    }
    if let eachPress {
      let identity = Identity(app, by: .transport)
      await service.hello(Hello(app: app.name, keepalive: 0), tag: nil, as: identity, on: eachPress)
    }
    try broker.start()
    var bucket = TokenBucket(at: SystemClock.monotonic)
    for await event in broker.events {
      switch event {
      case .connected(let version):
        connection.resynchronize()
        await service.connected(
          connection, with: version, awaitingSubscriberFor: integrations.value.subscriber?.timeout)
      case .idle:
        await service.ready(connection)
      case .acknowledged(let publication):
        connection.noteAcknowledged()
        await service.acknowledged(publication, on: connection)
        await service.ready(connection)
      case .discarded(let publication):
        await service.discarded(publication, on: connection)
      case .undelivered(let topics):
        await service.undelivered(topics, on: connection)
      case .disconnected:
        await service.disconnected(connection)
      case .failed(let fault):
        await service.failed(fault, detail: nil, on: connection)
      case .message(let topic, let payload, let isRetained, let arrived, let sinceConnected):
        let properties = MessageProperties(
          isRetained: isRetained, sinceConnected: sinceConnected, arrived: SystemClock.reading.utc(at: arrived))
        await process(topic, payload, properties, &bucket, service)
        let dropped = broker.noteTaken()
        if dropped > 0 { await ignore(.tooMany, count: dropped, service) }
      }
    }
    if let eachPress { await service.closed(eachPress, isFinal: true) }
    await service.closed(connection, isFinal: true)
  }

  /// Returns the first message of a connection, and the MQTT will (the message that the broker publishes if the
  /// connection is lost). A connection has only one will, so OwnTracks's will can replace the gateway's status message.
  private static func greeting(_ topics: BridgeTopics, _ integrations: Integrations) -> Broker.Greeting {
    if let (topic, payload) = integrations.will?() {
      return Broker.Greeting(online: nil, offline: Announcement(topic, payload))
    }
    return Broker.Greeting(
      online: Announcement(topics.status, "online", isRetained: true),
      offline: Announcement(topics.status, "offline", isRetained: true))
  }

  /// Returns the MQTT topic filters for messages from programs such as Home Assistant. No filter has an alternative
  /// (`instead`).
  private static func filters(of integrations: Integrations) -> [(wanted: String, instead: String?)] {
    Set([integrations.birth?.topic, integrations.subscriber?.topic, integrations.commands].compactMap(\.self))
      .sorted().map { ($0, nil) }
  }

  private func process(
    _ topic: String, _ payload: [UInt8]?, _ properties: MessageProperties, _ bucket: inout TokenBucket,
    _ service: some OutputService
  ) async {
    let integrations = integrations.value
    if let birth = integrations.birth, topic == birth.topic, payload == Array(birth.payload.utf8) {
      connection.resynchronize()
    }
    if integrations.subscriber?.isGiven(by: topic, payload, isRetained: properties.isRetained) == true {
      await service.subscriberAppeared(on: connection)
    }
    guard let inquiry = topic == integrations.commands ? .command : topics.inquiry(topic) else { return }
    do throws(IgnoredReason) {
      guard let payload else { throw .tooLong }
      let command = try command(inquiry, payload, properties)
      guard bucket.consume(at: SystemClock.monotonic) || command.command.isWithdrawal else { throw .tooMany }
      // A request for a fix proves that the subscriber of the app's fixes is connected.
      await service.subscriberAppeared(on: connection)
      await service.perform(command.command, tag: command.tag, on: connection)
    } catch {
      await ignore(error, count: 1, service)
    }
  }

  private func ignore(_ reason: IgnoredReason, count: Int, _ service: some OutputService) async {
    logger.debug(
      "requests were ignored", metadata: ["app": "\(app)", "reason": "\(reason.rawValue)", "count": "\(count)"])
    await service.ignored(reason.rawValue, count: count, on: connection)
  }

  private func command(
    _ inquiry: BridgeTopics.Inquiry, _ payload: [UInt8], _ properties: MessageProperties
  ) throws(IgnoredReason) -> TaggedCommand {
    if case .foreign = inquiry { throw .foreign }
    if let reason = BridgeRequest.check(properties) { throw reason }
    if inquiry == .cancel { return TaggedCommand(.cancel) }
    if inquiry == .command {
      guard OwnTracks.asksForLocation(payload) else { throw .malformed }
      return TaggedCommand(.requestOnce(OnceRequest()))
    }
    let request: BridgeRequest?
    do throws(BridgeRequest.Fault) {
      request = try BridgeRequest(payload, arrived: properties.arrived)
    } catch {
      // The error tells the sender of the request why the bridge refuses the request.
      connection.send(.error(error.error, tag: error.id, [:]))
      throw .malformed
    }
    guard let request else { throw .stale }
    return TaggedCommand(.requestOnce(request.options), tag: request.id.map { "@\($0)" })
  }
}
