/// How messages name things.
enum Wording {
  /// Text from a file, in quotes, with nothing in it that a terminal would obey, and not longer than a line.
  static func quoted(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      guard shown.unicodeScalars.count < 60 else {
        shown += "…"
        break
      }
      if isPlain(scalar) {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return "'\(shown)'"
  }

  /// As in `'one', 'two' or 'three'`.
  static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { Wording.quoted($0) }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nothing" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// As in ` (did you mean 'accuracy'?)`; empty where nothing is near.
  static func suggestion(for name: String, among names: [String]) -> String {
    nearest(to: name, among: names).map { " (did you mean \(quoted($0))?)" } ?? ""
  }

  /// The name that is closest in letters; nil where none is close.
  static func nearest(to name: String, among names: [String]) -> String? {
    let written = Array(name.unicodeScalars.prefix(64))
    let distances = names.map { (name: $0, distance: distance(written, Array($0.unicodeScalars))) }
    guard let best = distances.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }),
      best.distance <= max(1, min(best.name.unicodeScalars.count, written.count) / 3)
    else { return nil }
    return best.name
  }

  /// Letters to add, drop, change or swap with their neighbour. (Optimal string alignment)
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var previous: [Int] = []
    var current = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1]
      for j in b.indices {
        var best = min(current[j + 1] + 1, next[j] + 1, current[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, previous[j - 1] + 1) }
        next.append(best)
      }
      previous = current
      current = next
    }
    return current[b.count]
  }

  /// Whether it is a letter, mark, digit, punctuation, symbol or plain space.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: scalar == " "
    default: true
    }
  }

  /// Columns that a text takes on a terminal: none for a combining mark, two for a wide character.
  static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { columns, scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: columns
      default: columns + (isWide(scalar) ? 2 : 1)
      }
    }
  }

  /// The blocks of UAX #11 that are wide throughout; it is a limit on length, not a layout.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
