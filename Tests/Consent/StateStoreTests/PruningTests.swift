import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

extension StateStore {
  /// Removes old entries in steps.
  /// - Returns: The number of removed entries.
  @discardableResult
  func prune(before time: UTCTime, floor: UTCTime? = nil, most: Int = 100, now: ClockReading) throws(StoreError) -> Int
  {
    var pruning = LogPruning(before: time, floor: floor)
    while !pruning.isOver { try continuePruning(&pruning, most: most, now: now) }
    return pruning.removed
  }
}

@Test func `one step of pruning reads and removes a limited number of entries`() throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  var pruning = LogPruning(before: clock(4 * 3600).utc)
  var removed: [Int] = []
  while !pruning.isOver {
    try store.continuePruning(&pruning, most: 2, now: clock(90 * 3600))
    removed.append(pruning.removed)
    #expect(try store.verifyLog().isGood)
  }
  #expect(removed == [2, 4, 6, 6])
}

@Test(arguments: 0...9)
func `the rest of a pruned log verifies, and pruned entries are removed`(hours: Int64) throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  // The log has two entries per hour, from the first hour on.
  let removed = Int(max(0, min(hours - 1, 4))) * 2
  let before = try store.entries(limit: 100)
  #expect(try store.prune(before: clock(hours * 3600).utc, now: clock(90 * 3600)) == removed)
  #expect(try store.prune(before: clock(hours * 3600).utc, now: clock(90 * 3600)) == 0)
  #expect(try store.entries(limit: 100) == Array(before.dropFirst(removed)))
  #expect(try store.anchor(now: clock(91 * 3600)) == nil)
  let sequence = try store.openDisclosure(entry(), record: served(ferry, 9), now: clock(92 * 3600))
  #expect(sequence == 9)
  let verification = try store.verifyLog()
  #expect(verification.isGood, "\(verification)")
  #expect(verification.pruned == Int64(removed) && verification.range == Int64(removed + 1)...9)
  store.close()
  #expect(try logged.open().verifyLog().isGood)
}

@Test(
  arguments: [
    ("UPDATE log_beginning SET sequence = 2", [.beginningChanged(3), .missing(3...4)]),
    ("UPDATE log_beginning SET code = zeroblob(32)", [.beginningChanged(5)]),
    ("UPDATE log_beginning SET time = '2020-01-01T00:00:00.000Z'", [.beginningChanged(5)]),
    ("UPDATE log_beginning SET authentication = zeroblob(32)", [.beginningChanged(5)]),
    ("DELETE FROM log_beginning", [.missing(1...4)]),
    ("DELETE FROM disclosure_log WHERE sequence = 5", [.missing(5...5)]),
    ("UPDATE disclosure_log SET app = 'harbour' WHERE sequence = 5", [.changed(5)]),
  ] as [(StaticString, [LogFault])])
func `a change of a pruned log's beginning is detected`(statements: StaticString, faults: [LogFault]) throws {
  let logged = try LoggedStore()
  do {
    let store = try logged.open()
    #expect(try store.prune(before: clock(3 * 3600).utc, now: clock(9 * 3600)) == 4)
    #expect(try store.anchor(now: clock(9 * 3600)) == nil)
  }
  try logged.tamper(statements)
  #expect(try logged.open().verifyLog().faults == faults)
}

@Test func `a log with a changed entry is not pruned, so that the traces stay`() throws {
  let logged = try LoggedStore()
  try logged.tamper("UPDATE disclosure_log SET app = 'harbour' WHERE sequence = 3")
  let store = try logged.open()
  #expect(try store.prune(before: clock(2 * 3600).utc, now: clock(9 * 3600)) == 2)
  let error = try #require(throws: StoreError.self) {
    try store.prune(before: clock(4 * 3600).utc, now: clock(9 * 3600))
  }
  #expect(error.kind == .damaged)
  #expect(error.cause == "entry #3 was changed or moved")
  #expect(try store.verifyLog().faults == [.changed(3)])
}

@Test func `an entry with a number before the log's beginning is reported as a change and not pruned`() throws {
  let numbered = try LoggedStore()
  try numbered.tamper("UPDATE disclosure_log SET sequence = sequence - 100 WHERE sequence <= 2")
  let pruned = try LoggedStore()
  do {
    let store = try pruned.open()
    #expect(try store.prune(before: clock(3 * 3600).utc, now: clock(9 * 3600)) == 4)
  }
  try pruned.tamper("UPDATE disclosure_log SET sequence = sequence - 4 WHERE sequence <= 6")
  for (logged, hours, entry) in [(numbered, Int64(2), Int64(-98)), (pruned, 4, 2)] {
    let error = try #require(throws: StoreError.self) {
      try logged.open().prune(before: clock(hours * 3600).utc, now: clock(9 * 3600))
    }
    #expect(error.kind == .damaged)
    #expect(error.cause == "entry #\(entry) was changed or moved")
  }
}

@Test func `an impossibly large count is limited, so that adding to it does not overflow`() throws {
  let logged = try LoggedStore()
  try logged.tamper(
    """
    INSERT INTO answer VALUES ('2026-11-21', 'ferry', 'denied', 9223372036854775807);
    INSERT INTO answer VALUES ('2026-11-21', 'ferry', 'no-press', -9223372036854775807);
    """)
  let store = try logged.open()
  #expect(try store.answers().map(\.count) == [Int(Int32.max), 0])
  // Later answers of that day are still counted.
  try store.addAnswers(
    [
      AnswerKey(period: "2026-11-21", app: ferry, answer: "denied"): 1,
      AnswerKey(period: "2026-11-21", app: ferry, answer: "no-press"): 2,
    ], now: clock().utc)
  #expect(try store.answers().map(\.count) == [Int(Int32.max), 2])
}

