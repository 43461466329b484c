import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

func entry(_ app: AppID = ferry, late: Bool = false) -> DisclosureEntry {
  DisclosureEntry(app: app, accuracy: .reduced, right: .once, transport: "unix", isSimulated: true, isLate: late)
}

func served(_ app: AppID = ferry, _ order: Int64) -> AppRecord {
  var record = AppRecord(app: app)
  record.lastServed = order
  return record
}

@Test(arguments: [false, true])
func `one step of a search reads a limited number of entries, also if none fulfils the conditions`(newestFirst: Bool)
  throws
{
  let store = try LoggedStore().open()
  for (app, since, found) in [
    (harbour, nil, []), (ferry, nil, Array(1...8)), (nil, clock(3 * 3600).utc, [5, 6, 7, 8]), (nil, nil, Array(1...8)),
  ] as [(AppID?, UTCTime?, [Int64])] {
    var search = LogSearch(since: since, app: app, newestFirst: newestFirst, limit: 100)
    var steps: [[Int64]] = []
    while !search.isOver { steps.append(try store.continueSearch(&search, reading: 3).map(\.sequence)) }
    #expect(steps.joined().sorted() == found)
    #expect(steps.joined().first == (newestFirst ? found.last : found.first))
    #expect(steps.count == 3 && steps.allSatisfy { $0.count <= 3 })
  }
}

@Test func `one step of a search with a condition may read more entries than the search returns`() throws {
  let logged = try LoggedStore()
  // The write needs the directory.
  defer { extendLifetime(logged) }
  let store = try logged.open()
  #expect(try store.openDisclosure(entry(harbour), record: served(harbour, 1), now: clock(5 * 3600)) == 9)
  for (since, app, found) in [
    (clock(4 * 3600).utc, nil, 7), (nil, harbour, 9), (clock(4 * 3600).utc, harbour, 9),
  ] as [(UTCTime?, AppID?, Int64)] {
    var search = LogSearch(since: since, app: app, limit: 1)
    let entries = try store.continueSearch(&search, reading: 9)
    #expect(entries.map(\.sequence) == [found] && search.isOver)
  }
}

extension StoreTests {
  /// The tables that describe disclosures have no column for a position.
  @Test func `the log has no column for a coordinate`() throws {
    let columns = try store.perform("read") { (opened) throws(SQLiteFailure) in
      try opened.database.prepare("SELECT name FROM pragma_table_info('disclosure_log')").rows {
        (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.text(0)
      }
    }
    #expect(
      columns == [
        "sequence", "code", "time", "event", "app", "accuracy", "right", "transport", "simulated", "late", "outcome",
        "disclosure", "fixes", "prompt", "choice", "purpose", "language", "way", "user",
      ])
    #expect(columns.dropFirst(2) == LogRow.columns[...], "the code of an entry covers its other columns")
  }

  @Test func `a disclosure, the app's record and the cloak's memory are written in one transaction`() throws {
    let sequence = try store.openDisclosure(
      entry(late: true), record: served(ferry, 3), sealing: ("cloak", [1, 2, 3]), now: clock(5))
    #expect(try store.load(now: clock()).apps == [served(ferry, 3)])
    #expect(try store.unseal("cloak") == [1, 2, 3])
    #expect(
      try store.entries(limit: 10) == [
        LogEntry(sequence: sequence, time: clock(5).utc, app: ferry, event: .disclosure(entry(late: true)))
      ])
  }

  @Test(arguments: DisclosureOutcome.allCases)
  func `only the first outcome of a disclosure is written`(outcome: DisclosureOutcome) throws {
    let sequence = try store.openDisclosure(entry(), record: served(ferry, 1), now: clock())
    #expect(try store.close(.outcome(outcome, of: sequence), now: clock(1)))
    for later in DisclosureOutcome.allCases {
      #expect(try !store.close(.outcome(later, of: sequence), now: clock(2)))
    }
    #expect(try !store.close(.outcome(outcome, of: sequence + 1), now: clock(2)))
    #expect(try !store.close(.outcome(outcome, of: 99), now: clock(2)))
    let entries = try store.entries(limit: 10)
    #expect(entries.map(\.event) == [.disclosure(entry()), .outcome(outcome, of: sequence)])
    #expect(entries.map(\.app) == [ferry, ferry])
  }

  @Test(arguments: IntervalEnd.allCases)
  func `an interval of continuous disclosure has one end`(end: IntervalEnd) throws {
    let sequence = try store.openInterval(entry(), record: served(ferry, 1), sealing: ("cloak", [1]), now: clock())
    #expect(try store.close(.end(end, fixes: 17, of: sequence), now: clock(1)))
    #expect(try !store.close(.end(.stopped, fixes: 3, of: sequence), now: clock(2)))
    #expect(try store.entries(limit: 10).map(\.event) == [.interval(entry()), .end(end, fixes: 17, of: sequence)])
    #expect(try store.verifyLog().isGood)
  }

  @Test func `entries can be filtered by sequence, time and app, in both orders`() throws {
    for step in Int64(0)..<6 {
      let app = step % 2 == 0 ? ferry : harbour
      let sequence = try store.openDisclosure(entry(app), record: served(app, step), now: clock(step * 10))
      try store.close(.outcome(.sent, of: sequence), now: clock(step * 10 + 1))
    }
    func found(
      after: Int64 = 0, since: UTCTime? = nil, app: AppID? = nil, newest: Bool = false, limit: Int = 100
    ) throws -> [Int64] {
      try store.entries(after: after, since: since, app: app, newestFirst: newest, limit: limit).map(\.sequence)
    }
    #expect(try found() == Array(1...12))
    #expect(try found(after: 10) == [11, 12])
    #expect(try found(since: clock(41).utc) == [10, 11, 12])
    #expect(try found(app: harbour) == [3, 4, 7, 8, 11, 12])
    #expect(try found(newest: true, limit: 3) == [12, 11, 10])
    #expect(try found(after: 4, since: clock(20).utc, app: ferry, limit: 3) == [5, 6, 9])
    #expect(try found(limit: 0) == [])
    #expect(try found(limit: -1) == [])
  }

  @Test(
    arguments: [
      "UPDATE disclosure_log SET app = 'other'", "DELETE FROM disclosure_log",
      "UPDATE disclosure_log SET outcome = 'sent'",
    ] as [StaticString])
  func `entries of the log cannot be updated or deleted`(statement: StaticString) throws {
    _ = try store.openDisclosure(entry(), record: served(ferry, 1), now: clock())
    let before = try store.entries(limit: 10)
    let error = try #require(throws: StoreError.self) { try store.execute(statement) }
    #expect(error.cause == "the disclosure log is append-only")
    #expect(try store.entries(limit: 10) == before)
  }
}
