package import Authorization

/// What `[gpsd_server]` says: where clients of gpsd find the gateway, and which apps they are.
package struct GPSDServerSettings: Hashable, Sendable {
  /// An address of IPv4, or of IPv6 without its brackets: of loopback.
  package var host = "127.0.0.1"
  /// 0 is any that is free. Where gpsd listens unless it is told otherwise.
  package var port = 2947
  /// Their clients are known by the user that they run as: each has a `uid` that no other of them has.
  package private(set) var apps: [UInt32: AppID] = [:]
  package var place: Place

  /// - Parameter known: the apps that are configured.
  init(reading table: TOMLTable, apps known: [AppConfiguration]) {
    defer { table.finish() }
    place = Place(file: table.diagnostics.file, line: table.line)
    if let address = table.string("address") {
      place.line = address.line
      if let (host, port) = ListenSettings.parts(of: address.value), ListenSettings.isLoopback(host) {
        (self.host, self.port) = (host, port)
      } else {
        table.refuse(
          "address", address,
          "is \(Wording.quoted(address.value)), but must be of loopback, where the kernel knows whose a client is, as in "
            + "'127.0.0.1:2947' or '[::1]:2947'")
      }
    }
    let names = table.strings("apps")
    table.need("apps")
    for name in names ?? [] { add(name, of: known, in: table) }
  }

  private mutating func add(_ name: Located<String>, of known: [AppConfiguration], in table: TOMLTable) {
    guard let app = known.first(where: { $0.id.name == name.value }) else {
      table.diagnostics.report(
        name.line,
        "no [[app]] has the id \(Wording.quoted(name.value))"
          + Wording.suggestion(for: name.value, among: known.map(\.id.name)))
      return
    }
    guard case .uid(let uid) = app.identity else {
      table.diagnostics.report(
        name.line,
        "app \(Wording.quoted(name.value)) has no 'uid': a client of gpsd is known by the user that it runs as")
      return
    }
    if let other = apps[uid] {
      table.diagnostics.report(
        name.line,
        other == app.id
          ? "app \(Wording.quoted(name.value)) is named twice"
          : "apps \(Wording.quoted(other.name)) and \(Wording.quoted(name.value)) have the same 'uid': a client of gpsd "
            + "cannot say which it is")
      return
    }
    apps[uid] = app.id
  }
}
