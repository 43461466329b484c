import LineProtocol
import Base
import Ports
import RecordingClients
import Testing

@testable import Gateway

@Suite struct CurrentConfigurationTests {
  private func reconfiguration(_ policy: Policy = Policy(), waiting: [String] = [], admits: Set<AppID> = [])
    -> Reconfiguration
  {
    Reconfiguration(
      policy: policy, waiting: waiting, admits: { identity, _, _ in admits.contains(identity.app) }, putInForce: {})
  }

  @Test func `a configuration that was read again is in force, with a note of the keys that wait`() {
    var configuration = CurrentConfiguration(Policy { $0.language = .english })
    #expect(configuration.policy.language == .english && configuration.note == nil)
    configuration.apply(reconfiguration(Policy { $0.language = .german }, waiting: ["board", "state"]))
    #expect(configuration.policy.language == .german)
    #expect(configuration.note == "from the next start on: board, state")
    configuration.apply(reconfiguration())
    #expect(configuration.note == nil)
  }

  @Test func `a faulty configuration changes nothing but the note`() {
    var configuration = CurrentConfiguration(Policy { $0.language = .german })
    configuration.reject()
    #expect(configuration.policy.language == .german)
    #expect(configuration.note == "the configuration on the disk has an error: the former configuration stays in force")
    configuration.apply(reconfiguration())
    #expect(configuration.note == nil)
  }

  @Test func `a client may be its app while its key is valid and the configuration admits it`() {
    var configuration = CurrentConfiguration(Policy())
    let (keyring, connection) = (Keyring(), RecordingConnection())
    let (mine, others) = (Identity(a, by: .transport), Identity(b, by: .transport))
    #expect(configuration.refusal(of: mine, connection, keyring) == nil)
    #expect(configuration.refusal(of: Identity(a, by: .key(9)), connection, keyring) == CurrentConfiguration.revoked)
    configuration.apply(reconfiguration(admits: [a]))
    #expect(configuration.refusal(of: mine, connection, keyring) == nil)
    #expect(configuration.refusal(of: others, connection, keyring) == CurrentConfiguration.disowned)
  }
}
