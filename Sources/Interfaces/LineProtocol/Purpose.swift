import Languages

/// What an app may say of itself to people.
enum Purpose {
  /// Columns that it takes at most.
  static let room = 80
  /// Marks on one letter, as in Vietnamese and Thai: more would run into the lines above and below.
  private static let mostMarks = 3

  /// At most 80 columns of letters, digits, punctuation and plain spaces, so that it cannot pose as something else.
  /// - Parameter what: what the text is, where it is refused.
  static func checked(_ text: String, _ what: String = "purpose") throws(LineError) -> String {
    // Every ASCII character that is printed is plain, and takes one column.
    if text.utf8.count <= room, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var marks = mostMarks
    for scalar in text.unicodeScalars {
      guard scalar.isPlain || scalar.properties.generalCategory == .spaceSeparator,
        !scalar.properties.isDefaultIgnorableCodePoint
      else { throw LineError(.badArgument, "\(what) has letters, digits, punctuation and plain spaces only") }
      guard scalar.isPlain else { throw LineError(.badArgument, "\(what) has no spaces but plain ones") }
      // A first mark has nothing to stand on.
      marks = Columns.width(of: scalar) == 0 ? marks + 1 : 0
      guard marks <= mostMarks else {
        throw LineError(.badArgument, "\(what) has at most \(mostMarks) marks on a letter")
      }
    }
    guard Columns.width(of: text) <= room else {
      throw LineError(.badArgument, "\(what) has at most \(room) columns")
    }
    return text
  }
}
