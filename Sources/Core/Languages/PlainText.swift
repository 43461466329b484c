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
