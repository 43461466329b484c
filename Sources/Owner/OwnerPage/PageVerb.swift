package import OwnerVerbs

extension OwnerVerb {
  /// Whether the page offers the verb. The page rejects all other verbs: for example, only a shell shows keys.
  package var isOnPage: Bool {
    switch self {
    case .allow, .deny, .reset, .accuracy, .use, .lock: true
    // The answer must name the displayed prompt, because the open prompt can change in between.
    case .answer(let prompt, _, _): prompt != nil
    case .status, .apps, .show, .prompts, .regions, .addKey, .revokeKey, .log, .receiver, .reload, .page: false
    }
  }
}
