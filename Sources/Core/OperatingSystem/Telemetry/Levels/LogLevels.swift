package import Logging

/// The minimum levels of logged messages. `general` applies to the areas of the daemon without a level in `specific`.
package struct LogLevels: Hashable, Sendable {
  package var general: Logger.Level?
  package var specific: [Subsystem: Logger.Level]

  package init(general: Logger.Level? = nil, specific: [Subsystem: Logger.Level] = [:]) {
    self.general = general
    self.specific = specific
  }

  /// Parses log levels, separated by commas. Each element is `LEVEL`, or `SUBSYSTEM=LEVEL` for one area of the daemon.
  package init(_ text: String) throws(LogLevelsError) {
    self.init()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      func invalid(_ rule: String) -> LogLevelsError { LogLevelsError(description: "'\(part)': \(rule)") }
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let level = Logger.Level(rawValue: words.last ?? "") else {
        throw invalid("the level must be one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      if words.count == 1 {
        guard general == nil else { throw invalid("is set twice") }
        general = level
      } else {
        guard let subsystem = Subsystem(rawValue: words[0]) else {
          throw invalid("the subsystem must be one of \(Subsystem.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard specific.updateValue(level, forKey: subsystem) == nil else { throw invalid("is set twice") }
      }
    }
  }

  package subscript(subsystem: Subsystem) -> Logger.Level { specific[subsystem] ?? general ?? .notice }

  /// Returns a copy of the levels, in which levels of `other` replace missing levels. If `general` is set, `other` has
  /// no effect.
  package func overriding(_ other: LogLevels) -> LogLevels {
    guard general == nil else { return self }
    return LogLevels(general: other.general, specific: other.specific.merging(specific) { $1 })
  }
}

/// An error in a text with log levels. The description names the invalid level and the valid levels.
package struct LogLevelsError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
