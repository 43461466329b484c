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
  /// The format in which the port gets one fix by each press; nil if the app at the port uses the line protocol.
  private(set) var pressFormat: LineFormat?
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
    pressFormat = LineFormat.pressFormat(in: table)
    guard let port, let app else { return nil }
    self.port = port.value
    self.app = app.value
    portLocation = table.location(of: port)
    appLocation = table.location(of: app)
  }
}

extension LineFormat {
  /// Reads the keys `on_press` and `format`; nil if a press gives nothing.
  static func pressFormat(in table: TOMLTable) -> LineFormat? {
    let isForEachPress = table.boolean("on_press")?.value ?? false
    let format = table.choice("format", of: LineFormat.self)?.value
    if let node = table.node("format"), !isForEachPress {
      table.diagnostics.report(node.line, "\(table.title("format")) needs 'on_press = true'")
    }
    return isForEachPress ? format ?? .text : nil
  }
}

/// The format in which a serial port or the console gets the fix of each press.
enum LineFormat: String, Hashable, Sendable, CaseIterable {
  /// One line for a person at a terminal.
  case text
  /// One JSON object of the line protocol, with the id of the fix.
  case json
  /// The usual NMEA sentences of an epoch.
  case nmea
}
