import LineProtocol
import Ports

/// The policy in force, and the rules for clients from the latest configuration.
struct CurrentConfiguration {
  private(set) var policy: Policy
  /// The words of the status line about the configuration that was read last; nil if all of it is in force.
  private(set) var note: String?
  /// Whether the panel of a simulated board shows the texts of prompts.
  var isPanelDrawn = false
  /// Decides whether a client may act as its app. Nil until the configuration is read again.
  private var admits: (@Sendable (Identity, Peer, Transport) -> Bool)?

  init(_ policy: Policy) { self.policy = policy }

  /// Whether the person at the button can read the text of an open prompt.
  var showsPrompts: Bool { policy.hasPromptDisplay || isPanelDrawn }

  /// Notes that a new configuration is in force.
  mutating func apply(_ new: Reconfiguration) {
    policy = new.policy
    admits = new.admits
    note = new.waiting.isEmpty ? nil : "from the next start on: \(new.waiting.joined(separator: ", "))"
  }

  /// Notes that the configuration on the disk has an error, and is not in force.
  mutating func reject() {
    note = "the configuration on the disk has an error: the former configuration stays in force"
  }

  /// Returns the reason why a client may no longer act as an app. For example, its key was revoked, or the app was
  /// removed from the configuration.
  func refusal(of identity: Identity, _ connection: any ClientConnection, _ keyring: Keyring) -> LineError? {
    guard keyring.holds(identity) else { return Self.revoked }
    return admits?(identity, connection.peer, connection.transport) ?? true ? nil : Self.disowned
  }

  static let revoked = LineError(.authFailed, "the key was revoked")
  static let disowned = LineError(.authFailed, "the configuration no longer allows this client to be the app")
}
