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

  /// The same for people, in a language that they read.
  package func text(in language: Language) -> String {
    switch (error.code, verb) {
    case (.badArgument, .answer): FailurePhrase.noSuchChoice.text(in: language)
    case (.badArgument, _):
      // What words can be wrong in was looked at before they were sent; what is left is the app.
      verb.app.map { FailurePhrase.noSuchApp.text(in: language, [.app: $0]) } ?? other(in: language)
    case (.expired, .answer(nil, _, _)): FailurePhrase.nothingAsked.text(in: language)
    case (.expired, _): FailurePhrase.tooLate.text(in: language)
    case (.locked, _): FailurePhrase.locked.text(in: language)
    case (.rateLimited, _): FailurePhrase.tooFast.text(in: language)
    case (.store, _): FailurePhrase.store.text(in: language)
    case (.shuttingDown, _): FailurePhrase.ending.text(in: language)
    default: other(in: language)
    }
  }

  private func other(in language: Language) -> String {
    FailurePhrase.other.text(in: language, [.text: error.text])
  }
}
