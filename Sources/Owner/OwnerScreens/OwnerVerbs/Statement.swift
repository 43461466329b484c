/// A statement that `onefix doctor` prints about a part of the gateway.
package struct Statement: Hashable, Sendable {
  package enum Level: Hashable, Sendable {
    case good
    /// The statement is for information only.
    case note
    /// The part works, but has a weakness.
    case warning
    case bad

    package var sign: String {
      switch self {
      case .good: "✓"
      case .note: "·"
      case .warning: "!"
      case .bad: "✗"
      }
    }
  }

  package var level: Level
  package var text: String
  /// The proposed action.
  package var advice: String?

  package init(_ level: Level, _ text: String, advice: String? = nil) {
    self.level = level
    self.text = text
    self.advice = advice
  }

  package var lines: [String] { ["\(level.sign) \(text)"] + (advice.map { ["    \($0)"] } ?? []) }
}
