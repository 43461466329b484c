/// What `[page]` says: where browsers of this machine find the owners' page.
package struct PageSettings: Hashable, Sendable {
  /// On 127.0.0.1; 0 is any that is free.
  package var port: Int
  package var place: Place

  /// Nil where it names no port, which is reported.
  init?(reading table: TOMLTable) {
    defer { table.finish() }
    guard let port = table.integer("port", in: 0...65_535) else {
      table.need("port")
      return nil
    }
    self.port = Int(port.value)
    place = Place(file: table.diagnostics.file, line: port.line)
  }
}
