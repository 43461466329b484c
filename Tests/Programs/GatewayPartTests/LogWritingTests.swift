import Authorization
import Base
import LineProtocol
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

/// A writer whose writes fail, and a writer with a good store.
struct FailingStore {
  private let directory: TemporaryDirectory
  let good: StateStore
  var goodWriter: StoreWriter
  var failingWriter: StoreWriter

  init() throws {
    let directory = try TemporaryDirectory()
    self.directory = directory
    let key = try #require(DeviceKey(bytes: [UInt8](repeating: 7, count: DeviceKey.byteCount)))
    func store(_ name: String) throws -> StateStore {
      try StateStore(
        directory: directory.path(name), key: key, anchor: directory.path("anchor of \(name)"), now: clock())
    }
    good = try store("good")
    goodWriter = StoreWriter(good) { clock() }
    let closed = try store("closed")
    closed.close()
    failingWriter = StoreWriter(closed) { clock() }
  }
}

/// The changes that could not be written are written when the store works again.
@Suite struct PendingChangesTests {
  private func fix(in store: StateStore) throws -> OutboxEntry {
    let entry = DisclosureEntry(app: a, accuracy: .full, right: .always, transport: "mqtt", isSimulated: true)
    let fix = OutboxFix(sink: "mqtt://x", expires: clock(.seconds(60)).utc, bytes: [1])
    return try store.keep(fix, as: entry, record: AppRecord(app: a, status: .always), now: clock())
  }

  @Test func `rights, the lock and answers that could not be written are written before a disclosure`() throws {
    var stores = try FailingStore()
    var pending = PendingChanges()
    let answer = AnswerEntry(
      app: a, prompt: .authorize, choice: .whileUsing, accuracy: nil, purpose: nil, language: nil, way: .button)
    #expect(throws: StoreError.self) { try pending.save([AppRecord(app: a, status: .denied)], &stores.failingWriter) }
    #expect(throws: StoreError.self) { try pending.saveLock(true, &stores.failingWriter) }
    #expect(throws: StoreError.self) { try pending.add(.answer(answer), of: answer.app, &stores.failingWriter) }
    #expect(pending.count == 3)
    try pending.saveAll(except: nil, &stores.goodWriter)
    #expect(pending.count == 0)
    let state = try stores.good.load(now: clock())
    #expect(state.apps.map(\.status) == [.denied] && state.isLocked)
    #expect(try stores.good.entries(limit: 9).map(\.event) == [.answer(answer)])
  }

  @Test func `a right is not written before the answer that gave it, and a denial does not wait for an answer`() throws
  {
    var stores = try FailingStore()
    var pending = PendingChanges()
    let answer = AnswerEntry(
      app: a, prompt: .authorize, choice: .whileUsing, accuracy: nil, purpose: nil, language: nil, way: .button)
    #expect(throws: StoreError.self) { try pending.add(.answer(answer), of: answer.app, &stores.failingWriter) }
    try pending.save([AppRecord(app: b, status: .denied)], &stores.goodWriter)
    #expect(try pending.count == 1 && stores.good.entries(limit: 9).isEmpty)
    try pending.save([AppRecord(app: a, status: .whenInUse)], &stores.goodWriter)
    #expect(try pending.count == 0 && stores.good.entries(limit: 9).map(\.event) == [.answer(answer)])
  }

  @Test func `if a record cannot be removed, the record of a new app is written in its place`() throws {
    var stores = try FailingStore()
    var pending = PendingChanges()
    try stores.good.save(AppRecord(app: a, status: .always), now: clock())
    let new = AppRecord(app: a)
    #expect(throws: StoreError.self) { try pending.remove(asNew: new, &stores.failingWriter) }
    try pending.saveAll(except: nil, &stores.goodWriter)
    #expect(try stores.good.load(now: clock()).apps == [new])
  }

  @Test(arguments: [DisclosureOutcome.erased, .lost])
  func `a withdrawal of a fix is written before the next disclosure, and another outcome when it is due`(
    withdrawal: DisclosureOutcome
  ) throws {
    var stores = try FailingStore()
    var pending = PendingChanges()
    let (withdrawn, expired) = (try fix(in: stores.good), try fix(in: stores.good))
    _ = pending.settle(withdrawn, withdrawal, &stores.failingWriter, at: at(.zero))
    _ = pending.settle(expired, .expired, &stores.failingWriter, at: at(.zero))
    try pending.saveAll(except: nil, &stores.goodWriter)
    #expect(try stores.good.waitingFixes().map(\.number) == [expired.number])
    try pending.retry(&stores.goodWriter, at: at(.seconds(5)))
    #expect(try stores.good.waitingFixes().isEmpty && pending.nextDeadline == nil)
  }

  @Test func `a fix whose erasure failed is an unsaved change, and is erased before its app gets a right again`() throws
  {
    var stores = try FailingStore()
    var pending = PendingChanges()
    let fix = try fix(in: stores.good)
    _ = pending.settle(fix, .erased, &stores.failingWriter, at: at(.zero))
    #expect(pending.count == 1 && pending.isFailing && pending.isLockFailing)
    #expect(pending.isFailing(a) && !pending.isFailing(b))
    #expect(pending.unsaved.withdrawn == [fix.number: .erased])
    #expect(throws: StoreError.self) {
      try pending.save([AppRecord(app: a, status: .whenInUse)], &stores.failingWriter)
    }
    #expect(throws: StoreError.self) { try pending.saveLock(false, &stores.failingWriter) }
    #expect(throws: StoreError.self) { try pending.remove(asNew: AppRecord(app: a), &stores.failingWriter) }
    try pending.save([AppRecord(app: b, status: .always)], &stores.goodWriter)
    try pending.save([AppRecord(app: b, status: .denied)], &stores.goodWriter)
    #expect(try stores.good.waitingFixes().map(\.number) == [fix.number], "a denial does not wait")
    try pending.save([AppRecord(app: a, status: .whenInUse)], &stores.goodWriter)
    #expect(try stores.good.waitingFixes().isEmpty)
    try pending.saveLock(false, &stores.goodWriter)
    #expect(pending.count == 0 && !pending.isFailing(a) && !pending.isLockFailing && pending.unsaved.withdrawn == [:])
  }
}

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
