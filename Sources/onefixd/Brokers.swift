import Authorization
import BoardProfile
import Clocks
import Gateway
import HomeAssistant
import LineProtocol
import LineServer
import Logging
import MQTTBridge
import OwnTracks
import ServiceLifecycle
import SystemClock

/// A bridge to a broker, until the daemon stops. The gateway does not wait for the broker.
struct BridgeService: Service {
  let gateway: Gateway
  let bridge: Bridge

  func run() async throws {
    try await gateway.becomeReady()
    try await withGracefulShutdownHandler {
      try await bridge.run(gateway)
      // It may have ended because its app is no more: the daemon goes on.
      try await gracefulShutdown()
    } onGracefulShutdown: {
      bridge.stop()
    }
  }
}

extension MQTTSettings {
  /// Whether its connection says that the gateway is there: it has one will, and OwnTracks wants another.
  var keepsStatus: Bool { homeAssistant == true || !speaksOwnTracks }
}

extension Bridge {
  /// What `[[mqtt]]` says.
  convenience init(
    _ settings: MQTTSettings, gateway: String, appName: String, others: Set<AppID>, keepers: StatusKeepers,
    logger: Logger
  ) throws {
    var broker = BrokerSettings(host: settings.host, port: settings.port, clientID: settings.clientID)
    broker.version = settings.version == .five ? .five : .three
    broker.username = settings.username
    broker.passwordFile = settings.passwordFile
    if settings.isEncrypted {
      broker.tls = .init(ca: settings.ca, certificate: settings.certificate, key: settings.key)
    }
    let topics = BridgeTopics(gateway: gateway, app: settings.app.name)
    let ownTracks = settings.speaksOwnTracks ? OwnTracksTopics(gateway: gateway, app: settings.app.name) : nil
    let recipient = try Self.recipient(settings)
    let ownTracksFix = { @Sendable (fix: PublishedFix) -> [Publication.Message] in
      if let ownTracks { [ownTracks.location(fix)] } else { [] }
    }
    let form = BridgeForm(
      place: broker.place, topics: topics, expires: settings.expires, recipient: recipient, others: ownTracksFix)
    var programs = Self.homeAssistant(settings, gateway: gateway, appName: appName, topics)
    if let ownTracks {
      programs.crossing = { ownTracks.transition($0) }
      // Home Assistant has to know whether the gateway is there.
      if !settings.keepsStatus { programs.will = { ownTracks.will } }
    }
    try self.init(
      to: broker, app: settings.app, topics: topics, form: form, programs: programs, others: others,
      keepers: keepers, logger: logger)
  }

  /// Where Home Assistant is not wanted any more, what it was told before is taken back. Where it was never spoken of nothing
  /// is said of it: a broker may end the connection of a client that publishes where it may not. (MQTT 3.1.1 §3.3.5)
  private static func homeAssistant(
    _ settings: MQTTSettings, gateway: String, appName: String, _ topics: BridgeTopics
  ) -> Programs {
    let discovery = { @Sendable (isFullAccuracy: Bool) in
      Discovery(
        gateway: gateway, app: settings.app.name, appName: appName, isFullAccuracy: isFullAccuracy,
        version: Release.version, baseTopic: topics.base)
    }
    return switch settings.homeAssistant {
    case true: Programs(discovery: { discovery($0).messages }, birth: (birthTopic, birthPayload))
    case false: Programs(removed: discovery(true).removal)
    case nil: Programs()
    }
  }

  private static func recipient(_ settings: MQTTSettings) throws -> RecipientKey? {
    guard let text = settings.recipient else { return nil }
    if let key = RecipientKey(text) { return key }
    let place = settings.place(of: "seal_to")
    throw ConfigurationError([
      Diagnostic(file: place.file, line: place.line, message: "'seal_to' in [[mqtt]] is no public key of X25519")
    ])
  }
}

/// Where OwnTracks looks for an app of a gateway, and what it is told there.
private struct OwnTracksTopics: Sendable {
  /// `owntracks/USER/DEVICE`
  private let base: String
  /// The last two letters or digits of the gateway's name.
  private let tracker: String

  init(gateway: String, app: String) {
    base = "owntracks/\(gateway)/\(app)"
    tracker = String(gateway.filter { $0 != "-" }.suffix(2))
  }

  func location(_ fix: PublishedFix) -> Publication.Message {
    let location = Location(
      fix.report, tracker: tracker, trigger: fix.isByPress ? .press : .request, created: fix.disclosed)
    return Publication.Message(topic: base, payload: Array(location.payload.utf8))
  }

  func transition(_ crossing: RegionCrossing) -> (topic: String, payload: String) {
    let transition = Transition(
      isEntry: crossing.isEntry, region: crossing.region, text: crossing.text, radius: crossing.radius,
      time: crossing.time, tracker: tracker)
    return (base + "/event", transition.payload)
  }

  /// What the broker says where it loses the gateway that connects now.
  var will: (topic: String, payload: String) { (base, Will(connected: SystemClock.reading.utc).payload) }
}
