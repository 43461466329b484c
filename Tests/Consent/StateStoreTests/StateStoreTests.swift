import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

let key = DeviceKey(bytes: [UInt8](repeating: 7, count: 32))!
let ferry = AppID("ferry")!
let harbour = AppID("harbour")!

/// Returns a reading of both clocks, some seconds after a fixed time.
func clock(_ seconds: Int64 = 0, boot: Int64 = 1000) -> ClockReading {
  ClockReading(
    monotonic: MonotonicInstant(nanoseconds: (boot + seconds) * 1_000_000_000),
    utc: UTCTime(nanosecondsSince1970: (1_795_246_294 + seconds) * 1_000_000_000))
}

extension TemporaryDirectory {
  /// Opens the store in this directory.
  func open(_ now: ClockReading = clock(), boot: String = "") throws -> StateStore {
    try StateStore(directory: path, key: key, boot: boot, now: now)
  }

  /// Opens the store in the folder `state`, whose anchor is in this directory.
  func openAnchored(_ now: ClockReading = clock()) throws -> StateStore {
    try StateStore(directory: path("state"), key: key, anchor: path("anchor"), now: now)
  }

  /// Runs statements as another program with write access to the database.
  func change(_ statements: StaticString) throws { try SQLiteDatabase(path("onefix.sqlite")).execute(statements) }
}

/// Tests with a store in a directory of its own.
@Suite struct StoreTests {
  /// The store is the first property, so that it closes before its directory is removed.
  let store: StateStore
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    store = try directory.open()
  }
}

extension StateStore {
  /// Limits the size of the database, like a full disk.
  func limit() throws {
    try perform("limit") { (opened) throws(SQLiteFailure) in
      try opened.database.setPragma("max_page_count", to: 1)
    }
  }

  /// Returns the number that a query of the open connection gives.
  func number(_ query: StaticString) throws -> Int {
    try perform("query") { (opened) throws(SQLiteFailure) in try Schema.number(opened.database, query) }
  }

  func execute(_ statements: StaticString) throws {
    try perform("change") { (opened) throws(SQLiteFailure) in try opened.database.execute(statements) }
  }

  /// Writes a disclosure and its outcome.
  func disclose(now: ClockReading) throws {
    let sequence = try openDisclosure(entry(), record: served(ferry, 1), now: now)
    try close(.outcome(.sent, of: sequence), now: now)
  }

  /// Writes an outcome or an end.
  ///
  /// - Returns: Whether the log got a new entry.
  @discardableResult
  func close(_ event: LogEntry.Event, now: ClockReading) throws -> Bool {
    let before = try entries(newestFirst: true, limit: 1)
    try close([event], now: now)
    return try entries(newestFirst: true, limit: 1) != before
  }
}

extension StoreTests {
  @Test func `a new store has no apps and is not locked`() throws {
    let state = try store.load(now: clock())
    #expect(state.apps.isEmpty && !state.isLocked && store.lostDisclosures.isEmpty)
  }

  @Test func `every field of every record survives a restart`() throws {
    var records: [AppRecord] = []
    for status in AuthorizationStatus.allCases {
      for accuracy in FixAccuracy.allCases {
        for bits in 0..<8 {
          var record = AppRecord(
            app: try #require(AppID("app-\(status.rawValue.lowercased())-\(accuracy)-\(bits)")), status: status,
            accuracy: accuracy)
          record.isProvisional = bits & 1 != 0
          record.isButtonConfirmed = bits & 2 != 0
          record.hasAskedUpgrade = bits & 4 != 0
          record.lastServed = bits == 0 ? nil : Int64.max - Int64(bits)
          records.append(record)
        }
      }
    }
    for record in records {
      try store.save(AppRecord(app: record.app, status: .denied, accuracy: .reduced), now: clock())
      try store.save(record, now: clock())
    }
    try store.saveLock(true)
    store.close()
    let again = try directory.open()
    let state = try again.load(now: clock())
    #expect(state.apps == records.sorted { $0.app < $1.app } && state.isLocked)
    try again.saveLock(false)
    try again.remove(records[0].app)
    #expect(try again.load(now: clock()).isLocked == false)
    #expect(try again.load(now: clock()).apps.count == records.count - 1)
  }

  @Test func `a pause, and the status that an app still sees, continue after a reboot resets the monotonic clock`()
    throws
  {
    var record = AppRecord(app: ferry, status: .whenInUse)
    record.promptPause = PromptPause(until: clock(600).monotonic, length: .seconds(600))
    record.seesAlwaysUntil = clock(80_000).monotonic
    try store.save(record, now: clock())
    #expect(try store.load(now: clock()).apps == [record])
    // The next pause doubles the length of a pause that has ended.
    #expect(try store.load(now: clock(10_000)).apps == [record])
    store.close()
    let loaded = try #require(try directory.open().load(now: clock(100, boot: 5)).apps.first)
    #expect(loaded.promptPause == PromptPause(until: clock(600, boot: 5).monotonic, length: .seconds(600)))
    #expect(loaded.seesAlwaysUntil == clock(80_000, boot: 5).monotonic)
  }

  @Test(arguments: [Int64(-400), -86_400, -1_000_000_000])
  func `a pause, and the status that an app still sees, end within a day even if the wall clock jumped back`(
    jump: Int64
  ) throws {
    var record = AppRecord(app: ferry, status: .whenInUse)
    record.promptPause = PromptPause(until: clock(86_000).monotonic, length: .seconds(86_400))
    record.seesAlwaysUntil = clock(80_000).monotonic
    try store.save(record, now: clock())
    let now = ClockReading(monotonic: clock().monotonic, utc: clock(jump).utc)
    let loaded = try #require(try store.load(now: now).apps.first)
    #expect(loaded.promptPause?.until == now.monotonic + .seconds(min(86_000 - jump, 86_400)))
    #expect(loaded.seesAlwaysUntil == now.monotonic + .seconds(min(80_000 - jump, 86_400)))
  }
}
