import Configuration
import LineProtocol

/// The settings of the tables `[[mqtt]]`. Each table has a broker and the app whose fixes the gateway publishes there.
struct MQTTFeature: ConfiguredFeature {
  static let table = "mqtt"
  static let reloadedKeys: Set<String> = ["home_assistant"]
  static let identifiesApp = true

  /// The settings of each table, at least one. Two tables with the same broker have different apps and MQTT client ids.
  let brokers: [MQTTSettings]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    var found: [MQTTSettings] = []
    for table in root.tables(Self.table) {
      guard let settings = MQTTSettings(reading: table, gateway: configuration.gateway) else { continue }
      let same = found.filter { $0.isAtBroker(of: settings) }
      if let first = same.first(where: { $0.app == settings.app }) {
        root.diagnostics.report(
          settings.brokerLocation.line,
          "\(quoted(settings.app.name)) is configured twice at this broker (first in line "
            + "\(first.brokerLocation.line ?? 0))")
      } else if let first = same.first(where: { $0.broker.clientID == settings.broker.clientID }) {
        root.diagnostics.report(
          settings.location(of: "client_id").line,
          "'client_id' is the same as in line \(first.location(of: "client_id").line ?? 0); the broker accepts only one "
            + "connection for each")
      } else {
        found.append(settings)
      }
    }
    for broker in found { Self.check(broker, configuration.apps, root.diagnostics) }
    guard !found.isEmpty else { return nil }
    brokers = found
  }

  /// Reports an error if the app of a table is not configured, or if the app is a display. The gateway cannot detect
  /// whether a display at a broker is connected.
  private static func check(_ broker: MQTTSettings, _ apps: [AppConfiguration], _ diagnostics: Diagnostics) {
    guard let app = apps.first(where: { $0.id == broker.app }) else {
      diagnostics.reportUnknownApp(broker.app.name, line: broker.appLocation.line, among: apps)
      return
    }
    guard app.surface == .display else { return }
    diagnostics.report(
      broker.appLocation.line,
      "\(quoted(app.id.name)) is a display, which a broker cannot serve: the gateway cannot detect whether the display "
        + "is connected")
  }
}

/// The settings of one table `[[mqtt]]`: a broker, and the app whose fixes the gateway publishes there.
struct MQTTSettings: Hashable {
  var broker: BrokerSettings
  /// The app that receives its fixes on the topics of this broker.
  var app: AppID

  /// The time after a press of the button within which the broker may still deliver the fix.
  var expires = Duration.seconds(86_400)
  /// Whether the app appears as a device in Home Assistant. If false, the gateway removes the device from Home
  /// Assistant. If nil, the gateway sends no messages to Home Assistant.
  var homeAssistant: Bool?
  var speaksOwnTracks = false
  /// Whether the gateway publishes a fix at each press of the button, even if no app has sent a request.
  var isForEachPress = false
  /// The topic on which the subscriber (the program that gets the fixes) reports its connection; nil if the subscriber
  /// does not report its connection.
  var subscriberTopic: String?
  /// The maximum time that fixes wait for the subscriber (the program that gets the fixes) after the gateway has
  /// connected again.
  var subscriberTimeout = Duration.seconds(120)
  /// The app's public key for the encryption of fixes; nil for no encryption.
  var recipient: RecipientKey?
  var brokerLocation: ConfigurationLocation
  var appLocation: ConfigurationLocation
  private var lines: [String: Int] = [:]

  /// Returns whether another table has the same broker: the same host in any spelling, and the same port.
  func isAtBroker(of other: MQTTSettings) -> Bool { broker.server == other.broker.server }

  /// Returns the file and the text line of a configuration key; the text line of the broker if the key is missing.
  func location(of key: String) -> ConfigurationLocation {
    ConfigurationLocation(file: brokerLocation.file, line: lines[key] ?? brokerLocation.line)
  }

