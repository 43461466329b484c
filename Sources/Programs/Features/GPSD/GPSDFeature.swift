import Configuration
import LineProtocol

/// The settings of the section `[gpsd_server]`: a listener for clients of gpsd, and the apps that such clients can be.
struct GPSDFeature: ConfiguredFeature {
  static let table = "gpsd_server"
  static let reloadedKeys: Set<String> = ["apps"]

  /// The loopback addresses of the listener, without brackets. The daemon ignores an address that this machine does not
  /// have.
  var hosts = ListenEndpoint.loopbackHosts
  /// The TCP port of the listener; 0 for any free port. The default is the port of gpsd, 2947.
  var port = 2947
  /// The apps that clients of gpsd can be. The key is the number (uid) of the client's Unix user, because such a client
  /// cannot authenticate.
  private(set) var apps: [UInt32: AppID] = [:]
  var location: ConfigurationLocation

  var endpoints: [ListenEndpoint] { hosts.map { .address(host: $0, port: port) } }
  var claims: [Claim] { endpoints.map { Claim($0, at: location) } }

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    location = table.location
    if let port = table.integer("port", in: 0...65_535) {
      location.line = port.line
      self.port = Int(port.value)
      if table.has("address") { table.reject("has 'address' and 'port', but must have only one") }
    }
    let rule =
      "a loopback address: only there the kernel tells the gateway the user of a client (for example '127.0.0.1:2947' or "
      + "'[::1]:2947')"
    if let address = table.loopbackAddress(rule: rule), case .address(let host, let port) = address.value {
      location.line = address.line
      (hosts, self.port) = ([host], port)
    }
    for name in table.required("apps", table.strings) ?? [] { add(name, of: configuration.apps, in: table) }
  }

  private mutating func add(_ name: Located<String>, of known: [AppConfiguration], in table: TOMLTable) {
    guard let app = known.app(named: name, in: table) else { return }
    // An app whose user does not exist is off, and stops neither the listener nor the other apps.
    if case .unknownUser = app.identity { return }
    guard case .uid(let uid) = app.identity else {
      table.diagnostics.report(
        name.line,
        "app \(quoted(name.value)) has no 'uid' (a gpsd client is identified by its user)")
      return
    }
    if let other = apps[uid] {
      table.diagnostics.report(
        name.line,
        other == app.id
          ? "app \(quoted(name.value)) is named twice"
          : "apps \(quoted(other.name)) and \(quoted(name.value)) have the same 'uid' "
            + "(a gpsd client is identified by its user)")
      return
    }
    apps[uid] = app.id
  }
}
