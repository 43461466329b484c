package import LineProtocol

extension OwnerVerb {
  /// Whether an owner may send this command from the web page. An answer to a prompt (a question to the user) must
  /// contain the prompt's identifier, so that the answer cannot apply to a newer prompt.
  package var isOnPage: Bool { row.isOnPage && (row.answer != .answer || values.prompt != nil) }
}