extension StoreTests {
  @Test(arguments: [1, 2, 3, 100])
  func `a long time with a wrong clock does not end pruning`(most: Int) throws {
    for seconds in [Int64](repeating: -1_000_000_000, count: 7) + [0, 1, 1000] {
      try store.record(.answer(answer()), of: answer().app, now: clock(seconds))
    }
    let floor = clock(-100_000).utc
    #expect(try store.prune(before: clock(100).utc, floor: floor, most: most, now: clock(2000)) == 9)
    #expect(try store.entries(limit: 10).map(\.sequence) == [10] && store.verifyLog().isGood)
  }

  @Test func `an open disclosure and all entries after it are not pruned`() throws {
    try store.disclose(now: clock())
    let open = try store.openInterval(entry(), record: served(ferry, 2), now: clock())
    try store.disclose(now: clock())
    #expect(try store.prune(before: clock(9).utc, now: clock(9)) == 2)
    #expect(try store.close(.end(.stopped, fixes: 3, of: open), now: clock(20)))
    // The opening entry is pruned and the end entry stays: that is not a fault.
    #expect(try store.prune(before: clock(9).utc, now: clock(9)) == 3)
    #expect(try store.entries(limit: 10).map(\.event) == [.end(.stopped, fixes: 3, of: open)])
    #expect(try store.verifyLog().isGood)
  }

  @Test func `an entry that is not old enough protects the entries after it from pruning`() throws {
    for seconds in [Int64(0), 1_000_000, -1_000_000, 10] { try store.disclose(now: clock(seconds)) }
    #expect(try store.prune(before: clock(100).utc, now: clock(1_000_000)) == 2)
    #expect(try store.entries(limit: 10).map(\.sequence) == Array(3...8))
  }

  @Test(arguments: [1, 2, 100])
  func `an entry with a time in the future is pruned together with an older entry after it, and not before`(most: Int)
    throws
  {
    // The clock was years ahead for some time.
    for seconds in [Int64(0), 1_000_000_000, 10, 1_000_000_000, 1000] { try store.disclose(now: clock(seconds)) }
    #expect(try store.prune(before: clock(5).utc, most: most, now: clock(2000)) == 2)
    #expect(try store.prune(before: clock(100).utc, most: most, now: clock(2000)) == 4)
    #expect(try store.entries(limit: 10).map(\.sequence) == Array(7...10))
    #expect(try store.prune(before: clock(1001).utc, most: most, now: clock(2000)) == 4)
    #expect(try store.verifyLog().isGood)
  }

  @Test func `entries from before the clock was set are pruned only together with older entries after them`() throws {
    // A board without a battery starts with an old date and gets the correct time later, twice.
    for seconds in [Int64(-1_000_000_000), 0, -1_000_000_000, 1000] { try store.disclose(now: clock(seconds)) }
    let floor = clock(-100_000).utc
    #expect(try store.prune(before: clock(-10).utc, floor: floor, now: clock(2000)) == 0)
    #expect(try store.prune(before: clock(100).utc, floor: floor, now: clock(2000)) == 4)
    #expect(try store.entries(limit: 10).map(\.sequence) == Array(5...8))
    #expect(try store.prune(before: clock(1001).utc, floor: floor, now: clock(2000)) == 4)
    #expect(try store.verifyLog().isGood)
  }

  @Test
  func `answers are counted by hour, by day when three further days have ended, and pruned together with entries`()
    throws
  {
    func add(_ answer: String, of app: AppID, _ count: Int, at seconds: Int64, saved: Int64? = nil) throws {
      let key = AnswerKey(period: clock(seconds).utc.hour, app: app, answer: answer)
      try store.addAnswers([key: count], now: clock(saved ?? seconds).utc)
    }
    func counts(_ since: UTCTime? = nil) throws -> [String] {
      try store.answers(since: since).map { "\($0.key.period) \($0.key.app) \($0.key.answer) \($0.count)" }
    }
    let day: Int64 = 86_400
    let (early, late) = (clock(0).utc, clock(day).utc)
    try add("no-press", of: ferry, 2, at: 0)
    try add("no-press", of: ferry, 3, at: 0)
    try add("no-press", of: ferry, 1, at: 3600)
    try add("denied", of: harbour, 1, at: day)
    let next = clock(3600).utc
    let hours = ["\(early.hour) ferry no-press 5", "\(next.hour) ferry no-press 1", "\(late.hour) harbour denied 1"]
    #expect(try counts() == hours)
    #expect(try counts(next) == Array(hours.dropFirst()), "of the hour that contains the time, and later")
    #expect(try counts(late) == ["\(late.hour) harbour denied 1"])

    // 2026-11-25 at 0 o'clock UTC.
    let end = UTCTime(nanosecondsSince1970: 1_795_564_800_000_000_000)
    try store.addAnswers([:], now: UTCTime(nanosecondsSince1970: end.nanosecondsSince1970 - 1))
    #expect(try counts() == hours)
    try store.addAnswers([:], now: end)
    let days = ["\(early.day) ferry no-press 6", "\(late.hour) harbour denied 1"]
    #expect(try counts() == days)
    // An hour of that day that is saved late is part of its day.
    try add("no-press", of: ferry, 1, at: 7200, saved: 4 * day)
    #expect(try counts(next) == ["\(early.day) ferry no-press 7", "\(late.hour) harbour denied 1"])

    try store.prune(before: late, now: clock(4 * day))
    #expect(try counts() == ["\(late.hour) harbour denied 1"])
  }
}
