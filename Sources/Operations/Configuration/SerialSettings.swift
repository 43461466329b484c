package import Authorization
import Hardware

/// The settings of a `[[serial]]`: a serial port with an app at the other end.
package struct SerialSettings: Hashable, Sendable {
  /// The device, as in `/dev/ttyGS0`.
  package var port: String
  /// The speed in bits per second.
  package var baud = 115_200
  /// The app to which every session on this port belongs.
  package var app: AppID
  /// Whether the session ends when the modem loses the carrier signal.
  package var isModem = false
  package var portLocation: ConfigurationLocation
  package var appLocation: ConfigurationLocation

  init?(reading table: TOMLTable) {
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

  /// Parses the tables `[[serial]]` of a file. Reports a port that occurs twice as an error.
  static func all(in tables: [TOMLTable], _ diagnostics: Diagnostics) -> [SerialSettings] {
    var found: [SerialSettings] = []
    for table in tables {
      guard let settings = SerialSettings(reading: table) else { continue }
      if let first = found.first(where: { $0.port == settings.port }) {
        diagnostics.report(
          settings.portLocation.line,
          "\(settings.port) is configured twice (first in line \(first.portLocation.line ?? 0))")
      } else {
        found.append(settings)
      }
    }
    return found
  }

  /// Reports each port whose app is not configured.
  static func check(_ ports: [SerialSettings], _ apps: [AppConfiguration], _ diagnostics: Diagnostics) {
    for port in ports where !apps.contains(where: { $0.id == port.app }) {
      diagnostics.reportUnknownApp(port.app.name, line: port.appLocation.line, among: apps)
    }
  }
}

extension TOMLTable {
  /// Parses the speed of a serial port in bits per second. Rejects a speed that serial ports do not support.
  func baud(_ key: String) -> Int? {
    guard let found = integer(key, in: 1...1_000_000) else { return nil }
    let speed = Int(found.value)
    guard SerialSpeed.all.contains(speed) else {
      reject(
        key, found, "is \(speed), but must be one of \(SerialSpeed.all.map(String.init).joined(separator: ", "))")
      return nil
    }
    return speed
  }

  /// The app in the key `app`; nil if the key is missing or invalid. Reports no error.
  var app: AppID? {
    guard case .string(let id)? = node("app")?.content else { return nil }
    return AppID(id)
  }

  func appID(_ key: String) -> Located<AppID>? {
    guard let written = string(key) else { return nil }
    guard let id = AppID(written.value) else {
      reject(key, written, "is \(DiagnosticText.quoted(written.value)), but must be \(AppConfiguration.idRule)")
      return nil
    }
    return Located(value: id, line: written.line)
  }
}
