import Authorization
import Base
import LineProtocol
import Ports

/// The connections of owners. Sends messages about prompts (questions to the user), apps and faults to the owners that
/// subscribe to them.
struct OwnerConnections {
  private struct Owner {
    let connection: any ClientConnection
    var subscriptions = Subscriptions()
    /// The latest frame of the display that this client drives; nil if the client drives no display.
    var frame: DisplayedFrame?
  }

  /// The maximum count of stored notifications. One more notification replaces the oldest one.
  static let mostKept = 20

  private var owners: [UInt64: Owner] = [:]
  /// The notifications that no owner has received yet, as JSON, oldest first.
  private var kept: [String] = []
  /// The last texts for owners about the effects of a press and of a hold of the button while a prompt (a question to
  /// the user) is open. The key is the identifier of the prompt.
  private var ways: [Int: [String]] = [:]
  /// For each app, the names of the buttons whose next press is for this app, as in the last message to the owners.
  private var marks: [AppID: [String]] = [:]
  /// The revision of the authorizations at the last message to the owners about buttons.
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

  /// Sends a notification to the owners. If no owner subscribes to notifications, stores it for the next subscription.
  mutating func notifyOrKeep(_ json: String, _ outputs: inout Outputs) {
    if showsNotifications { return notify(.ownerNotification, json) }
    kept.append(json)
    guard kept.count > Self.mostKept else { return }
    kept.removeFirst()
    outputs.count(.droppedNotifications)
  }

  /// Sends the stored notifications for a new subscription, and removes them.
  mutating func sendKept(to connection: any ClientConnection, sid: String) {
    for json in kept {
      connection.send(
        .message(.init(topic: Topic.ownerNotification.rawValue, sid: sid, isRetained: true, json: json)))
    }
    kept = []
  }

  /// Sends open prompts (questions to the user) to the owners again, if the effects of a press or of a hold have
  /// changed.
  /// - Parameter prompts: The open prompts, by identifier: the JSON, and the texts about the effects of a press and of
  ///   a hold of the button.
  mutating func show(_ prompts: [Int: (ways: [String], json: String)]) {
    let former = ways
    ways = prompts.mapValues(\.ways)
    for (id, prompt) in prompts.sorted(by: { $0.key < $1.key }) where former[id].map({ $0 != prompt.ways }) ?? false {
      notify(.ownerPrompt, prompt.json)
    }
  }

  /// Records which buttons are for which app: the next press of such a button is for this app.
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

  /// Records a frame that a display has acknowledged. The client of this connection drives the display.
  mutating func note(_ frame: DisplayedFrame, on connection: any ClientConnection) {
    owners[connection.number]?.frame = frame
  }

  /// Returns whether a display has acknowledged a frame within the last second.
  func hasDisplay(at now: MonotonicInstant) -> Bool { owners.values.contains { $0.frame?.isFresh(at: now) == true } }

  /// Returns whether a display shows the whole text of a prompt (a question to the user) now.
  func displays(_ prompt: Prompt, at now: MonotonicInstant) -> Bool {
    owners.values.contains { $0.frame?.prompt == prompt.id && $0.frame?.isFresh(at: now) == true }
  }

  // MARK: State

  var count: Int { owners.count }

  /// Whether an owner subscribes to prompts (questions to the user).
  var showsPrompts: Bool { owners.values.contains { $0.subscriptions.contains(.ownerPrompt) } }

  private var showsNotifications: Bool { owners.values.contains { $0.subscriptions.contains(.ownerNotification) } }
}
