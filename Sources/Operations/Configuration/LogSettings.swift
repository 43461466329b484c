import Logging
import OperatingSystem

extension LogLevels {
  /// Parses the table `[log]`: the general log level, and the log levels of areas of the daemon (`Subsystem`).
  init(reading table: TOMLTable) {
    self.init(general: table.choice("level", of: Logger.Level.self)?.value)
    for subsystem in Subsystem.allCases {
      specific[subsystem] = table.choice(subsystem.rawValue, of: Logger.Level.self)?.value
    }
    table.finish()
  }
}
