import Authorization
import LineProtocol
import Ports

/// The configuration in use: the policy (the rules that owners set), and the check that a client may act as an app.
struct CurrentConfiguration {
  private(set) var policy: Policy
  /// The configuration keys that take effect only at the next start of the daemon.
  private(set) var waiting: [String] = []
  /// Whether the last reload found an error in the configuration file. The former configuration stays in use.
  private var isRejected = false
  /// Whether the screen of a simulated board shows the texts of prompts (questions to the person at the button).
  var isPanelDrawn = false
  /// The check that a client may act as its app; nil until the first reload of the configuration. Without this check,
  /// every client that has authenticated may act as its app.
  private var admits: (@Sendable (Identity, Peer, Transport) -> Bool)?
  /// The apps of outputs (such as MQTT brokers) that a reload has ended. An output begins again only at the next start
  /// of the daemon.
  private var endedOutputs: Set<AppID> = []

  init(_ policy: Policy) { self.policy = policy }

  /// Whether the person at the button can read the text of an open prompt (a question to the user about an app).
  var showsPrompts: Bool { policy.hasPromptDisplay || isPanelDrawn }

  /// Replaces the policy and the check of clients after a reload of the configuration.
  /// - Returns: The configuration keys that take effect only at the next start of the daemon.
  mutating func apply(_ new: Reconfiguration) -> [String] {
    policy = new.policy
    admits = new.admits
    let isOutputEnded = endedOutputs.contains { new.policy.authorization.newAppAccuracy[$0] != nil }
    waiting = isOutputEnded ? Set(new.waiting + ["app"]).sorted() : new.waiting
    isRejected = false
    return waiting
  }

  /// Records that a reload ended the output of an app.
  mutating func noteEndedOutput(of app: AppID) { endedOutputs.insert(app) }

  /// Records that the configuration file has an error. The former configuration stays in use.
  mutating func reject() { isRejected = true }

  /// The text for owners (administrators) about the last reload of the configuration; nil if the whole configuration is
  /// in use.
  var note: String? {
    if isRejected { return "the configuration on the disk has an error: the former configuration stays in force" }
    return waiting.isEmpty ? nil : "from the next start on: \(waiting.joined(separator: ", "))"
  }

  /// Returns the error for a client that may no longer act as its app; nil if the client may act as its app. The cause
  /// is a revoked key, or a configuration that excludes the client.
  func refusal(of identity: Identity, _ connection: any ClientConnection, _ keyring: Keyring) -> LineError? {
    guard keyring.holds(identity) else { return Self.revoked }
    return admits?(identity, connection.peer, connection.transport) ?? true ? nil : Self.disowned
  }

  static let revoked = LineError(.authFailed, "the key was revoked")
  static let disowned = LineError(.authFailed, "the configuration no longer allows this client to be the app")
}
