import StateStore
import Testing

@testable import Gateway

@Suite struct LogUpkeepTests {
  @Test func `counts that could not be saved are saved by the next upkeep`() throws {
    var stores = try FailingStore()
    var upkeep = LogUpkeep()
    upkeep.count(AnswerKey(day: "2026-11-21", app: a, answer: "denied"))
    let failure = upkeep.maintain(received: nil, .seconds(86_400), &stores.failingWriter).lines
    #expect(!failure.isEmpty)
    #expect(try upkeep.answers(since: nil, in: stores.good).map(\.count) == [1])
    let success = upkeep.maintain(received: nil, .seconds(86_400), &stores.goodWriter).lines
    #expect(success == [])
    #expect(try stores.good.answers().map(\.count) == [1])
    #expect(try upkeep.answers(since: nil, in: stores.good).map(\.count) == [1])
  }
}
