import Configuration
import LineProtocol

/// The settings of the section `[console]`: a serial port at which an owner (administrator) controls the gateway with a
/// terminal.
struct ConsoleFeature: ConfiguredFeature {
  static let table = "console"
  static let identifiesApp = true

  /// The output of fixes on the console: the app whose fix the console shows after a press of the button, and the text
  /// format.
  struct PressOutput: Hashable {
    var app: AppID
    var format: LineFormat
  }

  /// The path of the device, as in `/dev/ttyS0`.
  private(set) var port: String
  /// The baud rate, in bits per second.
  private(set) var baud = 115_200
  /// Whether a modem is at the port. The owner's session then ends when the modem loses its carrier signal.
  private(set) var isModem = false
  /// The path of the file with the hash of the PIN; nil for no PIN. Only a pseudo-terminal of this machine needs no
  /// PIN.
  private(set) var pinFile: String?
  /// The output of fixes after each press of the button; nil if the console shows no position.
  private(set) var pressOutput: PressOutput?
  private(set) var portLocation: ConfigurationLocation
  private(set) var pinLocation: ConfigurationLocation

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let port = table.required("port", table.path)
    baud = table.baud("baud") ?? baud
    isModem = table.boolean("modem")?.value ?? false
    let pinFile = table.path("pin_file")
    self.pinFile = pinFile?.value
    pressOutput = Self.pressOutput(in: table, apps: configuration.apps)
    guard let port else { return nil }
    self.port = port.value
    portLocation = table.location(of: port)
    pinLocation = pinFile.map { table.location(of: $0) } ?? table.location
  }

  private static func pressOutput(in table: TOMLTable, apps: [AppConfiguration]) -> PressOutput? {
    let format = LineFormat.pressFormat(in: table)
    let name = table.string("app")
    guard let format else {
      if table.has("app") { table.reject("app", "needs 'on_press = true'") }
      return nil
    }
    table.require("app")
    guard let name, let app = apps.output(named: name, to: "the console", in: table) else { return nil }
    return PressOutput(app: app, format: format)
  }
}
