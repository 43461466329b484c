/// The settings of `[page]`, the owners' page for browsers on this machine.
package struct PageSettings: Hashable, Sendable {
  /// The port on both loopback addresses; 0 for any free port.
  package var port: Int
  package var location: ConfigurationLocation

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    guard let port = table.integer("port", in: 0...65_535) else {
      table.require("port")
      return nil
    }
    self.port = Int(port.value)
    location = table.location(of: port)
  }
}
