import StateStore
import Testing

@testable import Gateway

@Suite struct LogUpkeepTests {
  @Test func `counts that could not be saved are saved by the next upkeep`() throws {
    var stores = try FailingStore()
    var upkeep = LogUpkeep()
    upkeep.count(AnswerKey(period: "2026-11-21", app: a, answer: "denied"))
    let failure = lines { upkeep.maintain(received: nil, .seconds(86_400), &stores.failingWriter, &$0) }
    #expect(!failure.isEmpty)
    #expect(try upkeep.answers(since: nil, in: stores.good).map(\.count) == [1])
    let success = lines { upkeep.maintain(received: nil, .seconds(86_400), &stores.goodWriter, &$0) }
    #expect(success == [])
    #expect(try stores.good.answers().map(\.count) == [1])
    #expect(try upkeep.answers(since: nil, in: stores.good).map(\.count) == [1])
  }

  @Test func `a wrong clock is logged once, and again after it was right`() throws {
    var stores = try FailingStore()
    var upkeep = LogUpkeep()
    let faults: [ClockFault?] = [.unset, .unset, nil, .unset, .differs]
    let counts = faults.map { fault in
      lines { upkeep.maintain(received: nil, clock: fault, .seconds(86_400), &stores.goodWriter, &$0) }
        .count { $0.contains("the clock of this machine is wrong") }
    }
    #expect(counts == [1, 0, 0, 1, 1])
  }
}
