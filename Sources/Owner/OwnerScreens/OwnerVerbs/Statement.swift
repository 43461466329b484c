/// One line of the output of `onefix doctor` (a check of the gateway), about a feature or a device.
package struct Statement: Hashable, Sendable {
  /// The kind of the line: the result of a check, or information. The raw value is the sign at the beginning of the
  /// line.
  package enum Level: String, Hashable, Sendable {
    case good = "✓"
    /// The line is only information, and means neither success nor failure.
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
  /// The advice to the user; nil if no action is necessary.
  package var advice: String?

  package init(_ level: Level, _ text: String, advice: String? = nil) {
    self.level = level
    self.text = text
    self.advice = advice
  }

  /// The text and the advice as lines of plain text, with the sign of the level.
  package var lines: [String] { lines(sign: level.rawValue) }

  /// The text and the advice as lines of text for a terminal, with the sign of the level in colour.
  package var colouredLines: [String] { lines(sign: "\u{1B}[\(level.colour)m\(level.rawValue)\u{1B}[0m") }

  private func lines(sign: String) -> [String] { ["\(sign) \(text)"] + (advice.map { ["    \($0)"] } ?? []) }
}
