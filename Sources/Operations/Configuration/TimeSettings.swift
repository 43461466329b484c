/// The settings of `[time]`: the clock of this machine gets the time of the receiver.
package struct TimeSettings: Hashable, Sendable {
  /// The path of the Unix socket on which chrony accepts the samples of a reference clock.
  package var socket: String
  /// The time from the measurement until the receiver sends the first byte of its data, 0...2000 ms.
  package var delay: Duration
  package var place: Place

  /// The maximum length of a socket's path in bytes. (unix(7))
  private static let longestPath = 107

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let path = table.path("chrony")
    table.require("chrony")
    delay = table.milliseconds("delay_ms", in: 0...2000)?.value ?? .zero
    guard let path else { return nil }
    guard path.value.utf8.count <= Self.longestPath else {
      table.reject("chrony", path, "has \(path.value.utf8.count) bytes, but must have at most \(Self.longestPath)")
      return nil
    }
    socket = path.value
    place = Place(file: table.diagnostics.file, line: path.line)
  }
}
