import Configuration

/// The settings of the section `[metrics]`: a file into which the daemon writes metrics for a monitoring program.
struct MetricsFeature: ConfiguredFeature {
  static let table = "metrics"

  let file: String
  /// The time between two writes of the file, 1 to 3600 seconds.
  let interval: Duration
  let location: ConfigurationLocation

  var claims: [Claim] { [Claim(file: file, at: location)] }

  init?(reading root: TOMLTable, _ configuration: GatewayConfiguration) {
    guard let table = root.table(Self.table) else { return nil }
    defer { table.finish() }
    let path = table.required("file", table.replacedFilePath)
    interval = .seconds(table.integer("interval_s", in: 1...3600)?.value ?? 15)
    guard let path else { return nil }
    file = path.value
    location = table.location(of: path)
  }
}
