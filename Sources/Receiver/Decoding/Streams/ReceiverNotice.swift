/// A message about the receiver for the owner's log.
package struct ReceiverNotice: Hashable, Sendable {
  package enum Severity: Hashable, Sendable {
    case info
    case notice
    case warning
  }

  package let severity: Severity
  package let text: String
  /// The values of the message, by name. `remedy` is the remedy for the owner.
  package let details: [String: String]

  package init(_ severity: Severity, _ text: String, _ details: [String: String]) {
    self.severity = severity
    self.text = text
    self.details = details
  }
}
