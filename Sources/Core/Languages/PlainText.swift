extension Unicode.Scalar {
  /// Whether the scalar is a letter, mark, digit, punctuation, symbol or plain space, and not a control character or an
  /// invisible character.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}
