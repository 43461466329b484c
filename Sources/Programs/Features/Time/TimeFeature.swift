import Configuration

/// The settings of the section `[time]`, with which the program chrony sets this machine's clock from the receiver's
/// time.
struct TimeFeature: ConfiguredFeature {
  static let table = "time"

  /// The path of the Unix socket on which chrony receives time samples (driver SOCK).
  let socket: String
  /// The delay of the receiver, 0 to 2000 ms: the time from a measurement to the first byte about the measurement.
  let delay: Duration
  let location: ConfigurationLocation

  var claims: [Claim] { [Claim(file: socket, at: location)] }

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
