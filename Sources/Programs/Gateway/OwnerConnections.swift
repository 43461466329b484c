import Authorization
import LineProtocol
import Ports

/// The connections of owners and their messages.
struct OwnerConnections {
  enum Input {
    case open(any ClientConnection)
    case close(any ClientConnection)
    case notify(Topic, String)
    /// Sends a notification, or stores it for the next owner who subscribes.
    case notifyOrKeep(String)
    /// An owner subscribed to notifications, and now receives the stored notifications.
    case sendKept(any ClientConnection, sid: String)
    /// The open prompts by number: the JSON, and texts about the current effects of a press and of a hold.
    case prompts([Int: (ways: [String], json: String)])
  }

  private struct Owner {
    let connection: any ClientConnection
    var subscriptions = Subscriptions()
  }

  static let mostKept = 20

  private var owners: [UInt64: Owner] = [:]
  private var kept: [String] = []
  /// The texts that owners received last about the effects of a press and of a hold, by the number of the prompt.
  private var ways: [Int: [String]] = [:]

  mutating func handle(_ input: Input) -> [Action] {
    switch input {
    case .open(let connection): owners[connection.number] = Owner(connection: connection)
    case .close(let connection): owners[connection.number] = nil
    case .notify(let topic, let json): return notify(topic, json)
    case .notifyOrKeep(let json):
      if showsNotifications { return notify(.ownerNotification, json) }
      kept.append(json)
      guard kept.count > Self.mostKept else { break }
      kept.removeFirst()
      return [.count(.droppedNotification)]
    case .sendKept(let connection, let sid):
      defer { kept = [] }
      return kept.map {
        let message = ServerLine.Message(topic: Topic.ownerNotification.rawValue, sid: sid, isRetained: true, json: $0)
        return .send(.message(message), to: connection)
      }
    case .prompts(let prompts):
      let former = ways
      ways = prompts.mapValues(\.ways)
      return prompts.sorted { $0.key < $1.key }
        .filter { id, prompt in former[id].map { $0 != prompt.ways } ?? false }
        .flatMap { notify(.ownerPrompt, $1.json) }
    }
    return []
  }

  private mutating func notify(_ topic: Topic, _ json: String) -> [Action] {
    owners.keys.sorted().flatMap { number -> [Action] in
      guard let connection = owners[number]?.connection else { return [] }
      return (owners[number]?.subscriptions.consume(topic) ?? []).map {
        .send(.message(.init(topic: topic.rawValue, sid: $0, json: json)), to: connection)
      }
    }
  }

  // MARK: Subscriptions

  mutating func subscribe(_ connection: any ClientConnection, _ filter: TopicFilter, sid: String) throws(LineError) {
    try owners[connection.number]?.subscriptions.add(filter, sid: sid, qos: 0)
  }

  mutating func unsubscribe(_ connection: any ClientConnection, sid: String, after: Int?) throws(LineError) {
    try owners[connection.number]?.subscriptions.remove(sid: sid, after: after)
  }

  // MARK: State

  var count: Int { owners.count }

  var showsPrompts: Bool { owners.values.contains { $0.subscriptions.contains(.ownerPrompt) } }

  private var showsNotifications: Bool { owners.values.contains { $0.subscriptions.contains(.ownerNotification) } }
}
