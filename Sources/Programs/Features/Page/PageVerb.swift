package import LineProtocol

extension OwnerVerb {
  /// Whether the page offers this command. An answer must name the prompt by its identifier. Otherwise it could apply
  /// to a newer prompt that the user has not seen.
  package var isOnPage: Bool { row.isOnPage && (row.answer != .answer || values.prompt != nil) }
}
