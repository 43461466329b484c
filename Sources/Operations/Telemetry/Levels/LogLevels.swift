package import Logging

/// The minimum level that a message must have to be logged. Each subsystem can have a separate level. The general level
/// applies to all subsystems without a separate level.
package struct LogLevels: Hashable, Sendable {
  /// The general level. Nil if no general level is set.
  package var general: Logger.Level?
  package var specific: [Subsystem: Logger.Level]

  package init(general: Logger.Level? = nil, specific: [Subsystem: Logger.Level] = [:]) {
    self.general = general
    self.specific = specific
  }

  /// Parses a level as `LEVEL`, the level of a subsystem as `SUBSYSTEM=LEVEL`, or a list of several levels. Commas
  /// separate the levels in a list.
  package init(_ text: String) throws(LogLevelsError) {
    self.init()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let level = Logger.Level(rawValue: words.last ?? "") else { throw LogLevelsError(.level, String(part)) }
      if words.count == 1 {
        guard general == nil else { throw LogLevelsError(.twice, String(part)) }
        general = level
      } else {
        guard let subsystem = Subsystem(rawValue: words[0]) else { throw LogLevelsError(.subsystem, String(part)) }
        guard specific.updateValue(level, forKey: subsystem) == nil else { throw LogLevelsError(.twice, String(part)) }
      }
    }
  }

  package subscript(subsystem: Subsystem) -> Logger.Level { specific[subsystem] ?? general ?? .notice }

  /// Returns a complete set of log levels. If a level is missing in this value, the result contains the level of
  /// `other`. If this value contains a general level, the result contains no level of `other`.
  package func overriding(_ other: LogLevels) -> LogLevels {
    guard general == nil else { return self }
    return LogLevels(general: other.general, specific: other.specific.merging(specific) { $1 })
  }
}

/// An error in a list of levels.
package struct LogLevelsError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case level
    case subsystem
    case twice
  }

  package let cause: Cause
  /// The invalid part of the list.
  package let part: String

  init(_ cause: Cause, _ part: String) {
    self.cause = cause
    self.part = part
  }

  package var description: String {
    switch cause {
    case .level: "'\(part)': the level must be one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))"
    case .subsystem:
      "'\(part)': the subsystem must be one of \(Subsystem.allCases.map(\.rawValue).joined(separator: ", "))"
    case .twice: "'\(part)': is set twice"
    }
  }
}
