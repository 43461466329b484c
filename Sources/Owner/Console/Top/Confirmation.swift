import Languages
package import OwnerVerbs

/// What an owner does by a key.
package enum Deed: Hashable, Sendable {
  case verb(OwnerVerb)
  /// Presses the button of a simulated board.
  case press
  case hold
}

/// What came of a deed.
package enum Outcome: Hashable, Sendable {
  /// Shown for some seconds.
  case message(String)
  /// Shown until a key is pressed.
  case sheet([String])
}

extension OwnerVerb {
  /// Whether what it tells is to be read, or copied, and not only seen.
  package var isReadAtLeisure: Bool {
    switch self {
    case .status, .apps, .show, .prompts, .regions, .addKey, .log, .receiver, .page: true
    case .allow, .deny, .reset, .accuracy, .answer, .use, .revokeKey, .reload, .lock: false
    }
  }
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
    case .addKey(_, let isToken): phrase = isToken ? .makeToken : .makeKey
    case .revokeKey: phrase = .revokeKey
    case .reload: phrase = .reloadNow
    case .status, .apps, .show, .accuracy, .prompts, .answer, .regions, .use, .log, .receiver, .page: return nil
    }
    deed = .verb(verb)
    question = phrase.text(in: language, [.app: verb.app ?? ""])
  }
}
