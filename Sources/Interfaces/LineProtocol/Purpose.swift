import Base

/// The rules for texts of apps that users will see, for example the purpose of a request.
enum Purpose {
  /// The maximum width of an app's text in terminal columns.
  static let room = 80
  /// The maximum count of combining marks (for example accents) on one letter. Vietnamese and Thai need three marks.
  /// More marks would overlap the text lines above and below.
  private static let mostMarks = 3

  /// Returns the text if the text has at most 80 columns of letters, digits, punctuation and plain spaces. Other
  /// characters could imitate parts of the screen.
  /// - Parameter what: The name of the text in the error message.
  /// - Throws: `LineError` with the code 405.
  static func checked(_ text: String, _ what: String = "purpose") throws(LineError) -> String {
    if text.utf8.count <= room, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var marks = 0
    var mayHaveMark = false
    for scalar in text.unicodeScalars {
      guard scalar.isPlain || scalar.properties.generalCategory == .spaceSeparator,
        !scalar.properties.isDefaultIgnorableCodePoint
      else { throw LineError(.badArgument, "\(what) must contain only letters, digits, punctuation and plain spaces") }
      guard scalar.isPlain else {
        throw LineError(.badArgument, "\(what) must not contain other spaces than plain ones")
      }
      // A mark on a quotation mark or on a space would make another character of it, which looks alike.
      let isMark = scalar.isMark || Columns.width(of: scalar) == 0
      guard !isMark || mayHaveMark else {
        throw LineError(.badArgument, "\(what) must have marks (for example accents) on letters only")
      }
      marks = Columns.width(of: scalar) == 0 ? marks + 1 : 0
      guard marks <= mostMarks else {
        throw LineError(.badArgument, "\(what) must have at most \(mostMarks) marks on a letter")
      }
      mayHaveMark = isMark || scalar.isLetter
    }
    guard Columns.width(of: text) <= room else {
      throw LineError(.badArgument, "\(what) must have at most \(room) columns")
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isMark: Bool {
    [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  fileprivate var isLetter: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }
}
