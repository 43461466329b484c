package import Authorization
package import Base
package import LineProtocol
package import Ports

/// The settings that an owner may change while the gateway runs.
package struct Policy: Sendable {
  package var authorization = Authorization.Configuration()
  package var language = Language.english
  /// Whether a display near the button shows the texts of prompts (questions to the person at the button).
  package var hasPromptDisplay = false
  /// The display of the section `[display]`, which another process drives; nil without such a section.
  package var display: DisplayModule?
  /// The names of apps that users see, as far as they differ from the ids of the apps.
  package var appNames: [AppID: String] = [:]
  /// The apps that may have a key or a token, and authenticate with it.
  package var keyedApps: Set<AppID> = []
  /// The apps whose configured Unix user does not exist. No process can connect as such an app.
  package var appsWithoutUser: Set<AppID> = []
  /// The age at which an entry of the disclosure log is removed.
  package var logRetention = Duration.seconds(400 * 86_400)

  package init() {}

  /// Returns the name of an app that users see.
  func name(of app: AppID) -> String { appNames[app] ?? app.name }
}

/// The result of a reload: a new configuration without an error.
package struct Reconfiguration: Sendable {
  package var policy: Policy
  /// Passes the configuration to the listeners. Called after all checks, since this function cannot fail.
  package var putInForce: @Sendable () -> Void
  /// Returns whether the new configuration still permits a connected client to act as its app.
  package var admits: @Sendable (_ identity: Identity, _ peer: Peer, _ transport: Transport) -> Bool
  /// The changed configuration keys that take effect only at the next start of the daemon.
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
