import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

private let secret = [UInt8](#"{"lat":47.376888,"lon":8.541694}"#.utf8)

func mqtt(_ app: AppID = ferry, late: Bool = false) -> DisclosureEntry {
  DisclosureEntry(app: app, accuracy: .full, right: .once, transport: "mqtt", isSimulated: true, isLate: late)
}

/// Keeps a fix in the outbox for a minute, and returns its number.
@discardableResult
func keep(_ store: StateStore, _ app: AppID = ferry, at seconds: Int64 = 0) throws -> Int64 {
  let fix = try store.keep(
    OutboxFix(sink: "mqtt://broker \(app)", expires: clock(seconds + 60).utc, bytes: secret), as: mqtt(app),
    record: served(app, seconds), now: clock(seconds))
  #expect(try store.waitingFixes().last == fix)
  return fix.number
}

extension StoreTests {
  @Test func `a fix in the outbox survives a restart with its entry open, and its bytes are not in any file`() throws {
    #expect(try keep(store) == 1)
    #expect(directory.read("onefix.sqlite-wal")?.firstRange(of: secret) == nil)
    store.close()
    #expect(directory.read("onefix.sqlite")?.firstRange(of: secret) == nil)
    let again = try directory.open(clock(9))
    #expect(again.lostDisclosures == [])
    let fix = try #require(try again.waitingFixes().first)
    #expect((fix.number, fix.disclosure, fix.app, fix.sink) == (1, 1, ferry, "mqtt://broker ferry"))
    #expect((fix.accuracy, fix.right, fix.isSimulated, fix.expires) == (.full, .once, true, clock(60).utc))
    #expect(try again.content(of: fix) == secret)
    #expect(try again.entries(limit: 10).map(\.event) == [.disclosure(mqtt())])
  }

  @Test(arguments: [DisclosureOutcome.acknowledged, .expired, .erased, .refused, .lost])
  func `the outcome of a fix is written once, when the fix is erased`(outcome: DisclosureOutcome) throws {
    try keep(store)
    let other = try keep(store, harbour, at: 1)
    let fix = try #require(try store.waitingFixes().first)
    try store.settle(fix, outcome, now: clock(2))
    try store.settle(fix, .sent, now: clock(3))
    #expect(try store.waitingFixes().map(\.number) == [other])
    #expect(throws: StoreError.self) { _ = try store.content(of: fix) }
    #expect(
      try store.entries(limit: 10).map(\.event)
        == [.disclosure(mqtt()), .disclosure(mqtt(harbour)), .outcome(outcome, of: 1)])
    #expect(try store.verifyLog().isGood)
  }

  @Test func `a late fix has a late entry and keeps its number`() throws {
    try keep(store)
    let late = try store.postpone(try #require(try store.waitingFixes().first), now: clock(5))
    #expect(try store.waitingFixes() == [late])
    #expect((late.number, late.disclosure) == (1, 3))
    #expect(try store.content(of: late) == secret)
    try store.settle(late, .acknowledged, now: clock(6))
    #expect(
      try store.entries(limit: 10).map(\.event) == [
        .disclosure(mqtt()), .outcome(.postponed, of: 1), .disclosure(mqtt(late: true)), .outcome(.acknowledged, of: 3),
      ])
    #expect(try store.waitingFixes() == [])
  }

  @Test(
    arguments: [
      "UPDATE outbox SET app = 'other'", "UPDATE outbox SET bridge = 'mqtt://elsewhere ferry'",
      "UPDATE outbox SET expires = expires + 1", "UPDATE outbox SET accuracy = 'reduced'",
      "UPDATE outbox SET \"right\" = 'always'", "UPDATE outbox SET simulated = 0", "UPDATE outbox SET mark = 'a'",
      "UPDATE outbox SET sealed = x'00'",
    ] as [StaticString])
  func `a fix with a changed column cannot be read`(change: StaticString) throws {
    try keep(store)
    try store.execute(change)
    let fix = try #require(try store.waitingFixes().first)
    #expect(try #require(throws: StoreError.self) { _ = try store.content(of: fix) }.kind == .sealBroken)
    try store.execute("DELETE FROM outbox")
    let error = try #require(throws: StoreError.self) { _ = try store.content(of: fix) }
    #expect(error.kind == .sealBroken && error.operation == "open fix \(fix.number) in the outbox of", "\(error)")
  }
}
