import Authorization
import Base
import Glibc
import LineProtocol
import SeededNumbers
import TemporaryFiles
import Testing

@testable import StateStore

@Test func `if the state directory cannot be created, the error names it and a remedy`() throws {
  let directory = try TemporaryDirectory()
  try directory.write("a file", to: "file")
  for (path, operation) in [
    (directory.path("file"), "use the state directory"), (directory.path("file/state"), "make the state directory"),
  ] {
    #expect(
      throws: StoreError(
        .absent, operation, path, cause: "not a directory",
        remedy: "make it a folder that this user can write, or choose another one with --state")
    ) { try StateStore(directory: path, key: key, now: clock()) }
  }
  // A file system on which not even root may create files.
  let error = try #require(throws: StoreError.self) {
    try StateStore(directory: "/proc/onefix", key: key, now: clock())
  }
  #expect(error.operation == "make the state directory")
}

@Test(arguments: [
  Array("this is no database, but long enough to be looked at as if it were one of them".utf8), [0],
  [UInt8](repeating: 0, count: 8192),
])
func `a file that is not a database is rejected and not changed`(bytes: [UInt8]) throws {
  let directory = try TemporaryDirectory()
  try directory.write(bytes, to: "onefix.sqlite", mode: 0o644)
  #expect(
    throws: StoreError(
      .damaged, "open", directory.path("onefix.sqlite"), cause: "it is not an SQLite database",
      remedy: StateDirectory.remedy)
  ) { try directory.open() }
  #expect(directory.read("onefix.sqlite") == bytes && directory.mode("onefix.sqlite") == 0o644)
}

@Test func `a statement that cannot get one of its values is not run`() throws {
  let directory = try TemporaryDirectory()
  try directory.write([UInt8](), to: "new.sqlite")
  let database = try SQLiteDatabase(directory.path("new.sqlite"))
  try database.execute("CREATE TABLE numbers (number)")
  let failure = try #require(throws: SQLiteFailure.self) {
    try database.prepare("INSERT INTO numbers VALUES (?1)").run(.integer(1), .integer(2))
  }
  // SQLITE_RANGE
  #expect(failure.code == 25)
  #expect(try database.prepare("SELECT number FROM numbers").rows { $0.integer(0) } == [])
}

