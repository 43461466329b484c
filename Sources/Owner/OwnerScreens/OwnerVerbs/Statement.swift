/// One line of the output of `onefix doctor`, about a feature or a device of the gateway.
package struct Statement: Hashable, Sendable {
  /// The result of the check. The raw value is the sign before the text.
  package enum Level: String, Hashable, Sendable {
    case good = "✓"
    /// The statement is only for information.
    case note = "·"
    /// The feature or the device works, but has a weakness.
    case warning = "!"
    case bad = "✗"

    /// The code of the colour of the sign (ECMA-48 §8.3.117, SGR).
    fileprivate var colour: String {
      switch self {
      case .good: "32"
      case .note: "36"
      case .warning: "1;33"
      case .bad: "1;31"
      }
    }
  }

  package var level: Level
  package var text: String
  /// The advice for the owner; nil if no action is necessary.
  package var advice: String?

  package init(_ level: Level, _ text: String, advice: String? = nil) {
    self.level = level
    self.text = text
    self.advice = advice
  }

  /// The text and its advice, as lines of plain text.
  package var lines: [String] { lines(sign: level.rawValue) }

  /// The text and its advice, with a coloured sign.
  package var colouredLines: [String] { lines(sign: "\u{1B}[\(level.colour)m\(level.rawValue)\u{1B}[0m") }

  private func lines(sign: String) -> [String] { ["\(sign) \(text)"] + (advice.map { ["    \($0)"] } ?? []) }
}
