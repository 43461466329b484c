import LineProtocol
import Ports
import RecordingClients
import Testing

@testable import Gateway

@Suite struct OwnerDeskTests {
  private let first = RecordingConnection(1, role: .owner)
  private let second = RecordingConnection(2, role: .owner)

  /// A desk with two owners; the first one has subscribed to a filter.
  private func desk(_ filter: String? = nil) throws -> OwnerDesk {
    var desk = OwnerDesk()
    for owner in [second, first] { _ = desk.handle(.open(owner)) }
    if let filter { try desk.subscribe(first, TopicFilter(filter), sid: "s") }
    return desk
  }

  @Test func `a message goes to the owners that subscribed to its topic, until they leave`() throws {
    var desk = try desk("owner/apps")
    #expect(desk.handle(.notify(.ownerApps, "{}")).lines == ["send 1 MSG owner/apps s {}"])
    #expect(desk.handle(.notify(.ownerLog, "{}")).lines == [])
    try desk.subscribe(second, TopicFilter("#"), sid: "t")
    #expect(
      desk.handle(.notify(.ownerApps, "{}")).lines == ["send 1 MSG owner/apps s {}", "send 2 MSG owner/apps t {}"])
    _ = desk.handle(.close(first))
    #expect(desk.handle(.notify(.ownerApps, "{}")).lines == ["send 2 MSG owner/apps t {}"])
    #expect(desk.count == 1 && !desk.contains(first) && desk.contains(second))
  }

  @Test func `a subscription ends at once, or after a number of messages`() throws {
    var desk = try desk("#")
    try desk.unsubscribe(first, sid: "s", after: 1)
    #expect(desk.handle(.notify(.ownerApps, "{}")).lines.count == 1)
    #expect(desk.handle(.notify(.ownerApps, "{}")).lines == [])
    #expect(throws: LineError.self) { try desk.unsubscribe(first, sid: "s", after: nil) }
  }

  @Test func `a notification waits for the next owner who subscribes, and is sent once`() throws {
    var desk = try desk()
    #expect(desk.handle(.notifyOrKeep("1")).lines == [])
    #expect(desk.handle(.notifyOrKeep("2")).lines == [])
    try desk.subscribe(first, TopicFilter("owner/notification"), sid: "s")
    #expect(
      desk.handle(.sendKept(first, sid: "s")).lines
        == ["send 1 MSG owner/notification s ret=1 1", "send 1 MSG owner/notification s ret=1 2"])
    #expect(desk.handle(.sendKept(first, sid: "s")).lines == [])
    #expect(desk.handle(.notifyOrKeep("3")).lines == ["send 1 MSG owner/notification s 3"])
    #expect(desk.handle(.sendKept(first, sid: "s")).lines == [])
  }

  @Test func `the newest twenty notifications are kept, and each that is dropped is counted`() throws {
    var desk = try desk()
    for number in 1...OwnerDesk.mostKept { #expect(desk.handle(.notifyOrKeep("\(number)")).lines == []) }
    #expect(desk.handle(.notifyOrKeep("last")).lines == ["count droppedNotification"])
    let kept = desk.handle(.sendKept(first, sid: "s")).lines
    #expect(kept.count == 20 && kept.first?.hasSuffix(" 2") == true && kept.last?.hasSuffix(" last") == true)
  }

  @Test func `owners are notified of a prompt again when a press or a hold answers it differently`() throws {
    var desk = try desk("owner/prompt")
    #expect(desk.showsPrompts)
    // A prompt that opens is shown by the prompt itself.
    #expect(desk.handle(.prompts([1: (["yes"], "{1}")])).lines == [])
    #expect(desk.handle(.prompts([1: (["yes"], "{1}"), 2: ([], "{2}")])).lines == [])
    #expect(
      desk.handle(.prompts([1: (["no"], "{1}"), 2: (["yes"], "{2}")])).lines
        == ["send 1 MSG owner/prompt s {1}", "send 1 MSG owner/prompt s {2}"])
    #expect(desk.handle(.prompts([:])).lines == [])
    #expect(desk.handle(.prompts([1: (["yes"], "{1}")])).lines == [])
    _ = desk.handle(.close(first))
    #expect(!desk.showsPrompts)
  }

  @Test func `a connection that is no owner has no subscriptions`() throws {
    var desk = OwnerDesk()
    try desk.subscribe(first, TopicFilter("#"), sid: "s")
    #expect(desk.handle(.notify(.ownerApps, "{}")).lines == [])
  }
}
