import Authorization
import Configuration
import LineProtocol

/// The tables `[[mqtt]]`: brokers, each with the app that it serves.
struct MQTTFeature: ConfiguredFeature {
  static let table = "mqtt"
  static let reloadedKeys: Set<String> = ["home_assistant"]
  static let identifiesApp = true

  /// The brokers, at least one. Two tables with the same broker have different apps and different client ids.
  let brokers: [MQTTSettings]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    var found: [MQTTSettings] = []
    for table in root.tables(Self.table) {
      guard let settings = MQTTSettings(reading: table, gateway: configuration.gateway) else { continue }
      let same = found.filter { $0.isAtBroker(of: settings) }
      if let first = same.first(where: { $0.app == settings.app }) {
        root.diagnostics.report(
          settings.brokerLocation.line,
          "\(DiagnosticText.quoted(settings.app.name)) is configured twice at this broker "
            + "(first in line \(first.brokerLocation.line ?? 0))"
        )
      } else if let first = same.first(where: { $0.clientID == settings.clientID }) {
        root.diagnostics.report(
          settings.location(of: "client_id").line,
          "'client_id' is the same as in line \(first.location(of: "client_id").line ?? 0); "
            + "the broker accepts only one connection for each"
        )
      } else {
        found.append(settings)
      }
    }
    for broker in found { Self.check(broker, configuration.apps, root.diagnostics) }
    guard !found.isEmpty else { return nil }
    brokers = found
  }

  /// Reports a broker whose app is not configured or cannot use a broker.
  private static func check(_ broker: MQTTSettings, _ apps: [AppConfiguration], _ diagnostics: Diagnostics) {
    guard let app = apps.first(where: { $0.id == broker.app }) else {
      diagnostics.reportUnknownApp(broker.app.name, line: broker.appLocation.line, among: apps)
      return
    }
    guard app.surface == .display else { return }
    diagnostics.report(
      broker.appLocation.line,
      "\(DiagnosticText.quoted(app.id.name)) is a display, which a broker cannot serve: "
        + "the gateway cannot detect whether the display is connected"
    )
  }
}

/// The settings of an `[[mqtt]]`: a broker, and the app that it serves.
struct MQTTSettings: Hashable {
  /// The host name or the address of the broker. An IPv6 address has no brackets.
  var host: String
  var port: Int
  var isEncrypted: Bool
  /// The app to which every request on its topics belongs.
  var app: AppID
  /// The version of MQTT; nil for MQTT 5, and MQTT 3.1.1 at a broker that does not support MQTT 5.
  var version: MQTTVersion?
  var username: String?
  var passwordFile: String?
  /// The PEM file of the certificate authorities; nil for the authorities of this machine (`/etc/ssl/certs`).
  var ca: String?
  /// The PEM file of the client certificate; nil if the broker needs none.
  var certificate: String?
  var key: String?
  /// The time in which the broker can deliver a fix. It starts with the press that permits the fix.
  var expires = Duration.seconds(86_400)
  /// Whether the app appears in Home Assistant. If false, the gateway removes the app's discovery messages from the
  /// broker. If nil, the gateway sends no discovery messages.
  var homeAssistant: Bool?
  var speaksOwnTracks = false
  /// Whether each press gives the broker a fix of the app, without a request on a topic.
  var isForEachPress = false
  /// The topic on which the subscriber reports whether it is connected to the broker. The subscriber is the program
  /// that receives the fixes.
  var subscriberTopic: String?
  /// The maximum time that fixes wait for the app's subscriber, after the gateway has connected to the broker again.
  var subscriberTimeout = Duration.seconds(120)
  /// The app's X25519 public key in base64url; nil if the gateway does not seal (encrypt) the app's fixes.
  var recipient: String?
  var clientID: String
  var brokerLocation: ConfigurationLocation
  var appLocation: ConfigurationLocation
  private var lines: [String: Int] = [:]

  /// Returns whether two tables have the same broker.
  func isAtBroker(of other: MQTTSettings) -> Bool { host == other.host && port == other.port }

  /// Returns the location of a key in the file. If the key is missing, returns the location of the broker.
  func location(of key: String) -> ConfigurationLocation {
    ConfigurationLocation(file: brokerLocation.file, line: lines[key] ?? brokerLocation.line)
  }

