/// A message about the receiver for the log of the gateway's owner.
package struct ReceiverNotice: Hashable, Sendable {
  package enum Severity: Hashable, Sendable {
    case info
    case notice
    case warning
  }

  package let severity: Severity
  package let text: String
  /// The details of the message. The key is the name of a detail, for example `remedy`.
  package let details: [String: String]

  package init(_ severity: Severity, _ text: String, _ details: [String: String]) {
    self.severity = severity
    self.text = text
    self.details = details
  }
}
