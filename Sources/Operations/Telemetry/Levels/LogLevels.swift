/// From which level on messages are logged: one for all, and those of subsystems that have their own.
package struct LogLevels: Hashable, Sendable {
  /// Nil where it is not said.
  package var usual: LogLevel?
  package var own: [Subsystem: LogLevel]

  package init(usual: LogLevel? = nil, own: [Subsystem: LogLevel] = [:]) {
    self.usual = usual
    self.own = own
  }

  /// Reads `LEVEL`, `SUBSYSTEM=LEVEL`, or several with commas between them.
  package init(_ text: String) throws(LogLevelsError) {
    self.init()
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let level = LogLevel(rawValue: words.last ?? "") else { throw LogLevelsError(.level, String(part)) }
      if words.count == 1 {
        guard usual == nil else { throw LogLevelsError(.twice, String(part)) }
        usual = level
      } else {
        guard let subsystem = Subsystem(rawValue: words[0]) else { throw LogLevelsError(.subsystem, String(part)) }
        guard own.updateValue(level, forKey: subsystem) == nil else { throw LogLevelsError(.twice, String(part)) }
      }
    }
  }

  package subscript(subsystem: Subsystem) -> LogLevel { own[subsystem] ?? usual ?? .notice }

  /// What holds where this is said on top of something else: a level for all goes before whatever that says, a
  /// subsystem's before what that says of it.
  package func over(_ other: LogLevels) -> LogLevels {
    guard usual == nil else { return self }
    return LogLevels(usual: other.usual, own: other.own.merging(own) { $1 })
  }
}

/// What is wrong with levels.
package struct LogLevelsError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case level
    case subsystem
    case twice
  }

  package let cause: Cause
  /// The part that is wrong.
  package let part: String

  init(_ cause: Cause, _ part: String) {
    self.cause = cause
    self.part = part
  }

  package var description: String {
    switch cause {
    case .level: "'\(part)': a level is \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))"
    case .subsystem:
      "'\(part)': what has a level of its own is \(Subsystem.allCases.map(\.rawValue).joined(separator: ", "))"
    case .twice: "'\(part)': that is said twice"
    }
  }
}