  /// The paths of the files in this table, for example of the password file. Each path has its configuration key.
  var files: [(key: String, path: String)] {
    let tls = broker.tls
    return [
      ("password_file", broker.passwordFile), ("ca", tls?.ca), ("certificate", tls?.certificate), ("key", tls?.key),
    ].compactMap { key, path in path.map { (key, $0) } }
  }

  init?(reading table: TOMLTable, gateway: String) {
    defer { table.finish() }
    let rule =
      "as in 'mqtts://mqtt.example.org:8883' or 'mqtt://127.0.0.1:1883' (a user and a password have keys of their own)"
    let address = table.required("broker") { table.parsed($0, rule: rule) { ServerAddress($0, .mqtt) } }
    let app = table.required("app", table.appID)
    let version = table.choice("version", of: MQTTVersion.self)?.value
    let username = table.plainText("username", columns: 1024)?.value
    let passwordFile = table.path("password_file")?.value
    let tls = BrokerSettings.TLS(
      ca: table.path("ca")?.value, certificate: table.path("certificate")?.value, key: table.path("key")?.value)
    expires = table.integer("expires", in: 1...604_800).map { .seconds($0.value) } ?? expires
    homeAssistant = table.boolean("home_assistant")?.value
    speaksOwnTracks = table.boolean("owntracks")?.value ?? false
    isForEachPress = table.boolean("on_press")?.value ?? false
    subscriberTopic = MQTTSettings.subscriberTopic(in: table)
    subscriberTimeout =
      table.integer("subscriber_timeout_s", in: 0...86_400).map { .seconds($0.value) } ?? subscriberTimeout
    let key = "the public key of an app: a key of X25519 in base64url, with 43 letters and digits"
    recipient = table.parsed("seal_to", rule: key) { RecipientKey($0) }?.value
    let clientID = table.plainText("client_id", columns: 64)?.value
    let isPlain = table.boolean("plain")?.value ?? false
    lines = table.lines
    MQTTSettings.checkPairs(in: table)
    // A broker ends the connection of a client that subscribes to an empty topic. (MQTT 5.0 §4.7.3)
    for key in ["client_id", "subscriber_topic"] {
      if case .string("") = table.node(key)?.content { table.reject(key, "is empty (omit the key for its default)") }
    }
    guard let app, let address else { return nil }
    let server = address.value
    guard server.isEncrypted || isPlain || server.isLoopback else {
      table.reject(
        "broker",
        "is not a loopback address and uses no TLS, so others could read each fix (use 'mqtts://', or 'plain = true' on "
          + "a trusted network)")
      return nil
    }
    for name in ["ca", "certificate", "key"] where !server.isEncrypted && table.has(name) {
      table.reject(name, "is valid only with 'mqtts://'")
    }
    broker = BrokerSettings(
      host: server.host, port: server.port, version: version,
      clientID: clientID ?? "onefix-\(gateway)-\(app.value.name)", username: username, passwordFile: passwordFile,
      tls: server.isEncrypted ? tls : nil)
    self.app = app.value
    brokerLocation = table.location(of: address)
    appLocation = table.location(of: app)
  }

  /// Reports keys that are missing beside another key, as `key` beside `certificate`, and keys that exclude each other.
  private static func checkPairs(in table: TOMLTable) {
    table.require("key", with: "certificate")
    table.require("certificate", with: "key")
    table.require("username", with: "password_file")
    for key in ["home_assistant", "owntracks"] where table.has("seal_to") {
      guard case .boolean(true) = table.node(key)?.content else { continue }
      table.reject(key, "cannot be used with 'seal_to', because it cannot read sealed fixes")
    }
  }

  private static func subscriberTopic(in table: TOMLTable) -> String? {
    guard let written = table.plainText("subscriber_topic", columns: 128) else { return nil }
    guard !written.value.contains(where: { $0 == "+" || $0 == "#" }) else {
      table.reject("subscriber_topic", "must be one topic, without '+' and '#'")
      return nil
    }
    return written.value
  }
}
