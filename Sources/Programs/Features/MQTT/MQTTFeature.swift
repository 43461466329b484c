import Authorization
import Configuration

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

extension MQTTSettings {
  func isAtBroker(of other: MQTTSettings) -> Bool { host == other.host && port == other.port }
}
