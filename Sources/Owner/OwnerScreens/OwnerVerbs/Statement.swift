/// A statement of `onefix doctor` about a feature or a device of the gateway.
package struct Statement: Hashable, Sendable {
  /// The kind of a statement. The raw value is the sign before the text.
  package enum Level: String, Hashable, Sendable {
    case good = "✓"
    /// The statement is for information only.
    case note = "·"
    /// The feature or the device works, but has a weakness.
    case warning = "!"
    case bad = "✗"
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

  package var lines: [String] { ["\(level.rawValue) \(text)"] + (advice.map { ["    \($0)"] } ?? []) }
}
