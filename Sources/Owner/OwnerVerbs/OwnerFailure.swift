package import Languages
package import LineProtocol

/// The reason why a gateway did not execute a command.
package struct OwnerFailure: Error, Hashable, Sendable {
  package let verb: OwnerVerb
  package let error: LineError
  /// The open prompt, if an answer without a prompt number came too soon after the prompt opened. Such an answer is not
  /// sent to the gateway. Nil for all other failures.
  let promptTooRecent: PromptMessage?

  package init(verb: OwnerVerb, error: LineError) {
    self.verb = verb
    self.error = error
    promptTooRecent = nil
  }

  init(verb: OwnerVerb, promptTooRecent prompt: PromptMessage) {
    self.verb = verb
    error = LineError(
      .rateLimited, "cannot answer prompt \(prompt.prompt): it opened less than 1 s ago (give the prompt's number)"
    )
    promptTooRecent = prompt
  }

  package func text(in language: Language) -> String {
    if let promptTooRecent {
      let question = TextFormatter(language: language, columns: 80).question(promptTooRecent)
      return FailurePhrase.promptTooRecent.text(in: language, [.text: "#\(promptTooRecent.prompt) \(question)"])
    }
    return switch (error.code, verb) {
    case (.badArgument, .answer): FailurePhrase.noSuchChoice.text(in: language)
    case (.badArgument, .addKey(let app, _)), (.badArgument, .revokeKey(let app)):
      FailurePhrase.noKey.text(in: language, [.app: app])
    case (.badArgument, _):
      // The client has validated all other arguments, so the invalid argument is the name of the app.
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
