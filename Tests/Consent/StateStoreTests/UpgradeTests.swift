import Authorization
import Base
import Foundation
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

/// A state directory that an earlier version of OneFix left in its own format at a power loss. See
/// `Fixtures/README.md`.
private struct FixtureState {
  let directory: TemporaryDirectory
  let key: DeviceKey

  private let format: Int
  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Fixtures"

  init(format: Int) throws {
    directory = try TemporaryDirectory()
    self.format = format
    try Self.copy(["device.key", "anchor", "state/onefix.lock"] + Self.database, of: format, to: directory)
    key = try DeviceKey(readingFrom: directory.path("device.key"))
  }

  static let database = ["state/onefix.sqlite", "state/onefix.sqlite-wal", "state/onefix.sqlite-shm"]

  /// Copies those of the files that the fixture has.
  private static func copy(_ names: [String], of format: Int, to directory: TemporaryDirectory) throws {
    for name in names {
      guard let data = FileManager.default.contents(atPath: "\(fixtures)/format-\(format)/\(name)") else { continue }
      try directory.write([UInt8](data), to: name)
    }
  }

  /// Restores the files of the database from the fixture. The key and the anchor stay.
  func restoreDatabase() throws {
    for name in Self.database { _ = unsafe unlink(directory.path(name)) }
    try Self.copy(Self.database, of: format, to: directory)
  }

  func open(_ seconds: Int64) throws -> StateStore {
    try StateStore(
      directory: directory.path("state"), key: key, anchor: directory.path("anchor"), boot: "fixture",
      now: clock(seconds))
  }

  /// The mode and bytes of every file, except the lock file, which holds the identifier of the last process. The bytes
  /// of `-shm` are not compared, because SQLite creates them again from the WAL.
  func files() throws -> [String: File] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    return Dictionary(
      uniqueKeysWithValues: names.filter { $0 != "state/onefix.lock" }.map {
        ($0, File(mode: directory.mode($0), bytes: $0.hasSuffix("-shm") ? nil : directory.read($0)))
      })
  }

  struct File: Equatable {
    var mode: mode_t?
    var bytes: [UInt8]?
  }
}

@Test func `there is a fixture for every format`() throws {
  let kept = try FileManager.default.contentsOfDirectory(atPath: FixtureState.fixtures).filter {
    $0.hasPrefix("format-")
  }
  #expect(Set(kept) == Set((1...Schema.version).map { "format-\($0)" }))
}

@Test(arguments: 1...Schema.version)
func `a state directory of every format keeps its rights, its log and its secrets`(format: Int) throws {
  let left = try FixtureState(format: format)
  let store = try left.open(100)
  let state = try store.load(now: clock(100))
  #expect(store.stateFaults == [] && state.isLocked)
  #expect(state.apps == records(format))
  #expect(try store.unseal("cloak") == [UInt8]("a cloak's memory".utf8))
  #expect(try store.entries(limit: 100).map(\.event) == events(format))
  #expect(try store.entries(limit: 100).map(\.sequence) == Array((format == 1 ? 1 : 3)...Int64(lost(format) + 1)))
  #expect(store.lostDisclosures == [lost(format)])
  let waiting = try store.waitingFixes()
  #expect(try waiting.map { try store.content(of: $0) } == (format < 4 ? [] : [[UInt8]("a fix that waits".utf8)]))
  let denied = AnswerKey(period: "2026-11-21", app: harbour, answer: "denied")
  #expect(try store.answers().map(\.key) == (format == 1 ? [] : [denied]))
  #expect(try store.regions().map(\.bytes) == (format < 8 ? [] : [[UInt8]("a region".utf8), [UInt8]("another".utf8)]))
  #expect(try store.verifyLog().faults == [])
  // The log continues at its end.
  #expect(try store.anchor(now: clock(101)) == nil)
  #expect(try store.openDisclosure(entry(), record: served(ferry, 9), now: clock(102)) == lost(format) + 2)
  #expect(try store.verifyLog().isGood)
  // The constraints of the current format hold.
  for change in ["DELETE FROM disclosure_log", "INSERT INTO open_disclosure VALUES (99)"] as [StaticString] {
    #expect(throws: StoreError.self) { try store.execute(change) }
  }
}

@Test(arguments: 1...Schema.version)
func `a migrated state directory is not changed by further openings`(format: Int) throws {
  let left = try FixtureState(format: format)
  try left.open(100).close()
  let once = try left.files()
  let again = try left.open(200)
  #expect(again.lostDisclosures == [])
  #expect(try again.load(now: clock(200)).apps == records(format))
  again.close()
  #expect(try left.files() == once)
}

