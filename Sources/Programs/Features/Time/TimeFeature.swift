import Configuration

/// The settings of `[time]`: the clock of this machine gets the time of the receiver.
struct TimeFeature: ConfiguredFeature {
  static let table = "time"

  /// The path of the Unix socket on which chrony accepts the samples of a reference clock.
  let socket: String
  /// The time from the measurement until the receiver sends the first byte of its data, 0...2000 ms.
  let delay: Duration
  let location: ConfigurationLocation

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let path = table.socketPath("chrony")
    table.require("chrony")
    delay = table.milliseconds("delay_ms", in: 0...2000)?.value ?? .zero
    guard let path else { return nil }
    socket = path.value
    location = table.location(of: path)
  }
}