extension StoreTests {
  @Test func `a second process that opens a state directory receives the identifier of the first`() throws {
    let expected = StoreError(
      .busy, "lock", directory.path("onefix.lock"), cause: "another process uses it: pid \(getpid())",
      remedy: "stop that process, or choose another state directory with --state")
    #expect(throws: expected) { try directory.open() }
    #expect(
      expected.description
        == "cannot lock \(directory.path)/onefix.lock: another process uses it: pid \(getpid()) "
        + "(stop that process, or choose another state directory with --state)")
    try store.saveLock(true)
    store.close()
    #expect(try directory.open().load(now: clock()).isLocked)
  }

  @Test func `a closed store has written its WAL back, and its calls throw`() throws {
    try store.save(AppRecord(app: ferry), now: clock())
    #expect(directory.read("onefix.sqlite-wal") != nil)
    store.close()
    store.close()
    #expect(directory.read("onefix.sqlite-wal") == nil)
    let error = try #require(throws: StoreError.self) { try store.saveLock(true) }
    #expect(error.description == "cannot save the lock in \(directory.path)/onefix.sqlite: the store is closed")
    #expect(directory.read("onefix.reserve")?.count == 1 << 20, "only a full or failing disk needs the reserve")
    for (records, operation) in [
      ([AppRecord(app: ferry)], "save the record of ferry in"),
      ([AppRecord(app: ferry), AppRecord(app: harbour)], "save records in"),
    ] {
      let error = try #require(throws: StoreError.self) { try store.save(records, now: clock()) }
      #expect(error.operation == operation)
    }
  }

  @Test func `the database of another program is rejected and not changed`() throws {
    try store.execute("PRAGMA application_id = 1")
    store.close()
    let before = directory.read("onefix.sqlite")
    #expect(
      throws: StoreError(
        .unsuitable, "open", directory.path("onefix.sqlite"), cause: "it is the database of another program",
        remedy: "choose another state directory with --state")
    ) { try directory.open() }
    #expect(directory.read("onefix.sqlite") == before)
  }

  @Test(
    arguments: [
      (0, 0, true, .foreign), (0, 1, false, .foreign), (0, 1, true, .foreign), (1, 0, false, .foreign),
      (1, Schema.version, true, .foreign), (Schema.applicationID, 0, false, .foreign),
      (Schema.applicationID, -1, true, .foreign), (Schema.applicationID, 1, true, .usable(version: 1)),
      (Schema.applicationID, Schema.version, true, .usable(version: Schema.version)),
      (Schema.applicationID, Schema.version + 1, true, .tooNew(version: Schema.version + 1)),
      (0, 0, false, .usable(version: 0)),
    ] as [(Int, Int, Bool, Schema.Compatibility)])
  func `a database is used if it is empty, or if this program wrote it in a known format`(
    application: Int, version: Int, hasTable: Bool, expected: Schema.Compatibility
  ) throws {
    try directory.write("", to: "other.sqlite")
    let database = try SQLiteDatabase(directory.path("other.sqlite"))
    try database.setPragma("application_id", to: application)
    try database.setPragma("user_version", to: version)
    if hasTable { try database.execute("CREATE TABLE content (number INTEGER)") }
    #expect(try Schema.compatibility(of: database) == expected)
  }

  @Test func `a database with damaged pages is rejected or read, and never crashes the program`() throws {
    for step in Int64(1)...40 {
      _ = try store.openDisclosure(
        entry(), record: served(ferry, step), sealing: ("cloak", [UInt8](repeating: 1, count: 300)), now: clock())
    }
    store.close()
    let good = try #require(directory.read("onefix.sqlite"))
    var random = SplitMix64(seed: 7)
    func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    for round in 0..<150 {
      var bytes = good
      if round % 10 == 0 { bytes.removeLast(next(good.count - 100)) }
      for _ in 0...next(20) { bytes[16 + next(bytes.count - 16)] = UInt8(next(256)) }
      try directory.makeFolder("round-\(round)")
      try directory.write(bytes, to: "round-\(round)/onefix.sqlite")
      do {
        let store = try StateStore(directory: directory.path("round-\(round)"), key: key, now: clock())
        _ = try store.load(now: clock())
        _ = try store.entries(limit: 1000)
        _ = try store.unseal("cloak")
      } catch {
        #expect(error.kind != .absent)
      }
    }
  }

  @Test func `a full disk is reported, no change is partly written or sealed, and the store stays usable`() throws {
    try store.save(served(ferry, 1), now: clock())
    try store.limit()
    func press(_ store: StateStore) throws -> Int64 {
      try store.openDisclosure(
        entry(), record: served(ferry, 2), sealing: ("cloak", [UInt8](repeating: 1, count: 100_000)), now: clock())
    }
    #expect(
      throws: StoreError(
        .full, "write a disclosure to", directory.path("onefix.sqlite"), cause: "database or disk is full",
        remedy: "free space on its file system")
    ) { try press(store) }
    #expect(try store.load(now: clock()).apps == [served(ferry, 1)])
    #expect(try store.entries(limit: 10).isEmpty)
    #expect(try store.unseal("cloak") == nil)
    // Changes that need no more space still succeed.
    try store.saveLock(true)
    store.close()
    let again = try directory.open()
    #expect(again.stateFaults == [])
    let state = try again.load(now: clock())
    #expect(state.apps == [served(ferry, 1)] && state.isLocked)
    #expect(try press(again) == 1)
  }

  /// The test reproduces an opening on a full disk.
  @Test func `lost disclosures that cannot be closed at the opening are closed with the next disclosure`() throws {
    let first = try store.openDisclosure(entry(), record: served(ferry, 1), now: clock())
    store.unclosedDisclosures = [first]
    let second = try store.openDisclosure(entry(), record: served(ferry, 2), now: clock())
    #expect(store.unclosedDisclosures.isEmpty)
    #expect(
      try store.entries(limit: 10).map(\.event) == [
        .disclosure(entry()), .outcome(.lost, of: first), .disclosure(entry()),
      ])
    #expect(try store.close(.outcome(.sent, of: second), now: clock()))
  }

  @Test func `opening a database removes the permissions of other users`() throws {
    store.close()
    _ = unsafe chmod(directory.path("onefix.sqlite"), 0o644)
    let again = try directory.open()
    try again.saveLock(true)
    #expect(directory.mode("onefix.sqlite") == 0o600 && directory.mode("onefix.sqlite-wal") == 0o600)
  }

  /// With `synchronous` 2, SQLite syncs each commit. With `temp_store` 0, it sorts large results in files.
  @Test
  func `each commit is synced, removed content is overwritten, and a short lock of another program is waited for`()
    throws
  {
    for (query, expected) in [
      ("PRAGMA synchronous", 2), ("PRAGMA secure_delete", 1), ("PRAGMA trusted_schema", 0),
      ("PRAGMA journal_size_limit", 4 << 20), ("PRAGMA busy_timeout", 2000), ("PRAGMA temp_store", 0),
    ] as [(StaticString, Int)] {
      #expect(try store.number(query) == expected, "\(query)")
    }
  }

  @Test func `another program may read while the store is in use`() throws {
    _ = try store.openDisclosure(entry(), record: served(ferry, 1), now: clock())
    let reader = try SQLiteDatabase(directory.path("onefix.sqlite"))
    try reader.execute("BEGIN")
    let query = try reader.prepare("SELECT app FROM disclosure_log")
    let before = try query.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.text(0) }
    #expect(before == ["ferry"])
    #expect(try store.close(.outcome(.sent, of: 1), now: clock()))
  }
}
