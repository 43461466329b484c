package import Authorization
package import Languages
package import Ports

/// What the owner may change while the gateway runs.
package struct Policy: Sendable {
  package var authorization: Authorization.Configuration
  /// In which people are addressed.
  package var language: Language
  /// Whether a display beside the button shows the texts of prompts.
  package var hasPromptDisplay: Bool
  /// How apps are called to people, where that is not their id.
  package var appNames: [AppID: String]
  /// Apps that may prove themselves by a key.
  package var keyedApps: Set<AppID>
  /// How long entries of the log are kept.
  package var logRetention: Duration

  package init(
    authorization: Authorization.Configuration = Authorization.Configuration(), language: Language = .english,
    hasPromptDisplay: Bool = false, appNames: [AppID: String] = [:], keyedApps: Set<AppID> = [],
    logRetention: Duration = .seconds(400 * 86_400)
  ) {
    self.authorization = authorization
    self.language = language
    self.hasPromptDisplay = hasPromptDisplay
    self.appNames = appNames
    self.keyedApps = keyedApps
    self.logRetention = logRetention
  }
}

/// A configuration that was read again, and is good as a whole.
package struct Reconfiguration: Sendable {
  package var policy: Policy
  /// Lets listeners know what they have to; it cannot fail.
  package var putInForce: @Sendable () -> Void
  /// Whether a client may go on as the app that it was taken for.
  package var admits: @Sendable (_ identity: Identity, _ peer: Peer, _ transport: Transport) -> Bool
  /// Keys that were changed and hold from the next start on.
  package var waiting: [String]

  package init(
    policy: Policy, waiting: [String],
    admits: @escaping @Sendable (_ identity: Identity, _ peer: Peer, _ transport: Transport) -> Bool,
    putInForce: @escaping @Sendable () -> Void
  ) {
    self.policy = policy
    self.waiting = waiting
    self.admits = admits
    self.putInForce = putInForce
  }
}
