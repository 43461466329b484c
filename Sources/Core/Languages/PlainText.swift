extension Unicode.Scalar {
  /// Whether it is a letter, mark, digit, punctuation, symbol or plain space: nothing that a terminal obeys, or that is
  /// not seen.
  package var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    case .spaceSeparator: self == " "
    default: true
    }
  }
}
