package import Languages
package import LineProtocol

/// Why a gateway did not do what a verb says.
package struct OwnerFailure: Error, Hashable, Sendable {
  package let verb: OwnerVerb
  /// As the gateway said it.
  package let error: LineError

  package init(verb: OwnerVerb, error: LineError) {
    self.verb = verb
    self.error = error
  }

  /// The same for people who read another language than the gateway's.
  package func text(in language: Language) -> String { error.text }
}