  /// The paths of the configured files, with their configuration keys.
  var files: [(key: String, path: String)] {
    [("password_file", passwordFile), ("ca", ca), ("certificate", certificate), ("key", key)]
      .compactMap { key, path in path.map { (key, $0) } }
  }

  init?(reading table: TOMLTable, gateway: String) {
    defer { table.finish() }
    let written = table.string("broker")
    table.require("broker")
    let app = table.appID("app")
    table.require("app")
    version = table.choice("version", of: MQTTVersion.self)?.value
    username = table.string("username")?.value
    passwordFile = table.path("password_file")?.value
    (ca, certificate, key) = (table.path("ca")?.value, table.path("certificate")?.value, table.path("key")?.value)
    expires = table.integer("expires", in: 1...604_800).map { .seconds($0.value) } ?? expires
    homeAssistant = table.boolean("home_assistant")?.value
    speaksOwnTracks = table.boolean("owntracks")?.value ?? false
    isForEachPress = table.boolean("on_press")?.value ?? false
    subscriberTopic = MQTTSettings.subscriberTopic(in: table)
    subscriberTimeout =
      table.integer("subscriber_timeout_s", in: 0...86_400).map { .seconds($0.value) } ?? subscriberTimeout
    recipient = MQTTSettings.recipient(in: table)
    let clientID = table.plainText("client_id", columns: 64)?.value
    let isPlain = table.boolean("plain")?.value ?? false
    lines = table.lines
    MQTTSettings.checkPairs(in: table)
    guard let written, let app else { return nil }
    guard let address = ServerAddress(written.value, .mqtt) else {
      table.reject(
        "broker", written,
        "is \(DiagnosticText.quoted(written.value)), but must be as in 'mqtts://mqtt.example.org:8883' or "
          + "'mqtt://127.0.0.1:1883' (a user and a password have keys of their own)")
      return nil
    }
    (isEncrypted, host, port) = (address.isEncrypted, address.host, address.port)
    guard isEncrypted || isPlain || address.isLoopback else {
      table.reject(
        "broker", written,
        "is not a loopback address and uses no TLS, so others could read each fix (use 'mqtts://', or 'plain = true' on "
          + "a trusted network)")
      return nil
    }
    for name in ["ca", "certificate", "key"] where !isEncrypted && table.node(name) != nil {
      table.diagnostics.report(table.node(name)?.line, "\(table.title(name)) is valid only with 'mqtts://'")
    }
    self.app = app.value
    self.clientID = clientID ?? "onefix-\(gateway)-\(app.value.name)"
    brokerLocation = table.location(of: written)
    appLocation = table.location(of: app)
  }

  /// Reports a key that needs a second key if the second key is missing. Also reports two keys that exclude each other.
  private static func checkPairs(in table: TOMLTable) {
    for (one, other) in [("certificate", "key"), ("key", "certificate"), ("password_file", "username")] {
      if let node = table.node(one), table.node(other) == nil {
        table.diagnostics.report(node.line, "\(table.title(one)) needs '\(other)'")
      }
    }
    for key in ["home_assistant", "owntracks"] where table.node("seal_to") != nil {
      guard let node = table.node(key), case .boolean(true) = node.content else { continue }
      table.diagnostics.report(
        node.line, "\(table.title(key)) cannot be used with 'seal_to', because it cannot read sealed fixes")
    }
  }

  private static func subscriberTopic(in table: TOMLTable) -> String? {
    guard let written = table.plainText("subscriber_topic", columns: 128) else { return nil }
    guard !written.value.contains(where: { $0 == "+" || $0 == "#" }) else {
      table.reject("subscriber_topic", written, "must be one topic, without '+' and '#'")
      return nil
    }
    return written.value
  }

  private static func recipient(in table: TOMLTable) -> String? {
    guard let written = table.string("seal_to") else { return nil }
    let isKey =
      written.value.utf8.count == 43
      && written.value.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
      }
    guard isKey else {
      table.reject("seal_to", written, "must be the 43 letters and digits of a public key of X25519 in base64url")
      return nil
    }
    return written.value
  }
}
