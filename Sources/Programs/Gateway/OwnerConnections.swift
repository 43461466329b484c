import Authorization
import Base
import LineProtocol
import Ports

/// The connections of owners, with their subscriptions, and the messages to owners.
struct OwnerConnections {
  private struct Owner {
    let connection: any ClientConnection
    var subscriptions = Subscriptions()
    /// The latest frame of the display that this client drives; nil if the client drives no display.
    var frame: DisplayedFrame?
  }

  /// The maximum number of stored notifications. A further notification replaces the oldest one.
  static let mostKept = 20

  private var owners: [UInt64: Owner] = [:]
  /// The notifications that wait for a subscribed owner, as JSON, oldest first.
  private var kept: [String] = []
  /// The texts that owners received last about the effects of a press and of a hold, by the number of the prompt.
  private var ways: [Int: [String]] = [:]
  /// For each app, the buttons whose mark the app had when the owners last received a message about marks.
  private var marks: [AppID: [String]] = [:]
  /// The revision of the authorization at that time.
  private(set) var marksRevision: UInt64 = 0

  mutating func open(_ connection: any ClientConnection) { owners[connection.number] = Owner(connection: connection) }

  mutating func close(_ connection: any ClientConnection) { owners[connection.number] = nil }

  // MARK: Messages

  /// Sends a message to each owner with a subscription to its topic.
  mutating func notify(_ topic: Topic, _ json: String) {
    for number in owners.keys.sorted() {
      for sid in owners[number]?.subscriptions.consume(topic) ?? [] {
        owners[number]?.connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
      }
    }
  }

  /// Sends a notification. If no owner subscribes to notifications, stores the notification for the next subscription.
  mutating func notifyOrKeep(_ json: String, _ outputs: inout Outputs) {
    if showsNotifications { return notify(.ownerNotification, json) }
    kept.append(json)
    guard kept.count > Self.mostKept else { return }
    kept.removeFirst()
    outputs.count(.droppedNotifications)
  }

  /// Sends the stored notifications to the connection of a new subscription.
  mutating func sendKept(to connection: any ClientConnection, sid: String) {
    for json in kept {
      connection.send(
        .message(.init(topic: Topic.ownerNotification.rawValue, sid: sid, isRetained: true, json: json)))
    }
    kept = []
  }

  /// Notifies the owners of the open prompts that a press or a hold now answers in another way.
  /// - Parameter prompts: The open prompts by number: the JSON, and texts about the current effects of a press and of a
  ///   hold.
  mutating func show(_ prompts: [Int: (ways: [String], json: String)]) {
    let former = ways
    ways = prompts.mapValues(\.ways)
    for (id, prompt) in prompts.sorted(by: { $0.key < $1.key }) where former[id].map({ $0 != prompt.ways }) ?? false {
      notify(.ownerPrompt, prompt.json)
    }
  }

  /// Notes for each app the buttons whose mark the app has.
  /// - Returns: The apps that got or lost a mark, sorted.
  mutating func noteMarks(_ present: [AppID: [String]], revision: UInt64) -> [AppID] {
    let former = marks
    (marks, marksRevision) = (present, revision)
    return Set(former.keys).union(present.keys).filter { former[$0] != present[$0] }.sorted()
  }

  // MARK: Subscriptions

  mutating func subscribe(_ connection: any ClientConnection, _ filter: TopicFilter, sid: String) throws(LineError) {
    try owners[connection.number]?.subscriptions.add(filter, sid: sid, qos: 0)
  }

  mutating func unsubscribe(_ connection: any ClientConnection, sid: String, after: Int?) throws(LineError) {
    try owners[connection.number]?.subscriptions.remove(sid: sid, after: after)
  }

  // MARK: The display

  /// Notes a frame of the display that the client of this connection drives.
  mutating func note(_ frame: DisplayedFrame, on connection: any ClientConnection) {
    owners[connection.number]?.frame = frame
  }

  /// Returns whether a display acknowledged a frame within the lifetime of a frame.
  func hasDisplay(at now: MonotonicInstant) -> Bool { owners.values.contains { $0.frame?.isFresh(at: now) == true } }

  /// Returns whether a display has shown the whole text of a prompt, and still shows the text.
  func displays(_ prompt: Prompt, at now: MonotonicInstant) -> Bool {
    owners.values.contains { $0.frame?.prompt == prompt.id && $0.frame?.isFresh(at: now) == true }
  }

  // MARK: State

  var count: Int { owners.count }

  /// Whether an owner subscribes to prompts.
  var showsPrompts: Bool { owners.values.contains { $0.subscriptions.contains(.ownerPrompt) } }

  private var showsNotifications: Bool { owners.values.contains { $0.subscriptions.contains(.ownerNotification) } }
}
