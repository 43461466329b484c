import Base
import Configuration
import Gateway
import LineProtocol
import Logging
import OperatingSystem
import Ports

/// Runs the connection of one app to an MQTT broker until the daemon stops. The daemon starts even if the broker is
/// absent.
struct BridgeService: Service {
  let gateway: Gateway
  let bridge: Bridge

  func run(until stop: OneTimeEvent) async throws {
    try await gateway.becomeReady()
    let operation = {
      try await bridge.run(gateway)
      // The bridge can end because its app was removed from the configuration. The daemon continues.
      await stop.wait()
    }
    try await stop.handle(operation) { bridge.stop() }
  }
}

extension MQTTSettings {
  /// Whether this connection publishes the gateway's status, also as the MQTT will (the message that the broker
  /// publishes if the connection is lost). A connection has only one will, so the will can be that of OwnTracks
  /// instead.
  var keepsStatus: Bool { homeAssistant == true || !speaksOwnTracks }
}

extension Bridge {
  fileprivate convenience init(
    _ settings: MQTTSettings, gateway: String, integrations: Integrations, others: Set<AppID>,
    statusPublishers: StatusPublishers, logger: Logger
  ) throws {
    let topics = BridgeTopics(gateway: gateway, app: settings.app.name)
    let form = BridgeForm(
      broker: settings.broker.address, topics: topics, expires: settings.expires,
      recipient: settings.recipient,
      ownTracks: settings.speaksOwnTracks ? OwnTracks(topics) : nil)
    try self.init(
      to: settings.broker, app: settings.app, topics: topics, form: form, integrations: integrations,
      isForEachPress: settings.isForEachPress, others: others, statusPublishers: statusPublishers, logger: logger)
  }
}

extension MQTTFeature: Feature {
  /// The count of file descriptors: for each broker, two to wake the thread, two for the connection, and four for short
  /// tasks.
  var openFiles: Int { brokers.count * 8 }

  func running(in daemon: DaemonContext) throws -> RunningFeature? {
    let bridges = try Bridges(brokers, daemon)
    return RunningFeature(services: bridges.services, change: { bridges.change(to: $0) })
  }
}

/// The connections to MQTT brokers in the running daemon, one for each table `[[mqtt]]`.
private struct Bridges: Sendable {
  private struct Entry: Sendable {
    let settings: MQTTSettings
    let bridge: Bridge
    let statusPublishers: StatusPublishers
    let homeAssistant: Reloadable<Bool?>
  }

  private let entries: [Entry]
  private let gateway: String
  private let appNames: [AppID: String]
  let services: [any Service]

  init(_ brokers: [MQTTSettings], _ daemon: DaemonContext) throws {
    gateway = daemon.configuration.gateway
    appNames = daemon.configuration.appNames
    let logger = daemon.logger(.broker)
    var statusPublishers: [String: StatusPublishers] = [:]
    var entries: [Entry] = []
    for settings in brokers {
      let atBroker = brokers.filter { $0.isAtBroker(of: settings) }
      let server = settings.broker.server
      let keeping = Set(atBroker.filter(\.keepsStatus).map(\.app.name))
      let shared = statusPublishers[server] ?? StatusPublishers(keeping)
      statusPublishers[server] = shared
      let bridge = try Bridge(
        settings, gateway: gateway,
        integrations: settings.integrations(gateway: gateway, appNames: appNames, isStatusKept: !keeping.isEmpty),
        others: Set(atBroker.map(\.app)).subtracting([settings.app]), statusPublishers: shared, logger: logger)
      entries.append(
        Entry(
          settings: settings, bridge: bridge, statusPublishers: shared,
          homeAssistant: Reloadable(settings.homeAssistant)))
    }
    self.entries = entries
    services = entries.map { BridgeService(gateway: daemon.gateway, bridge: $0.bridge) }
  }

  /// Applies a reloaded configuration, in which only the key `home_assistant` can differ.
  func change(to configuration: GatewayConfiguration) {
    let new = configuration.feature(MQTTFeature.self)?.brokers ?? []
    let changed = entries.filter { entry in
      guard let settings = new.first(where: { $0.isAtBroker(of: entry.settings) && $0.app == entry.settings.app }),
        settings.homeAssistant != entry.homeAssistant.value
      else { return false }
      entry.homeAssistant.value = settings.homeAssistant
      return true
    }
    let present = entries.map { entry in
      var settings = entry.settings
      settings.homeAssistant = entry.homeAssistant.value
      return settings
    }
    for (entry, settings) in zip(entries, present) {
      guard changed.contains(where: { $0.bridge === entry.bridge }) else { continue }
      if settings.keepsStatus {
        entry.statusPublishers.join(settings.app.name)
      } else {
        _ = entry.statusPublishers.leave(settings.app.name)
      }
      let isStatusKept = present.contains { $0.isAtBroker(of: settings) && $0.keepsStatus }
      entry.bridge.change(settings.integrations(gateway: gateway, appNames: appNames, isStatusKept: isStatusKept))
    }
  }
}

extension MQTTSettings {
  /// Returns the additional messages with which programs such as Home Assistant find and show the app.
  ///
  /// If `home_assistant` is false, the app's device is removed from Home Assistant. If the key is missing, the bridge
  /// publishes nothing for Home Assistant. Some brokers close the connection of a client without the permission to
  /// publish (MQTT 3.1.1 §3.3.5).
  /// - Parameters:
  ///   - appNames: The names of apps in texts for users. The key is the app.
  ///   - isStatusKept: Whether a connection to this broker publishes the status of the gateway. If false, an earlier
  ///     status is removed from the broker.
  fileprivate func integrations(gateway: String, appNames: [AppID: String], isStatusKept: Bool) -> Integrations {
    let topics = BridgeTopics(gateway: gateway, app: app.name)
    let name = appNames[app] ?? app.name
    let discovery = { @Sendable (accuracy: FixAccuracy) in Discovery(topics, appName: name, accuracy: accuracy) }
    var integrations = Integrations()
    switch homeAssistant {
    case true:
      integrations.discovery = { discovery($0).messages }
      integrations.birth = (birthTopic, birthPayload)
      integrations.subscriber = SubscriberPresence(topic: birthTopic, payload: birthPayload, timeout: subscriberTimeout)
    case false: integrations.removed = [discovery(.full).topic]
    case nil: break
    }
    if let subscriberTopic {
      integrations.subscriber = SubscriberPresence(topic: subscriberTopic, payload: nil, timeout: subscriberTimeout)
    }
    if !isStatusKept { integrations.removed.append(topics.status) }
    guard speaksOwnTracks else { return integrations }
    let ownTracks = OwnTracks(topics)
    integrations.crossing = { ownTracks.transition($0) }
    integrations.commands = ownTracks.commands
    // A connection has only one will, so OwnTracks has no will if the connection publishes the gateway's status.
    if !keepsStatus { integrations.will = { ownTracks.will(connected: SystemClock.reading.utc) } }
    return integrations
  }
}
