import Logging
import Telemetry

extension LogLevels {
  /// Parses `[log]`: the general level and the levels of subsystems.
  init(reading table: TOMLTable) {
    self.init(general: table.choice("level", of: Logger.Level.self)?.value)
    for subsystem in Subsystem.allCases {
      specific[subsystem] = table.choice(subsystem.rawValue, of: Logger.Level.self)?.value
    }
    table.finish()
  }
}

/// The settings of `[metrics]`: the file to which metrics are written.
package struct MetricsSettings: Hashable, Sendable {
  package var file: String
  /// The time between two writes of the file, in whole seconds, 1...3600.
  package var interval = Duration.seconds(15)
  package var location: ConfigurationLocation

  init?(reading table: TOMLTable) {
    defer { table.finish() }
    let path = table.path("file")
    if let interval = table.integer("interval_s", in: 1...3600) { self.interval = .seconds(interval.value) }
    guard let path else {
      table.require("file")
      return nil
    }
    file = path.value
    location = table.location(of: path)
  }
}
