package import LineProtocol

extension OwnerVerb {
  /// Whether the page offers this command. An answer to a prompt (a question to the user) must name the prompt by its
  /// identifier. Otherwise the answer could apply to a newer prompt that the user has not seen.
  package var isOnPage: Bool { row.isOnPage && (row.answer != .answer || values.prompt != nil) }
}
