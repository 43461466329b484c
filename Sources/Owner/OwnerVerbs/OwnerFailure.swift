package import Languages
package import LineProtocol

/// Why a gateway did not do what a verb says.
package struct OwnerFailure: Error, Hashable, Sendable {
  package let verb: OwnerVerb
  /// As the gateway said it.
  package let error: LineError
  /// The question that was asked too shortly before for an answer without its number; nothing was said to the gateway.
  let justAsked: PromptMessage?

  package init(verb: OwnerVerb, error: LineError) {
    self.verb = verb
    self.error = error
    justAsked = nil
  }

  init(verb: OwnerVerb, justAsked prompt: PromptMessage) {
    self.verb = verb
    error = LineError(.rateLimited, "prompt \(prompt.prompt ?? 0) has only just been asked; answer it by its number")
    justAsked = prompt
  }

  /// The same for people, in a language that they read.
  package func text(in language: Language) -> String {
    if let justAsked {
      let question = Writing(language: language, columns: 80).question(justAsked)
      return FailurePhrase.justAsked.text(in: language, [.text: "#\(justAsked.prompt ?? 0) \(question)"])
    }
    return switch (error.code, verb) {
    case (.badArgument, .answer): FailurePhrase.noSuchChoice.text(in: language)
    case (.badArgument, .addKey(let app, _)), (.badArgument, .revokeKey(let app)):
      FailurePhrase.noKey.text(in: language, [.app: app])
    case (.badArgument, _):
      // What words can be wrong in was looked at before they were sent; what is left is the app.
      verb.app.map { FailurePhrase.noSuchApp.text(in: language, [.app: $0]) } ?? other(in: language)
    case (.unknownVerb, .page): FailurePhrase.noPage.text(in: language)
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
