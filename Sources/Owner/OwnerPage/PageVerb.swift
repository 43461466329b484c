package import OwnerVerbs

extension OwnerVerb {
  /// Whether the page offers it. What it does not offer nobody says through it: keys are shown in a shell only.
  package var isOnPage: Bool {
    switch self {
    case .allow, .deny, .reset, .accuracy, .use, .lock: true
    // It names the question that was on the screen, never whichever is open.
    case .answer(let prompt, _, _): prompt != nil
    case .status, .apps, .show, .prompts, .regions, .addKey, .revokeKey, .log, .receiver, .reload, .page: false
    }
  }
}
