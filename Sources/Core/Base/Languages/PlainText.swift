extension Unicode.Scalar {
  /// Whether the scalar is visible or a plain space. Control characters and invisible characters are not plain.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}

extension StringProtocol {
  /// Returns the first place of another text in this text. The function of the standard library for this purpose brings
  /// the runtime of regular expressions into the program.
  package func firstRange(ofText text: String) -> Range<Index>? {
    var rest = utf8[...]
    while !rest.starts(with: text.utf8) {
      if rest.popFirst() == nil { return nil }
    }
    return rest.startIndex..<rest.index(rest.startIndex, offsetBy: text.utf8.count)
  }

  func contains(text: String) -> Bool { firstRange(ofText: text) != nil }
}
