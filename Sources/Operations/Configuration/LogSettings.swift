import Telemetry

extension LogLevels {
  /// What `[log]` says: a level for all, and for subsystems.
  init(reading table: TOMLTable) {
    self.init(usual: table.choice("level", of: LogLevel.self)?.value)
    for subsystem in Subsystem.allCases { own[subsystem] = table.choice(subsystem.rawValue, of: LogLevel.self)?.value }
    table.finish()
  }
}

/// What `[metrics]` says: the file that metrics are written to.
package struct MetricsSettings: Hashable, Sendable {
  package var file: String
  /// Whole seconds, 1...3600.
  package var interval = Duration.seconds(15)
  package var place: Place

  /// Nil where it names no file, which is reported.
  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let path = table.path("file")
    if let interval = table.integer("interval_s", in: 1...3600) { self.interval = .seconds(interval.value) }
    guard let path else {
      table.need("file")
      return nil
    }
    file = path.value
    place = Place(file: table.diagnostics.file, line: path.line)
  }
}
