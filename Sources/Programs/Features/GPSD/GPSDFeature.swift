import Authorization
import Configuration

/// The settings of the section `[gpsd_server]`: a listener that gpsd clients can use, and the apps as which they count.
struct GPSDFeature: ConfiguredFeature {
  static let table = "gpsd_server"

  /// The loopback addresses of the listener, without brackets. An address that this machine does not have is left out.
  var hosts = ListenEndpoint.loopbackHosts
  /// The port of the listener; 0 for any free port. The default is the port of gpsd, 2947.
  var port = 2947
  /// The app of each Unix user, by user ID (uid). A gpsd client does not authenticate, so the user of its process
  /// identifies the app.
  private(set) var apps: [UInt32: AppID] = [:]
  var location: ConfigurationLocation

  var endpoints: [ListenEndpoint] { hosts.map { .address(host: $0, port: port) } }

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    location = table.location
    if let port = table.integer("port", in: 0...65_535) {
      location.line = port.line
      self.port = Int(port.value)
      if table.node("address") != nil {
        table.diagnostics.report(table.line, "\(table.name) has 'address' and 'port', but must have only one")
      }
    }
    if let address = table.string("address") {
      location.line = address.line
      if case .address(let host, let port)? = ListenEndpoint(address: address.value), ListenEndpoint.isLoopback(host) {
        (hosts, self.port) = ([host], port)
      } else {
        table.reject(
          "address", address,
          "is \(DiagnosticText.quoted(address.value)), but must be a loopback address: only there the kernel tells "
            + "the gateway the user of a client (for example '127.0.0.1:2947' or '[::1]:2947')")
      }
    }
    let names = table.strings("apps")
    table.require("apps")
    for name in names ?? [] { add(name, of: configuration.apps, in: table) }
  }

  private mutating func add(_ name: Located<String>, of known: [AppConfiguration], in table: TOMLTable) {
    guard let app = known.app(named: name, in: table) else { return }
    // An app whose user does not exist is off, and stops neither the listener nor the other apps.
    if case .unknownUser = app.identity { return }
    guard case .uid(let uid) = app.identity else {
      table.diagnostics.report(
        name.line,
        "app \(DiagnosticText.quoted(name.value)) has no 'uid' (a gpsd client is identified by its user)")
      return
    }
    if let other = apps[uid] {
      table.diagnostics.report(
        name.line,
        other == app.id
          ? "app \(DiagnosticText.quoted(name.value)) is named twice"
          : "apps \(DiagnosticText.quoted(other.name)) and \(DiagnosticText.quoted(name.value)) have the same 'uid' "
            + "(a gpsd client is identified by its user)")
      return
    }
    apps[uid] = app.id
  }
}