/// From format 5 on, the records have codes of their own.
@Test(arguments: 1..<5)
func `an older format that replaces a database with authenticated rights gives no right`(format: Int) throws {
  let left = try FixtureState(format: format)
  let store = try left.open(100)
  try store.renewAnchor(now: clock(100))
  store.close()
  try left.restoreDatabase()
  let old = try left.open(200)
  #expect(old.stateFaults.last == .replaced)
  let state = try old.load(now: clock(200))
  #expect(state.apps.count == 4 && state.apps.allSatisfy { $0.status == .denied })
  let last = lost(format) + 1
  #expect(try old.verifyLog().faults == [.notAsAnchored(last, clock(100).utc, end: last)])
}

@Test(arguments: 5..<Schema.version)
func `an older format that replaces a database with a later denial gives no right`(format: Int) throws {
  let left = try FixtureState(format: format)
  let store = try left.open(100)
  try store.save(AppRecord(app: ferry, status: .denied), now: clock(100))
  #expect(try store.anchor(now: clock(100)) == nil)
  store.close()
  try left.restoreDatabase()
  let old = try left.open(200)
  #expect(old.stateFaults.last == .rolledBack)
  #expect(try old.load(now: clock(200)).apps.allSatisfy { $0.status == .denied })
}

@Test(arguments: 1...Schema.version)
func `a database of any format with an invalid or missing row is damaged, and is not upgraded`(format: Int) throws {
  let rows: [(table: String, change: StaticString, cause: String)] = [
    ("gateway", "UPDATE gateway SET locked = 2", "CHECK constraint failed in gateway"),
    ("app", "UPDATE app SET provisional = 2", "CHECK constraint failed in app"),
    ("log_end", "UPDATE log_end SET id = 2", "CHECK constraint failed in log_end"),
    ("log_end", "DELETE FROM log_end", "the end of the log is missing"),
    ("log_beginning", "UPDATE log_beginning SET id = 2", "CHECK constraint failed in log_beginning"),
    (
      "outbox",
      """
      INSERT INTO outbox (number, disclosure, mark, app, bridge, accuracy, "right", simulated, expires, sealed)
        VALUES (9, 9, 'm', 'ferry', 'b', 'full', 'once', 2, 9, zeroblob(9))
      """, "CHECK constraint failed in outbox"
    ),
    // The declaration of the column forbids the value, so the declaration is changed for a moment.
    (
      "region",
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'sealed BLOB NOT NULL', 'sealed BLOB') WHERE name = 'region';
      PRAGMA writable_schema = RESET;
      UPDATE region SET sealed = NULL;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'sealed BLOB', 'sealed BLOB NOT NULL') WHERE name = 'region';
      PRAGMA writable_schema = RESET;
      """, "NULL value in region.sealed"
    ),
  ]
  for (table, change, cause) in rows {
    let left = try FixtureState(format: format)
    do {
      let database = try SQLiteDatabase(left.directory.path("state/onefix.sqlite"))
      let count = try database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = ?1")
        .rows(.text(table)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }
      guard count == [1] else { continue }
      try database.execute("PRAGMA ignore_check_constraints = ON")
      try database.execute(change)
      // A log whose first entries were never removed has no row in this table.
      guard database.changes > 0 else {
        #expect(table == "log_beginning")
        continue
      }
    }
    let error = try #require(throws: StoreError.self) { try left.open(100) }
    #expect(error.kind == .damaged && error.cause.contains(cause), "\(error)")
  }
}

@Test(arguments: 5...Schema.version)
func `the highest possible revision of any format does not end the program`(format: Int) throws {
  let left = try FixtureState(format: format)
  try SQLiteDatabase(left.directory.path("state/onefix.sqlite"))
    .execute("UPDATE log_end SET revision = 9223372036854775807")
  let store = try left.open(100)
  #expect(store.stateFaults.last == .replaced)
  try store.settleFaults(now: clock(100))
  try store.save(AppRecord(app: harbour, status: .whenInUse), now: clock(100))
}

/// Format 7 is the last one with pages of 4 KiB. The free pages of a database are not rewritten.
@Test(arguments: [(4096, 1024), (4097, 4096)])
func `an earlier database of at most 16 MiB is rewritten with pages of 1 KiB`(pages: Int, size: Int) throws {
  let left = try FixtureState(format: 7)
  let path = left.directory.path("state/onefix.sqlite")
  do {
    let database = try SQLiteDatabase(path)
    func count() throws -> Int { try Schema.number(database, "PRAGMA page_count") }
    // A value of this size takes whole pages of 4 KiB, besides its beginning, which is beside those of other values.
    func add(_ pages: Int) throws {
      try database.prepare("INSERT INTO ballast VALUES (zeroblob(?1))").run(.integer(Int64(pages * 4092 + 400)))
    }
    try database.execute("CREATE TABLE ballast (content BLOB)")
    try add(pages - count())
    try #require(try count() == pages)
    try add(100)
    try database.execute("DELETE FROM ballast WHERE rowid = 2")
    try #require(try count() == pages + 100)
  }
  let store = try left.open(100)
  #expect(try store.number("PRAGMA temp_store") == 0, "later sorts may use files")
  store.close()
  #expect(try Schema.number(SQLiteDatabase(path), "PRAGMA page_size") == size)
}

@Test(arguments: [true, false])
func `a newer format is rejected with a remedy, and the directory is not changed`(isClean: Bool) throws {
  let left = try FixtureState(format: Schema.version)
  let state = left.directory.path("state")
  let store = try left.open(100)
  if isClean { try store.execute("PRAGMA user_version = 99") }
  store.close()
  if !isClean {
    // The change is only in the WAL.
    let database = try SQLiteDatabase(state + "/onefix.sqlite")
    database.setCheckpointOnClose(false)
    try database.execute("PRAGMA user_version = 99")
  }
  for name in FixtureState.database { _ = unsafe chmod(left.directory.path(name), 0o640) }
  let before = try left.files()
  #expect(before.keys.contains("state/onefix.sqlite-wal") == !isClean)
  let expected = StoreError(
    .unsuitable, "open", state + "/onefix.sqlite",
    cause: "it has format 99, but this version supports formats up to \(Schema.version)",
    remedy: "install the OneFix version that wrote it, or a newer one; nothing was changed")
  for seconds: Int64 in [200, 300] {
    #expect(throws: expected) { try left.open(seconds) }
    let after = try left.files()
    #expect(after.keys.sorted() == before.keys.sorted())
    for (name, file) in before { #expect(after[name] == file, "\(name)") }
  }
}

// MARK: Contents of the fixtures

private let kiosk = AppID("kiosk")!

private func records(_ format: Int) -> [AppRecord] {
  var ferry = AppRecord(app: ferry, status: .whenInUse)
  ferry.isButtonConfirmed = true
  ferry.lastServed = 4
  var kiosk = AppRecord(app: kiosk, status: .always)
  kiosk.isProvisional = true
  if format >= 3 { kiosk.seesAlwaysUntil = clock(80_000).monotonic }
  var tram = AppRecord(app: AppID("tram")!)
  tram.hasAskedUpgrade = true
  if format >= 9 {
    tram.status = .whenInUse
    tram.timeLimit = TimeLimit(end: clock(50_000).boot, formerStatus: .notDetermined)
  }
  tram.promptPause = PromptPause(until: clock(86_000).monotonic, length: .seconds(600))
  return [ferry, AppRecord(app: harbour, status: .denied, accuracy: .reduced), kiosk, tram]
}

private func written(
  _ app: AppID, _ accuracy: FixAccuracy, _ right: Right, _ transport: String = "unix"
) -> DisclosureEntry {
  DisclosureEntry(app: app, accuracy: accuracy, right: right, transport: transport, isSimulated: true)
}

/// Returns the entry that was open at the power loss.
private func lost(_ format: Int) -> Int64 { [5, 7, 7, 8, 8, 9, 9, 9, 10][format - 1] }

private func events(_ format: Int) -> [LogEntry.Event] {
  var events: [LogEntry.Event] = []
  if format == 1 { events += [.disclosure(written(ferry, .full, .once)), .outcome(.acknowledged, of: 1)] }
  events += [.disclosure(written(ferry, .reduced, .whenInUse)), .outcome(.expired, of: 3)]
  if format >= 2 { events += [.interval(written(kiosk, .full, .always)), .end(.stopped, fixes: 12, of: 5)] }
  if format >= 4 { events.append(.disclosure(written(ferry, .full, .once, "mqtt"))) }
  if format >= 6 {
    events.append(
      .answer(
        AnswerEntry(
          app: ferry, prompt: .authorize, choice: .whileUsing, accuracy: .full, purpose: "To warn of shallows",
          language: "de", way: .socket(user: 1000))))
  }
  if format >= 9 { events.append(.rightEnd(of: .always, .notDetermined)) }
  return events + [.disclosure(written(ferry, .full, .once)), .outcome(.lost, of: lost(format))]
}
