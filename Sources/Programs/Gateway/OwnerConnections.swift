import Authorization
import Base
import LineProtocol
import Ports

/// The connections of owners (administrators of the gateway), with the subscriptions and the waiting notifications of
/// each connection.
struct OwnerConnections {
  private struct Owner {
    let connection: any ClientConnection
    var subscriptions = Subscriptions()
    /// The latest frame on the display that this client drives; nil if the client drives no display.
    var frame: DisplayedFrame?
  }

  /// The maximum count of stored notifications. At this count, a new notification replaces the oldest one.
  static let mostKept = 20

  private var owners: [UInt64: Owner] = [:]
  /// The notifications that wait until an owner (administrator) subscribes to notifications, as JSON, oldest first.
  private var kept: [String] = []
  /// The explanations of a press and of a hold of the button in the last message about each open prompt (a question to
  /// the user). The key is the identifier of the prompt.
  private var ways: [Int: [String]] = [:]
  /// The names of the buttons whose next press serves each app, as in the last message to the owners (administrators).
  /// The key is the app.
  private var marks: [AppID: [String]] = [:]
  /// The revision number of the authorizations from which `marks` was computed.
  private(set) var marksRevision: UInt64 = 0

  mutating func open(_ connection: any ClientConnection) { owners[connection.number] = Owner(connection: connection) }

  mutating func close(_ connection: any ClientConnection) { owners[connection.number] = nil }

  // MARK: Messages

  /// Sends a message to each owner that subscribes to the topic.
  mutating func notify(_ topic: Topic, _ json: String) {
    for number in owners.keys.sorted() {
      for sid in owners[number]?.subscriptions.consume(topic) ?? [] {
        owners[number]?.connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
      }
    }
  }

  /// Sends a notification to the owners (administrators) that subscribe to notifications, or stores the notification if
  /// no owner subscribes.
  mutating func notifyOrKeep(_ json: String, _ outputs: inout Outputs) {
    if showsNotifications { return notify(.ownerNotification, json) }
    kept.append(json)
    guard kept.count > Self.mostKept else { return }
    kept.removeFirst()
    outputs.count(.droppedNotifications)
  }

  /// Sends the stored notifications to a new subscription, and then removes them.
  mutating func sendKept(to connection: any ClientConnection, sid: String) {
    for json in kept {
      connection.send(
        .message(.init(topic: Topic.ownerNotification.rawValue, sid: sid, isRetained: true, json: json)))
    }
    kept = []
  }

  /// Sends an open prompt (a question to the user) to owners (administrators) again, if the effect of a press or of a
  /// hold (long press) has changed.
  /// - Parameter prompts: The open prompts, by identifier. `ways` has the texts about the effects of a press and of a
  ///   hold, and `json` is the message.
  mutating func show(_ prompts: [Int: (ways: [String], json: String)]) {
    let former = ways
    ways = prompts.mapValues(\.ways)
    for (id, prompt) in prompts.sorted(by: { $0.key < $1.key }) where former[id].map({ $0 != prompt.ways }) ?? false {
      notify(.ownerPrompt, prompt.json)
    }
  }

  /// Stores for each app the names of the buttons whose next press serves the app.
  /// - Returns: The apps whose buttons have changed, sorted.
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

  /// Stores the latest frame on the display that the client of this connection drives.
  mutating func note(_ frame: DisplayedFrame, on connection: any ClientConnection) {
    owners[connection.number]?.frame = frame
  }

  /// Returns whether a display has acknowledged a frame within the last second.
  func hasDisplay(at now: MonotonicInstant) -> Bool { owners.values.contains { $0.frame?.isFresh(at: now) == true } }

  /// Returns whether a display shows the whole text of a prompt (a question to the user) at this instant.
  func displays(_ prompt: Prompt, at now: MonotonicInstant) -> Bool {
    owners.values.contains { $0.frame?.prompt == prompt.id && $0.frame?.isFresh(at: now) == true }
  }

  // MARK: State

  var count: Int { owners.count }

  /// Whether an owner (administrator) subscribes to prompts (questions to the user).
  var showsPrompts: Bool { owners.values.contains { $0.subscriptions.contains(.ownerPrompt) } }

  private var showsNotifications: Bool { owners.values.contains { $0.subscriptions.contains(.ownerNotification) } }
}
