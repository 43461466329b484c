import Base
import LineProtocol
import OperatingSystem
import Ports
import Synchronization

/// The connection of one app through an MQTT broker, as the gateway sees the app. The object receives protocol lines
/// and fixes from the gateway, and publishes them at the broker.
///
/// While the broker is disconnected, the object stores the newest message of each state, and the errors of requests.
/// Results of button presses are dropped, because such results are soon out of date.
final class BridgeConnection: ClientConnection, OutputSink {
  /// The maximum count of stored error messages. A further message replaces the oldest one.
  private static let mostErrors = 16

  private struct Kept {
    /// The newest message about each state of the gateway. The key is the MQTT topic.
    var states: [String: Announcement] = [:]
    /// The accuracy of the positions that the app may receive; nil until the gateway has reported this accuracy.
    var accuracy: FixAccuracy?
    /// Whether the app has received the name of a place (a region that the owner has named). Only then the client
    /// publishes on the topic for names, because the broker may forbid this topic.
    ///
    /// The value is nil until the broker has received the first fix, because the broker may still have a name of an
    /// earlier run. The first fix with a position removes this name.
    var hasHadNames: Bool?
    /// The error messages that wait for a connection to the broker, oldest first.
    var errors: [Announcement] = []
  }

  let number = IDGenerator.connections.next()
  let role = ClientRole.app
  let transport = Transport.mqtt
  let peer: Peer
  var sink: (any OutputSink)? { self }
  let isFull = false
  let form: any PublicationForm
  private let topics: BridgeTopics
  private let client: Broker
  private let integrations: Reloadable<Integrations>
  private let statusPublishers: StatusPublishers
  private let kept = Mutex(Kept())

  init(
    _ client: Broker, _ topics: BridgeTopics, _ form: any PublicationForm, _ integrations: Reloadable<Integrations>,
    _ statusPublishers: StatusPublishers
  ) {
    self.client = client
    peer = .output(client.settings.address)
    self.topics = topics
    self.form = form
    self.integrations = integrations
    self.statusPublishers = statusPublishers
  }

  // MARK: Lines

  func send(_ line: ServerLine) {
    guard let announcement = topics.announcement(of: line) else { return }
    if announcement.topic == topics.authorization {
      let accuracy = JSONValue(announcement.payload)?["accuracy"]?.string.flatMap { FixAccuracy(rawValue: $0) }
      let isChanged = kept.withLock { kept in
        defer { kept.accuracy = accuracy }
        if accuracy == .place { kept.hasHadNames = true }
        return kept.accuracy != accuracy
      }
      if isChanged { publishDiscovery() }
    }
    kept.withLock { kept in
      if announcement.isRetained { kept.states[announcement.topic] = announcement }
      guard !client.publish(announcement), announcement.topic == topics.error else { return }
      kept.errors = kept.errors.suffix(Self.mostErrors - 1) + [announcement]
    }
  }

  func send(once message: ServerLine.Message, until: MonotonicInstant) {
    preconditionFailure("the fix of a bridge goes to its broker through the outbox")
  }

  func send(update line: UpdateLine) { preconditionFailure("a bridge has no updates") }

  /// Publishes an error, and removes the app's retained messages from the broker. The gateway calls this function when
  /// the app may no longer use this connection.
  func refuse(_ error: LineError, tag: String?) {
    send(.error(error, tag: tag, [:]))
    let integrations = integrations.value
    for topic in integrations.discovery(.full).filter(\.isRetained).map(\.topic) + topics.states {
      _ = client.publish(Announcement(topic, "", isRetained: true))
    }
    // Other bridges may still publish the gateway's status on the same topic. The will of an integration has its own
    // topic.
    client.stop(isStatusKept: statusPublishers.leave(topics.app) && integrations.will == nil)
  }

  // MARK: States

  /// Publishes the descriptions of the app for other programs, for example for Home Assistant.
  func publishDiscovery() {
    // The descriptions for the accuracy `place` change nothing that the accuracy, once known, does not change back.
    let (accuracy, hasHadNames) = kept.withLock { ($0.accuracy ?? .place, $0.hasHadNames) }
    let integrations = integrations.value
    for topic in integrations.removed { _ = client.publish(Announcement(topic, "", isRetained: true)) }
    for (topic, payload, isRetained) in integrations.discovery(accuracy)
    where topic != topics.place || hasHadNames == true {
      _ = client.publish(Announcement(topic, payload, isRetained: isRetained, isVerified: isRetained))
    }
  }

  /// Publishes the descriptions, the present states and the stored errors to a broker that has just connected.
  func resynchronize() {
    publishDiscovery()
    kept.withLock { kept in
      for state in kept.states.values.sorted(by: { $0.topic < $1.topic }) { _ = client.publish(state) }
      kept.errors.removeAll { client.publish($0) }
    }
  }

  // MARK: Disclosures

  var isConnected: Bool { client.isConnected }

  func publish(_ publication: Publication, until: MonotonicInstant) {
    let isName = publication.messages.contains { $0.topic == topics.place }
    let isAfterName = kept.withLock { kept in
      if isName { kept.hasHadNames = true }
      return kept.hasHadNames != false
    }
    // The client sends announcements before the publication. So the acknowledgement of the publication proves that the
    // removal was sent.
    if isAfterName, !isName { removeName() }
    client.publish(publication, until: until)
  }

  /// Records that the broker has received a fix. The fix was sent after the removal of an earlier name of a place, so
  /// the broker no longer has such a name.
  func noteAcknowledged() {
    kept.withLock { kept in
      if kept.hasHadNames == nil { kept.hasHadNames = false }
    }
  }

  /// Tells other programs to forget the name of a place, because a program would show the name instead of the new
  /// position. An app with full accuracy can have a name, too, because a request can ask for the name only.
  private func removeName() {
    for (topic, payload, isRetained) in integrations.value.discovery(.full) where topic == topics.place {
      _ = client.publish(Announcement(topic, payload, isRetained: isRetained))
    }
  }

  func recall(_ kinds: FixKinds) { client.recall() }

  func report(_ crossing: RegionCrossing, until: MonotonicInstant) {
    guard let (topic, payload) = integrations.value.crossing?(crossing), SystemClock.monotonic < until else { return }
    _ = client.publish(Announcement(topic, payload, until: until))
  }
}
