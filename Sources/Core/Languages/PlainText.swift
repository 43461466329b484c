extension Unicode.Scalar {
  /// Whether the scalar is a letter, a mark, a digit, a punctuation character, a symbol or a plain space. The value is
  /// false for control characters and invisible characters.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}
