package import Authorization
import Clocks
import LineProtocol
package import LineServer
package import Logging
import OperatingSystem

/// Between a broker and the gateway, to which it is an app: what is published for it becomes commands, and what the
/// gateway says is published.
package final class Bridge: Sendable {
  private let app: AppID
  private let topics: BridgeTopics
  private let programs: Live<Programs>
  /// Apps that others speak for at the same broker: what is asked for them is not meant for this one, and not counted.
  private let others: Set<String>
  private let broker: Broker
  private let outlet: BridgeOutlet
  private let logger: Logger

  /// - Parameters:
  ///   - others: apps that other bridges speak for at this broker.
  ///   - keepers: the apps whose bridges keep the gateway's status at this broker.
  package init(
    to settings: BrokerSettings, app: AppID, topics: BridgeTopics, form: any PublicationForm, programs: Programs,
    others: Set<AppID> = [], keepers: StatusKeepers = StatusKeepers(), logger: Logger
  ) throws(BrokerError) {
    self.app = app
    self.topics = topics
    let programs = Live(programs)
    self.programs = programs
    self.others = Set(others.map(\.name))
    self.logger = logger
    broker = try Broker(
      settings, greeting: { Self.greeting(topics, programs.value) },
      filters: { topics.filters + Self.filters(of: programs.value) }, logger: logger)
    outlet = BridgeOutlet(broker, topics, form, programs, keepers)
  }

  /// Ends `run`, from any thread.
  package func stop() { broker.stop() }

  /// Tells other programs at the broker from now on as they want it, from any thread. The broker is connected to anew: its
  /// will and the subscriptions may differ.
  package func change(_ programs: Programs) {
    self.programs.value = programs
    broker.renew()
  }

  /// Speaks for the app until it is stopped. The session lasts as long, whether or not the broker is there: who pressed
  /// for a request need not wait for a broker.
  package func run(_ service: some OutboxService) async throws {
    let connection = Connection(transport: .mqtt, peer: .broker(broker.settings.place), outlet: outlet)
    await service.hello(
      Hello(app: app.name, keepalive: 0), tag: nil, as: Identity(app, by: .transport), on: connection)
    var filters = [Topic.buttonPress, .indicator, .authorization, .receiver].map(\.rawValue)
    if programs.value.crossing != nil { filters.append("region/+") }
    for name in filters {
      guard let filter = try? TopicFilter(name) else { continue }
      await service.perform(.subscribe(filter, sid: name, qos: 0), tag: nil, on: connection)
    }
    try broker.start()
    var bucket = TokenBucket(at: SystemClock.monotonic)
    for await event in broker.events {
      switch event {
      case .connected:
        outlet.catchUp()
        await service.connected(connection, awaitingSubscriberFor: programs.value.subscriber?.patience)
      case .idle:
        await service.ready(connection)
      case .acknowledged(let publication):
        await service.acknowledged(publication, on: connection)
        await service.ready(connection)
      case .unheard(let publication):
        await service.unheard(publication, on: connection)
      case .undelivered(let topics):
        await service.undelivered(topics, on: connection)
      case .disconnected:
        await service.disconnected(connection)
      case .message(let topic, let payload, let isRetained, let arrived, let sinceConnected):
        let circumstance = Circumstance(
          isRetained: isRetained, sinceConnected: sinceConnected, arrived: SystemClock.reading.utc(at: arrived))
        await take(topic, payload, circumstance, &bucket, service, connection)
        broker.noteTaken()
      }
    }
    await service.closed(connection, isFinal: true)
  }

  /// What is said at the begin of a connection, and by the broker where it ends without a word. A connection has one
  /// will: who asked for another learns from it that the gateway is gone.
  private static func greeting(_ topics: BridgeTopics, _ programs: Programs) -> Broker.Greeting {
    if let (topic, payload) = programs.will?() {
      return Broker.Greeting(online: nil, offline: Announcement(topic, payload))
    }
    return Broker.Greeting(
      online: Announcement(topics.status, "online", isRetained: true),
      offline: Announcement(topics.status, "offline", isRetained: true))
  }

  /// Where other programs at the broker speak to the gateway.
  private static func filters(of programs: Programs) -> [(wanted: String, instead: String?)] {
    Set([programs.birth?.topic, programs.subscriber?.topic].compactMap(\.self)).sorted().map { ($0, nil) }
  }

  private func take(
    _ topic: String, _ payload: [UInt8]?, _ circumstance: Circumstance, _ bucket: inout TokenBucket,
    _ service: some OutboxService, _ connection: Connection
  ) async {
    let programs = programs.value
    if let birth = programs.birth, topic == birth.topic, payload == Array(birth.payload.utf8) { outlet.catchUp() }
    if programs.subscriber?.isGiven(by: topic, payload, isRetained: circumstance.isRetained) == true {
      await service.subscriberAppeared(on: connection)
    }
    guard let inquiry = topics.inquiry(topic) else { return }
    if case .foreign(let app) = inquiry, others.contains(app) { return }
    do throws(IgnoredReason) {
      guard let payload else { throw .tooLong }
      let command = try command(inquiry, payload, circumstance)
      guard bucket.take(at: SystemClock.monotonic) else { throw .tooMany }
      // Whoever asks is there.
      await service.subscriberAppeared(on: connection)
      await service.perform(command.command, tag: command.tag, on: connection)
    } catch {
      logger.debug("a request was ignored", metadata: ["app": "\(app)", "reason": "\(error.rawValue)"])
      await service.ignored(error.rawValue, on: connection)
    }
  }

  private func command(
    _ inquiry: BridgeTopics.Inquiry, _ payload: [UInt8], _ circumstance: Circumstance
  ) throws(IgnoredReason) -> TaggedCommand {
    if case .foreign = inquiry { throw .foreign }
    if let reason = BridgeRequest.check(circumstance) { throw reason }
    if inquiry == .cancel { return TaggedCommand(.cancel) }
    let request: BridgeRequest?
    do throws(BridgeRequest.Fault) {
      request = try BridgeRequest(payload, arrived: circumstance.arrived)
    } catch {
      // Whoever wrote it is told what to mend.
      outlet.send(.error(error.error, tag: error.id, [:]))
      throw .malformed
    }
    guard let request else { throw .stale }
    return TaggedCommand(.requestOnce(request.options), tag: request.id.map { "@\($0)" })
  }
}
