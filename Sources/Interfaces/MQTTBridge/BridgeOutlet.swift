import Clocks
import LineProtocol
import LineServer
import Synchronization
import OperatingSystem

/// Turns what the gateway says into what is published.
///
/// While the broker is away, states keep the newest of each, what became of a request waits, and news of a press are
/// gone: they are news for a moment.
final class BridgeOutlet: Outlet {
  /// What became of requests that waits at most; then the oldest goes.
  private static let mostErrors = 16

  private struct Kept {
    var states: [String: Announcement] = [:]
    /// Nil until it is known.
    var isFullAccuracy: Bool?
    var errors: [Announcement] = []
  }

  let form: any PublicationForm
  private let topics: BridgeTopics
  private let broker: Broker
  private let programs: Live<Programs>
  private let keepers: StatusKeepers
  private let kept = Mutex(Kept())

  init(
    _ broker: Broker, _ topics: BridgeTopics, _ form: any PublicationForm, _ programs: Live<Programs>,
    _ keepers: StatusKeepers
  ) {
    self.broker = broker
    self.topics = topics
    self.form = form
    self.programs = programs
    self.keepers = keepers
  }

  var isThere: Bool { broker.isConnected }

  func send(_ line: ServerLine) {
    guard let announcement = topics.announcement(of: line) else { return }
    if announcement.topic == topics.authorization {
      let isFull = announcement.payload.contains(Array("\"accuracy\":\"full\"".utf8))
      let isNews = kept.withLock { kept in
        defer { kept.isFullAccuracy = isFull }
        return kept.isFullAccuracy != isFull
      }
      if isNews { discover() }
    }
    kept.withLock { kept in
      if announcement.isRetained { kept.states[announcement.topic] = announcement }
      guard !broker.say(announcement), announcement.topic == topics.error else { return }
      kept.errors = kept.errors.suffix(Self.mostErrors - 1) + [announcement]
    }
  }

  /// Tells programs at the broker of the app, as it is now.
  func discover() {
    let isFullAccuracy = kept.withLock { $0.isFullAccuracy ?? false }
    let programs = programs.value
    for topic in programs.removed { _ = broker.say(Announcement(topic, "", isRetained: true)) }
    for (topic, payload, isRetained) in programs.discovery(isFullAccuracy) {
      _ = broker.say(Announcement(topic, payload, isRetained: isRetained, isVerified: isRetained))
    }
  }

  /// The broker is there: it is told what is so, and what it missed.
  func catchUp() {
    discover()
    kept.withLock { kept in
      for state in kept.states.values.sorted(by: { $0.topic < $1.topic }) { _ = broker.say(state) }
      kept.errors.removeAll { broker.say($0) }
    }
  }

  func publish(_ publication: Publication, until: MonotonicInstant) { broker.publish(publication, until: until) }

  func recall() { broker.recall() }

  func tell(_ crossing: RegionCrossing, until: MonotonicInstant) {
    guard let (topic, payload) = programs.value.crossing?(crossing), SystemClock.monotonic < until else { return }
    _ = broker.say(Announcement(topic, payload))
  }

  /// The app is not this bridge's any more: nothing of it stays at the broker.
  func close() {
    let programs = programs.value
    for topic in programs.discovery(true).map(\.topic) + topics.states {
      _ = broker.say(Announcement(topic, "", isRetained: true))
    }
    // What a program of its own is told in place of the status, nobody else says.
    broker.stop(isStatusKept: keepers.leave(topics.app) && programs.will == nil)
  }
}
