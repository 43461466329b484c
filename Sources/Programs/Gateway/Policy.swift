package import Authorization
package import Base
package import LineProtocol
package import Ports

/// The settings that an owner (administrator) may change while the gateway runs.
package struct Policy: Sendable {
  package var authorization = Authorization.Configuration()
  package var language = Language.english
  /// Whether a display near the button shows the texts of prompts (questions to the person at the button).
  package var hasPromptDisplay = false
  /// The display from the section `[display]` of the configuration; nil without such a section. Another process drives
  /// the display.
  package var display: DisplayModule?
  /// The names of apps for users, by app. An app without a value is shown with its id.
  package var appNames: [AppID: String] = [:]
  /// The apps that may authenticate with a key or a token.
  package var keyedApps: Set<AppID> = []
  /// The apps whose configured Unix user does not exist. No process can connect as such an app.
  package var appsWithoutUser: Set<AppID> = []
  /// The age at which an entry of the disclosure log (the log of fixes sent to apps) is removed.
  package var logRetention = Duration.seconds(400 * 86_400)

  package init() {}

  /// Returns the name of an app for users: the configured name, or the id.
  func name(of app: AppID) -> String { appNames[app] ?? app.name }
}

/// The result of a reload: a new configuration without an error.
package struct Reconfiguration: Sendable {
  package var policy: Policy
  /// The function that passes the new configuration to the listeners. The gateway calls this function after all checks,
  /// because the function cannot fail.
  package var putInForce: @Sendable () -> Void
  /// The check that a connected client may still act as its app under the new configuration.
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
