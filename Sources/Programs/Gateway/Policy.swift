package import Authorization
package import Base
package import LineProtocol
package import Ports

/// The settings that an owner may change while the gateway runs.
package struct Policy: Sendable {
  package var authorization: Authorization.Configuration
  package var language: Language
  /// Whether a display near the button shows the texts of prompts.
  package var hasPromptDisplay: Bool
  /// The module of `[display]`, which a process of its own drives; nil without such a module.
  package var display: DisplayModule?
  /// The display names of apps, if they differ from their ids.
  package var appNames: [AppID: String]
  /// The apps that may have a key or a token.
  package var keyedApps: Set<AppID>
  /// The apps whose configured user does not exist. No process can be identified as such an app.
  package var appsWithoutUser: Set<AppID>
  /// The age at which the entries of the log are removed.
  package var logRetention: Duration

  package init(
    authorization: Authorization.Configuration = Authorization.Configuration(), language: Language = .english,
    hasPromptDisplay: Bool = false, display: DisplayModule? = nil, appNames: [AppID: String] = [:],
    keyedApps: Set<AppID> = [],
    appsWithoutUser: Set<AppID> = [], logRetention: Duration = .seconds(400 * 86_400)
  ) {
    self.authorization = authorization
    self.language = language
    self.hasPromptDisplay = hasPromptDisplay
    self.display = display
    self.appNames = appNames
    self.keyedApps = keyedApps
    self.appsWithoutUser = appsWithoutUser
    self.logRetention = logRetention
  }

  /// Returns the name of an app for users.
  func name(of app: AppID) -> String { appNames[app] ?? app.name }
}

/// A new configuration that was read without an error.
package struct Reconfiguration: Sendable {
  package var policy: Policy
  /// Applies the configuration to the listeners. This operation cannot fail.
  package var putInForce: @Sendable () -> Void
  /// Returns whether the new configuration still permits a connection of a client under the name of its app.
  package var admits: @Sendable (_ identity: Identity, _ peer: Peer, _ transport: Transport) -> Bool
  /// The changed configuration keys that take effect only at the next start.
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
