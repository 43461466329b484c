import Languages

/// The validation of texts that an app shows to users.
enum Purpose {
  /// The maximum width in columns.
  static let room = 80
  /// The maximum number of marks on one letter, as in Vietnamese and Thai. More marks would overlap the lines above and
  /// below.
  private static let mostMarks = 3

  /// Returns a text if it has at most 80 columns of letters, digits, punctuation and plain spaces. The limits prevent
  /// an app from imitating other parts of the screen.
  /// - Parameter what: the name of the text in the error message.
  /// - Throws: `LineError` 405.
  static func checked(_ text: String, _ what: String = "purpose") throws(LineError) -> String {
    // Every printable ASCII character is plain and has a width of one column.
    if text.utf8.count <= room, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var marks = mostMarks
    for scalar in text.unicodeScalars {
      guard scalar.isPlain || scalar.properties.generalCategory == .spaceSeparator,
        !scalar.properties.isDefaultIgnorableCodePoint
      else { throw LineError(.badArgument, "\(what) has letters, digits, punctuation and plain spaces only") }
      guard scalar.isPlain else { throw LineError(.badArgument, "\(what) has no spaces but plain ones") }
      // A mark at the beginning of the text has no base letter.
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
