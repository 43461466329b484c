import Base
import LineProtocol
import Logging
import Ports
import RecordingClients
import Synchronization
import Testing

@testable import Features

/// The names of places, which a program shows until a message removes them.
@Suite struct BridgeTests {
  @Test func `each position after a name removes the name, as does each after a start until a broker has received one`()
    throws
  {
    let topics = BridgeTopics(gateway: "boat", app: "peer")
    var integrations = Integrations()
    integrations.discovery = { _ in [(topics.place, "no place", false)] }
    let broker = try Broker(
      BrokerSettings(host: "127.0.0.1", port: 1, clientID: "test"),
      greeting: { Broker.Greeting(offline: Announcement("boat/status", "offline")) }, filters: { [] },
      logger: RecordingLog(.warning).logger)
    let form = BridgeForm(broker: "b", topics: topics, expires: .seconds(60))
    let connection = BridgeConnection(broker, topics, form, Reloadable(integrations), StatusPublishers())
    broker.state.withLock { $0.connect(with: .five, at: MonotonicInstant(nanoseconds: 0)) }
    /// Publishes a fix with these messages, and returns the number of removals so far.
    func removals(after messages: String...) -> Int {
      let messages = messages.map { Publication.Message(topic: $0, payload: []) }
      let fix = Publication(number: 1, messages: messages, life: .seconds(60))
      connection.publish(fix, until: MonotonicInstant(nanoseconds: .max))
      return broker.state.withLock(\.waiting).count { $0.topic == topics.place }
    }
    // An app may have received a name before the start.
    let first = [removals(after: topics.fix), removals(after: topics.fix)]
    connection.noteAcknowledged()
    let later = [
      removals(after: topics.fix), removals(after: topics.fix, topics.place), removals(after: topics.fix),
      removals(after: topics.fix),
    ]
    #expect(first == [1, 2] && later == [2, 2, 3, 4])
  }
}
