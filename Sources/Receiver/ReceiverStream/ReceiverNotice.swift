/// A message for the owner's log about the receiver.
package struct ReceiverNotice: Hashable, Sendable {
  package enum Severity: Hashable, Sendable {
    case info
    case notice
    case warning
  }

  package let severity: Severity
  package let text: String
  /// Values that belong to the message, by name. The value named `remedy` is the remedy for the owner.
  package let details: [String: String]

  package init(_ severity: Severity, _ text: String, _ details: [String: String]) {
    self.severity = severity
    self.text = text
    self.details = details
  }
}
