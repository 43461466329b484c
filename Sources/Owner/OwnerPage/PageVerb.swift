package import OwnerVerbs

extension OwnerVerb {
  /// Whether the page offers the verb. The page refuses all other verbs. For example, only a shell can show keys.
  package var isOnPage: Bool {
    switch self {
    case .allow, .deny, .reset, .accuracy, .use, .lock: true
    // An answer must contain the number of the displayed prompt, because another prompt can open before the answer
    // arrives.
    case .answer(let prompt, _, _): prompt != nil
    case .status, .apps, .show, .prompts, .regions, .addKey, .revokeKey, .log, .receiver, .reload, .page: false
    }
  }
}
