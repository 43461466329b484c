import Configuration
import LineProtocol

/// The settings of the tables `[[serial]]`: serial ports, each with one app at the other end.
struct SerialFeature: ConfiguredFeature {
  static let table = "serial"
  static let identifiesApp = true

  /// The settings of each table, at least one.
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

/// The settings of one table `[[serial]]`: a serial port, and the app at its other end.
struct AppPort: Hashable {
  /// The path of the device, as in `/dev/ttyGS0`.
  private(set) var port: String
  /// The baud rate, in bits per second.
  private(set) var baud = 115_200
  private(set) var app: AppID
  /// The format of the fix that the daemon sends at each press of the button; nil if the app sends requests in the line
  /// protocol (OneFix's own protocol).
  private(set) var pressFormat: LineFormat?
  /// Whether a modem is at the port. The app's session then ends when the modem loses its carrier signal.
  private(set) var isModem = false
  private(set) var portLocation: ConfigurationLocation
  private(set) var appLocation: ConfigurationLocation

  fileprivate init?(reading table: TOMLTable) {
    defer { table.finish() }
    let port = table.required("port", table.path)
    baud = table.baud("baud") ?? baud
    let app = table.required("app", table.appID)
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
  /// Reads the keys `on_press` and `format`. The result is nil if the table does not ask for a fix at each press of the
  /// button.
  static func pressFormat(in table: TOMLTable) -> LineFormat? {
    let isForEachPress = table.boolean("on_press")?.value ?? false
    let format = table.choice("format", of: LineFormat.self)?.value
    if table.has("format"), !isForEachPress { table.reject("format", "needs 'on_press = true'") }
    return isForEachPress ? format ?? .text : nil
  }
}

/// The format of the fix that the daemon writes to a serial port at each press of the button.
enum LineFormat: String, Hashable, Sendable, CaseIterable {
  /// One line of text for a person at a terminal.
  case text
  /// A JSON object as in OneFix's own protocol, with the identifier of the fix.
  case json
  /// The usual NMEA sentences for one fix.
  case nmea
}
