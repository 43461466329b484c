import LineProtocol
import Ports

/// The configuration that the gateway uses now: its policy (the rules that owners set), and the rule that decides
/// whether a client may act as an app.
struct CurrentConfiguration {
  private(set) var policy: Policy
  /// The text about the last reload of the configuration, for owners. Nil if the whole configuration is in use.
  private(set) var note: String?
  /// Whether the screen of a simulated board shows the texts of prompts (questions to the person at the button).
  var isPanelDrawn = false
  /// Returns whether a client may act as its app. Nil until the first reload of the configuration: then every client
  /// that has authenticated may.
  private var admits: (@Sendable (Identity, Peer, Transport) -> Bool)?

  init(_ policy: Policy) { self.policy = policy }

  /// Whether the person at the button can read the text of an open prompt (a question about an app).
  var showsPrompts: Bool { policy.hasPromptDisplay || isPanelDrawn }

  /// Uses a new configuration from now on.
  mutating func apply(_ new: Reconfiguration) {
    policy = new.policy
    admits = new.admits
    note = new.waiting.isEmpty ? nil : "from the next start on: \(new.waiting.joined(separator: ", "))"
  }

  /// Records that the configuration file has an error. The former configuration remains in use.
  mutating func reject() {
    note = "the configuration on the disk has an error: the former configuration stays in force"
  }

  /// Returns the error for a client that may no longer act as its app; nil if the client still may. Reasons are a
  /// revoked key, or a configuration without the app.
  func refusal(of identity: Identity, _ connection: any ClientConnection, _ keyring: Keyring) -> LineError? {
    guard keyring.holds(identity) else { return Self.revoked }
    return admits?(identity, connection.peer, connection.transport) ?? true ? nil : Self.disowned
  }

  static let revoked = LineError(.authFailed, "the key was revoked")
  static let disowned = LineError(.authFailed, "the configuration no longer allows this client to be the app")
}
