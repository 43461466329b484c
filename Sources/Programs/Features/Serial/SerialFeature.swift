import Authorization
import Configuration

/// The tables `[[serial]]`: serial ports with an app at the other end.
struct SerialFeature: ConfiguredFeature {
  static let table = "serial"
  static let identifiesApp = true

  /// The ports, at least one.
  let ports: [AppPort]

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    let found = root.distinct(
      root.tables(Self.table).compactMap { AppPort(reading: $0) }, by: \.port, line: \.portLocation.line, name: \.port)
    for port in found where !configuration.apps.contains(where: { $0.id == port.app }) {
      root.diagnostics.reportUnknownApp(port.app.name, line: port.appLocation.line, among: configuration.apps)
    }
    guard !found.isEmpty else { return nil }
    ports = found
  }
}

/// One `[[serial]]`.
struct AppPort: Hashable {
  /// The device, as in `/dev/ttyGS0`.
  private(set) var port: String
  /// The speed in bits per second.
  private(set) var baud = 115_200
  /// The app to which every session on this port belongs.
  private(set) var app: AppID
  /// Whether the session ends when the modem loses the carrier signal.
  private(set) var isModem = false
  private(set) var portLocation: ConfigurationLocation
  private(set) var appLocation: ConfigurationLocation

  fileprivate init?(reading table: TOMLTable) {
    defer { table.finish() }
    let port = table.path("port")
    table.require("port")
    baud = table.baud("baud") ?? baud
    let app = table.appID("app")
    table.require("app")
    isModem = table.boolean("modem")?.value ?? false
    guard let port, let app else { return nil }
    self.port = port.value
    self.app = app.value
    portLocation = table.location(of: port)
    appLocation = table.location(of: app)
  }
}
