import LineProtocol
import Ports
import RecordingClients
import Testing

@testable import Gateway

@Suite struct OwnerConnectionsTests {
  private let first = RecordingConnection(1, role: .owner)
  private let second = RecordingConnection(2, role: .owner)

  /// The connections of two owners; the first owner has subscribed to a filter.
  private func owners(_ filter: String? = nil) throws -> OwnerConnections {
    var owners = OwnerConnections()
    for owner in [second, first] { _ = owners.handle(.open(owner)) }
    if let filter { try owners.subscribe(first, TopicFilter(filter), sid: "s") }
    return owners
  }

  @Test func `a message goes to the owners that subscribed to its topic, until they leave`() throws {
    var owners = try owners("owner/apps")
    #expect(owners.handle(.notify(.ownerApps, "{}")).lines == ["send 1 MSG owner/apps s {}"])
    #expect(owners.handle(.notify(.ownerLog, "{}")).lines == [])
    try owners.subscribe(second, TopicFilter("#"), sid: "t")
    #expect(
      owners.handle(.notify(.ownerApps, "{}")).lines == ["send 1 MSG owner/apps s {}", "send 2 MSG owner/apps t {}"])
    _ = owners.handle(.close(first))
    #expect(owners.handle(.notify(.ownerApps, "{}")).lines == ["send 2 MSG owner/apps t {}"])
    #expect(owners.count == 1)
  }

  @Test func `a subscription ends at once, or after a number of messages`() throws {
    var owners = try owners("#")
    try owners.unsubscribe(first, sid: "s", after: 1)
    #expect(owners.handle(.notify(.ownerApps, "{}")).lines.count == 1)
    #expect(owners.handle(.notify(.ownerApps, "{}")).lines == [])
    #expect(throws: LineError.self) { try owners.unsubscribe(first, sid: "s", after: nil) }
  }

  @Test func `a notification waits for the next owner who subscribes, and is sent once`() throws {
    var owners = try owners()
    #expect(owners.handle(.notifyOrKeep("1")).lines == [])
    #expect(owners.handle(.notifyOrKeep("2")).lines == [])
    try owners.subscribe(first, TopicFilter("owner/notification"), sid: "s")
    #expect(
      owners.handle(.sendKept(first, sid: "s")).lines
        == ["send 1 MSG owner/notification s ret=1 1", "send 1 MSG owner/notification s ret=1 2"])
    #expect(owners.handle(.sendKept(first, sid: "s")).lines == [])
    #expect(owners.handle(.notifyOrKeep("3")).lines == ["send 1 MSG owner/notification s 3"])
    #expect(owners.handle(.sendKept(first, sid: "s")).lines == [])
  }

  @Test func `the newest twenty notifications are kept, and each that is dropped is counted`() throws {
    var owners = try owners()
    for number in 1...OwnerConnections.mostKept { #expect(owners.handle(.notifyOrKeep("\(number)")).lines == []) }
    #expect(owners.handle(.notifyOrKeep("last")).lines == ["count droppedNotification"])
    let kept = owners.handle(.sendKept(first, sid: "s")).lines
    #expect(kept.count == 20 && kept.first?.hasSuffix(" 2") == true && kept.last?.hasSuffix(" last") == true)
  }

  @Test func `owners are notified of a prompt again when a press or a hold answers it differently`() throws {
    var owners = try owners("owner/prompt")
    #expect(owners.showsPrompts)
    // A prompt that opens is shown by the prompt itself.
    #expect(owners.handle(.prompts([1: (["yes"], "{1}")])).lines == [])
    #expect(owners.handle(.prompts([1: (["yes"], "{1}"), 2: ([], "{2}")])).lines == [])
    #expect(
      owners.handle(.prompts([1: (["no"], "{1}"), 2: (["yes"], "{2}")])).lines
        == ["send 1 MSG owner/prompt s {1}", "send 1 MSG owner/prompt s {2}"])
    #expect(owners.handle(.prompts([:])).lines == [])
    #expect(owners.handle(.prompts([1: (["yes"], "{1}")])).lines == [])
    _ = owners.handle(.close(first))
    #expect(!owners.showsPrompts)
  }

  @Test func `a connection that is no owner has no subscriptions`() throws {
    var owners = OwnerConnections()
    try owners.subscribe(first, TopicFilter("#"), sid: "s")
    #expect(owners.handle(.notify(.ownerApps, "{}")).lines == [])
  }
}
