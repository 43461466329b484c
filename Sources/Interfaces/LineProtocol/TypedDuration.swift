/// The parser of durations that owners (administrators) type, for example `90m`, `2h` or `7d`.
package enum TypedDuration {
  /// The shortest and the longest duration of a temporary authorization, in seconds: 1 minute to 30 days.
  package static let secondsRange = 60...2_592_000

  /// Parses a duration: a whole number and `m` for minutes, `h` for hours or `d` for days. Returns nil for any other
  /// text, and for a duration outside 1 minute to 30 days.
  package static func parse(_ word: String) -> Duration? {
    let digits = word.dropLast()
    let unit: Int
    switch word.last {
    case "m", "M": unit = 60
    case "h", "H": unit = 3600
    case "d", "D": unit = 86_400
    default: return nil
    }
    guard (1...5).contains(digits.utf8.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
      let number = Int(digits), secondsRange.contains(number * unit)
    else { return nil }
    return .seconds(number * unit)
  }
}
