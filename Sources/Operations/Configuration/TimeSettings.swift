/// The settings of `[time]`: the clock of this machine gets the time of the receiver.
package struct TimeSettings: Hashable, Sendable {
  /// The path of the Unix socket on which chrony accepts the samples of a reference clock.
  package var socket: String
  /// The time from the measurement until the receiver sends the first byte of its data, 0...2000 ms.
  package var delay: Duration
  package var location: ConfigurationLocation

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let path = table.socketPath("chrony")
    table.require("chrony")
    delay = table.milliseconds("delay_ms", in: 0...2000)?.value ?? .zero
    guard let path else { return nil }
    socket = path.value
    location = ConfigurationLocation(file: table.diagnostics.file, line: path.line)
  }
}
