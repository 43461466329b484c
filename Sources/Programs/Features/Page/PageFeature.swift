import Configuration

/// The settings of the section `[page]`: a web page on which owners (administrators) control the gateway. Only browsers
/// on this machine can open the page.
struct PageFeature: ConfiguredFeature {
  static let table = "page"

  /// The TCP port on the IPv4 and IPv6 loopback addresses; 0 for any free port.
  let port: Int
  let location: ConfigurationLocation

  var endpoints: [ListenEndpoint] { ListenEndpoint.loopbackHosts.map { .address(host: $0, port: port) } }
  var claims: [Claim] { endpoints.map { Claim($0, at: location) } }

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    guard let port = table.required("port", { table.integer($0, in: 0...65_535) }) else { return nil }
    self.port = Int(port.value)
    location = table.location(of: port)
  }
}
