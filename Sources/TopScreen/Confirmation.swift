import Languages
package import OwnerVerbs

/// What an owner does by a key.
package enum Deed: Hashable, Sendable {
  case verb(OwnerVerb)
  /// Presses the button of a simulated board.
  case press
  case hold
}

/// A deed that waits for a yes.
struct Confirmation: Hashable, Sendable {
  let deed: Deed
  let question: String

  /// Nil for what is done at once.
  init?(_ verb: OwnerVerb, in language: Language) {
    let phrase: TopPhrase
    switch verb {
    case .allow(_, .always): phrase = .allowAlways
    case .allow(_, .whileUsing): phrase = .allowWhileUsing
    case .deny: phrase = .neverAllow
    case .reset: phrase = .forget
    case .lock: phrase = .lockNow
    case .status, .apps, .show, .accuracy, .prompts, .answer, .regions, .use, .addKey, .revokeKey, .log, .receiver,
      .reload, .page:
      return nil
    }
    deed = .verb(verb)
    question = phrase.text(in: language, [.app: verb.app ?? ""])
  }
}
