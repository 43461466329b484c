import LineProtocol
import Ports
import RecordingClients
import Testing

@testable import Gateway

@Suite struct OwnerConnectionsTests {
  private let record = Record()
  private let first: RecordingConnection
  private let second: RecordingConnection

  init() {
    (first, second) = (record.connection(1, role: .owner), record.connection(2, role: .owner))
  }

  /// The connections of two owners; the first owner has subscribed to a filter.
  private func owners(_ filter: String? = nil) throws -> OwnerConnections {
    var owners = OwnerConnections()
    for owner in [second, first] { owners.open(owner) }
    if let filter { try owners.subscribe(first, TopicFilter(filter), sid: "s") }
    return owners
  }

  @Test func `a message goes to the owners that subscribed to its topic, until they leave`() throws {
    var owners = try owners("owner/apps")
    #expect(record.lines { _ in owners.notify(.ownerApps, "{}") } == ["send 1 MSG owner/apps s {}"])
    #expect(record.lines { _ in owners.notify(.ownerLog, "{}") } == [])
    try owners.subscribe(second, TopicFilter("#"), sid: "t")
    #expect(
      record.lines { _ in owners.notify(.ownerApps, "{}") } == [
        "send 1 MSG owner/apps s {}", "send 2 MSG owner/apps t {}",
      ])
    owners.close(first)
    #expect(record.lines { _ in owners.notify(.ownerApps, "{}") } == ["send 2 MSG owner/apps t {}"])
    #expect(owners.count == 1)
  }

  @Test func `a subscription ends at once, or after a number of messages`() throws {
    var owners = try owners("#")
    try owners.unsubscribe(first, sid: "s", after: 1)
    #expect(record.lines { _ in owners.notify(.ownerApps, "{}") }.count == 1)
    #expect(record.lines { _ in owners.notify(.ownerApps, "{}") } == [])
    #expect(throws: LineError.self) { try owners.unsubscribe(first, sid: "s", after: nil) }
  }

  @Test func `a notification waits for the next owner who subscribes, and is sent once`() throws {
    var owners = try owners()
    #expect(record.lines { owners.notifyOrKeep("1", &$0) } == [])
    #expect(record.lines { owners.notifyOrKeep("2", &$0) } == [])
    try owners.subscribe(first, TopicFilter("owner/notification"), sid: "s")
    #expect(
      record.lines { _ in owners.sendKept(to: first, sid: "s") }
        == ["send 1 MSG owner/notification s ret=1 1", "send 1 MSG owner/notification s ret=1 2"])
    #expect(record.lines { _ in owners.sendKept(to: first, sid: "s") } == [])
    #expect(record.lines { owners.notifyOrKeep("3", &$0) } == ["send 1 MSG owner/notification s 3"])
    #expect(record.lines { _ in owners.sendKept(to: first, sid: "s") } == [])
  }

  @Test func `the newest twenty notifications are kept, and each that is dropped is counted`() throws {
    var owners = try owners()
    for number in 1...OwnerConnections.mostKept {
      #expect(record.lines { owners.notifyOrKeep("\(number)", &$0) } == [])
    }
    #expect(record.lines { owners.notifyOrKeep("last", &$0) } == ["count droppedNotifications"])
    let kept = record.lines { _ in owners.sendKept(to: first, sid: "s") }
    #expect(kept.count == 20 && kept.first?.hasSuffix(" 2") == true && kept.last?.hasSuffix(" last") == true)
  }

  @Test func `owners are notified of a prompt again when a press or a hold answers it differently`() throws {
    var owners = try owners("owner/prompt")
    #expect(owners.showsPrompts)
    // A prompt that opens is shown by the prompt itself.
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}")]) } == [])
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}"), 2: ([], "{2}")]) } == [])
    #expect(
      record.lines { _ in owners.show([1: (["no"], "{1}"), 2: (["yes"], "{2}")]) }
        == ["send 1 MSG owner/prompt s {1}", "send 1 MSG owner/prompt s {2}"])
    #expect(record.lines { _ in owners.show([:]) } == [])
    #expect(record.lines { _ in owners.show([1: (["yes"], "{1}")]) } == [])
    owners.close(first)
    #expect(!owners.showsPrompts)
  }

  @Test func `an app that gets or loses the mark of a button is found once`() {
    var owners = OwnerConnections()
    #expect(owners.noteMarks([a: ["main"], b: ["aft"]], revision: 1) == [a, b] && owners.marksRevision == 1)
    #expect(owners.noteMarks([a: ["main"], b: ["aft"]], revision: 2) == [])
    #expect(owners.noteMarks([a: ["main", "aft"]], revision: 3) == [a, b])
  }

  @Test func `a connection that is no owner has no subscriptions`() throws {
    var owners = OwnerConnections()
    try owners.subscribe(first, TopicFilter("#"), sid: "s")
    #expect(record.lines { _ in owners.notify(.ownerApps, "{}") } == [])
  }
}
