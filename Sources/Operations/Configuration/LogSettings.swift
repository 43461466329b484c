import Logging
import OperatingSystem

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
