extension Unicode.Scalar {
  /// Whether the character is visible or a plain space. Control characters and invisible characters are not plain.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}

extension StringProtocol {
  /// Returns the range of the first occurrence of another text in this text; nil if there is none. The standard
  /// library's function would link the regular expression runtime into the program.
  package func firstRange(ofText text: String) -> Range<Index>? {
    var rest = utf8[...]
    while !rest.starts(with: text.utf8) {
      if rest.popFirst() == nil { return nil }
    }
    return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.utf8.count)
  }

  func contains(text: String) -> Bool { firstRange(ofText: text) != nil }
}
