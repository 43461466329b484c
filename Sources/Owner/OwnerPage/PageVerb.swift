package import OwnerVerbs

extension OwnerVerb {
  /// Whether the web page for the gateway's owners offers this command. For example, the page cannot create a key for
  /// an app, because only a shell can show the key.
  package var isOnPage: Bool {
    switch self {
    case .allow, .deny, .reset, .accuracy, .use, .lock: true
    // An answer must contain the number of the displayed prompt. Otherwise, the answer could apply to a newer prompt
    // that the user has not seen.
    case .answer(let prompt, _, _): prompt != nil
    case .status, .apps, .show, .prompts, .regions, .place, .addKey, .revokeKey, .log, .receiver, .reload, .page: false
    }
  }
}
