import Languages
package import OwnerVerbs

/// An action that an owner starts with a key.
package enum OwnerAction: Hashable, Sendable {
  case verb(OwnerVerb)
  case press
  case hold
}

/// The result of an owner's action.
package enum ActionOutcome: Hashable, Sendable {
  /// A text that the screen shows for some seconds.
  case message(String)
  /// Lines that the screen shows until the user presses a key.
  case pager([String])
}

extension OwnerVerb {
  package var showsInPager: Bool {
    switch self {
    case .status, .apps, .show, .prompts, .regions, .place, .addKey, .log, .receiver, .page: true
    case .allow, .deny, .reset, .accuracy, .answer, .use, .revokeKey, .reload, .lock: false
    }
  }
}

struct Confirmation: Hashable, Sendable {
  let action: OwnerAction
  let question: String

  /// Creates the confirmation of a command; nil if the command needs no confirmation.
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
    case .status, .apps, .show, .accuracy, .prompts, .answer, .regions, .place, .use, .log, .receiver, .page:
      return nil
    }
    action = .verb(verb)
    question = phrase.text(in: language, [.app: verb.app ?? ""])
  }
}
