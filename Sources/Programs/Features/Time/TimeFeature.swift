import Configuration

/// The settings of the section `[time]`: chrony sets the clock of this machine with the time of the receiver.
struct TimeFeature: ConfiguredFeature {
  static let table = "time"

  /// The path of the Unix socket on which chrony accepts samples of a reference clock.
  let socket: String
  /// The time from a measurement to the first byte that the receiver sends about it, 0 to 2000 ms.
  let delay: Duration
  let location: ConfigurationLocation

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let path = table.required("chrony", table.socketPath)
    delay = table.milliseconds("delay_ms", in: 0...2000)?.value ?? .zero
    guard let path else { return nil }
    socket = path.value
    location = table.location(of: path)
  }
}
