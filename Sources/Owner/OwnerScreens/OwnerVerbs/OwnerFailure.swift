package import Base
package import LineProtocol

/// The reason why a command of an owner (administrator) was not executed.
package struct OwnerFailure: Error, Hashable, Sendable {
  package let verb: OwnerVerb
  package let error: LineError
  /// The prompt (a question to the user) that was too new for an answer without its identifier; nil for every other
  /// failure. The answer was not sent to the gateway.
  let promptTooRecent: PromptMessage?

  init(verb: OwnerVerb, error: LineError, promptTooRecent: PromptMessage? = nil) {
    self.verb = verb
    self.error = error
    self.promptTooRecent = promptTooRecent
  }

  package func text(in language: Language) -> String {
    if let promptTooRecent {
      let question = TextFormatter(language: language, columns: 80).question(promptTooRecent)
      return FailurePhrase.promptTooRecent.text(in: language, [.text: "#\(promptTooRecent.prompt) \(question)"])
    }
    return (verb.row.refusals[error.code] ?? phrase).text(in: language, [.app: verb.values.app, .text: error.text])
  }

  private var phrase: FailurePhrase {
    switch error.code {
    // The client has validated all other arguments, so the invalid argument is the name of the app.
    case .badArgument: verb.values.app.isEmpty ? .other : verb.values.duration == nil ? .noSuchApp : .noEnd
    case .expired: verb.row.answer == .answer && verb.values.prompt == nil ? .nothingAsked : .tooLate
    case .locked: .locked
    case .rateLimited: .tooFast
    case .store: .store
    case .notSaved: .notSaved
    case .shuttingDown: .ending
    default: .other
    }
  }
}
