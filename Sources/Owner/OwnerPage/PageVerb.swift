package import OwnerVerbs

extension OwnerVerb {
  /// Whether the page offers this command. The page refuses all other commands. For example, the page cannot create a
  /// key for an app, because only a shell can show the key.
  package var isOnPage: Bool {
    switch self {
    case .allow, .deny, .reset, .accuracy, .use, .lock: true
    // An answer must contain the number of the displayed prompt, because the gateway can replace the displayed prompt
    // by a new prompt before the answer arrives.
    case .answer(let prompt, _, _): prompt != nil
    case .status, .apps, .show, .prompts, .regions, .addKey, .revokeKey, .log, .receiver, .reload, .page: false
    }
  }
}
