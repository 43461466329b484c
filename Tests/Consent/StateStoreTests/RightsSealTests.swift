import Authorization
import Clocks
import TemporaryFiles
import Testing

@testable import StateStore

/// A closed store with the records of two apps, each of which had other rights before, and a log.
private struct Kept {
  let directory: TemporaryDirectory
  let ferry: AppRecord
  let harbour: AppRecord

  init() throws {
    directory = try TemporaryDirectory()
    ferry = AppRecord(app: StateStoreTests.ferry, status: .denied)
    harbour = AppRecord(app: StateStoreTests.harbour, status: .whenInUse, accuracy: .reduced)
    let store = try open()
    try store.save(AppRecord(app: ferry.app, status: .always), now: clock())
    // As a back-up has it.
    try change("CREATE TABLE before AS SELECT * FROM app")
    try store.save(ferry, now: clock())
    let entry = try store.openDisclosure(
      DisclosureEntry(app: harbour.app, accuracy: .reduced, right: .once, transport: "unix", isSimulated: true),
      record: harbour, now: clock())
    try store.closeDisclosure(entry, outcome: .sent, now: clock())
    store.close()
  }

  func open() throws -> StateStore { try StateStore(directory: directory.path, key: key, now: clock()) }

  /// Runs statements as another program that may write the database.
  func change(_ statements: StaticString) throws {
    try SQLiteDatabase(directory.path("onefix.sqlite")).execute(statements)
  }
}

@Test(
  arguments: [
    "UPDATE app SET status = 'always' WHERE app = 'ferry'", "UPDATE app SET status = 'sometimes' WHERE app = 'ferry'",
    "UPDATE app SET provisional = 1 WHERE app = 'ferry'", "UPDATE app SET button_confirmed = 1 WHERE app = 'ferry'",
    "UPDATE app SET accuracy = 'reduced' WHERE app = 'ferry'", "UPDATE app SET upgrade_asked = 1 WHERE app = 'ferry'",
    "UPDATE app SET last_served = 1 WHERE app = 'ferry'",
    "UPDATE app SET pause_until = 1, pause_length = 1 WHERE app = 'ferry'",
    "UPDATE app SET sees_always_until = 1 WHERE app = 'ferry'",
  ] as [StaticString])
func `an app whose record was changed in the database is denied, and no other`(change: StaticString) throws {
  let kept = try Kept()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.rightsFaults == [.changed(app: "ferry")])
  let state = try store.load(now: clock())
  #expect(state.apps == [AppRecord(app: ferry, status: .denied, accuracy: .reduced), kept.harbour])
  #expect(!state.isLocked)
}

@Test(
  arguments: [
    "DELETE FROM app WHERE app = 'ferry'", "UPDATE app SET code = NULL WHERE app = 'ferry'",
    "INSERT INTO app SELECT 'kiosk', 'always', 0, 1, 'full', 0, NULL, NULL, NULL, NULL, code FROM app LIMIT 1",
    "UPDATE app SET app = 'kiosk' WHERE app = 'ferry'",
    // A record that was written by this device, and taken back since.
    "DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before",
    "UPDATE gateway SET locked = 1", "UPDATE log_end SET rights = NULL", "UPDATE log_end SET rights = x''",
  ] as [StaticString])
func `records that were removed, added or put back deny every app and lock the gateway`(change: StaticString) throws {
  let kept = try Kept()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.rightsFaults.last == .replaced)
  let state = try store.load(now: clock())
  #expect(!state.apps.isEmpty && state.apps.allSatisfy { $0.status == .denied && $0.accuracy == .reduced })
  #expect(state.isLocked)
}

@Test func `a lock that was taken away is there`() throws {
  let kept = try Kept()
  do { try kept.open().saveLock(true) }
  #expect(try kept.open().rightsFaults == [])
  try kept.change("UPDATE gateway SET locked = 0")
  #expect(try kept.open().load(now: clock()).isLocked)
}

@Test func `a row whose name no app can have gives a right to nobody, and goes`() throws {
  let kept = try Kept()
  try kept.change("UPDATE app SET app = 'a' || char(10) || 'b' WHERE app = 'ferry'")
  let store = try kept.open()
  #expect(store.rightsFaults == [.changed(app: "a\nb"), .replaced])
  #expect(store.rightsFaults.allSatisfy { !"\($0)".contains("\n") }, "a line of the log stays one line")
  #expect(try store.load(now: clock()).apps.map(\.app) == [harbour])
  try store.denyChangedRights(now: clock())
  store.close()
  #expect(try kept.open().rightsFaults == [])
}

@Test(
  arguments: [
    "UPDATE app SET status = 'always' WHERE app = 'ferry'", "DELETE FROM app WHERE app = 'ferry'",
  ] as [StaticString])
func `what was changed is found at every start, whatever is written meanwhile, until its apps were denied`(
  change: StaticString
) throws {
  let kept = try Kept()
  // The next opening closes it, which writes the end of the log.
  let entry = DisclosureEntry(app: harbour, accuracy: .reduced, right: .once, transport: "unix", isSimulated: true)
  do { _ = try kept.open().openDisclosure(entry, record: kept.harbour, now: clock()) }
  try kept.change(change)
  let faults = try kept.open().rightsFaults
  #expect(!faults.isEmpty)
  let store = try kept.open()
  #expect(store.rightsFaults == faults)
  let state = try store.load(now: clock())
  try store.denyChangedRights(now: clock())
  #expect(store.rightsFaults == faults, "what was found is told until the end")
  #expect(try store.load(now: clock()) == state)
  store.close()
  let after = try kept.open()
  #expect(after.rightsFaults == [])
  #expect(try after.load(now: clock()) == state)
}

@Test func `an app that was denied for a changed record can be allowed again`() throws {
  let kept = try Kept()
  try kept.change("UPDATE app SET status = 'always' WHERE app = 'ferry'")
  do {
    let store = try kept.open()
    try store.denyChangedRights(now: clock())
    try store.save(AppRecord(app: ferry, status: .always), now: clock())
  }
  let store = try kept.open()
  #expect(store.rightsFaults == [])
  #expect(try store.load(now: clock()).apps.first == AppRecord(app: ferry, status: .always))
}

@Test func `a record that another program puts back while the store is in use is found at the next start`() throws {
  let kept = try Kept()
  let store = try kept.open()
  try kept.change("DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before")
  // The seal that is written now does not bind the record that was put back.
  try store.save(kept.harbour, now: clock())
  store.close()
  #expect(try kept.open().rightsFaults == [.replaced])
}

@Test func `what could not be written is not bound`() throws {
  let kept = try Kept()
  do {
    let store = try kept.open()
    try store.perform("limit") { (opened) throws(SQLiteFailure) in
      try opened.database.setPragma("max_page_count", to: 1)
    }
    #expect(throws: StoreError.self) {
      _ = try store.openDisclosure(
        DisclosureEntry(app: ferry, accuracy: .full, right: .always, transport: "unix", isSimulated: true),
        record: AppRecord(app: ferry, status: .always), sealing: ("cloak", [UInt8](repeating: 1, count: 100_000)),
        now: clock())
    }
    try store.saveLock(true)
  }
  let store = try kept.open()
  #expect(store.rightsFaults == [])
  #expect(try store.load(now: clock()).apps == [kept.ferry, kept.harbour])
}

/// A store with an anchor, whose database was put back to a time at which the app had more rights.
private struct RolledBack {
  let directory: TemporaryDirectory

  /// - Parameter isGone: whether the database was removed, and no other put in its place.
  init(isGone: Bool = false) throws {
    directory = try TemporaryDirectory()
    do { try open().save(AppRecord(app: ferry, status: .always), now: clock()) }
    let copy = try #require(directory.read("state/onefix.sqlite"))
    do {
      let store = try open()
      try store.save(AppRecord(app: ferry, status: .denied), now: clock())
      #expect(try store.anchor(now: clock()) == nil)
    }
    #expect(try open().rightsFaults == [])
    try directory.write(isGone ? [] : copy, to: "state/onefix.sqlite")
  }

  func open() throws -> StateStore {
    try StateStore(directory: directory.path("state"), key: key, anchor: directory.path("anchor"), now: clock())
  }
}

@Test func `an older copy of the state gives no right, though nothing was disclosed since`() throws {
  let state = try RolledBack()
  let store = try state.open()
  #expect(store.rightsFaults == [.rolledBack])
  #expect(try store.load(now: clock()).apps == [AppRecord(app: ferry, status: .denied, accuracy: .reduced)])
  #expect(try store.load(now: clock()).isLocked)
  try store.denyChangedRights(now: clock())
  store.close()
  let again = try state.open()
  #expect(again.rightsFaults == [])
  #expect(try again.load(now: clock()).apps.map(\.status) == [.denied])
}

@Test func `an owner who put an older state back and renews the anchor has the rights of that state`() throws {
  let state = try RolledBack()
  do {
    let store = try state.open()
    try store.renewAnchor(now: clock())
    #expect(store.rightsFaults == [])
    #expect(try store.load(now: clock()).apps == [AppRecord(app: ferry, status: .always)])
  }
  let again = try state.open()
  #expect(again.rightsFaults == [])
  #expect(try again.load(now: clock()).apps == [AppRecord(app: ferry, status: .always)])
}

@Test func `a state that was removed beside its anchor is locked`() throws {
  let store = try RolledBack(isGone: true).open()
  #expect(store.rightsFaults == [.rolledBack])
  #expect(try store.load(now: clock()).isLocked)
}

@Test func `a revision that no rights can reach does not end the program`() throws {
  let kept = try Kept()
  try kept.change("UPDATE log_end SET revision = 9223372036854775807")
  let store = try kept.open()
  #expect(store.rightsFaults == [.replaced])
  try store.denyChangedRights(now: clock())
  try store.save(kept.harbour, now: clock())
}

@Test func `the key of another device verifies no right`() throws {
  let kept = try Kept()
  let other = try #require(DeviceKey(bytes: [UInt8](repeating: 8, count: 32)))
  let store = try StateStore(directory: kept.directory.path, key: other, now: clock())
  #expect(store.rightsFaults == [.changed(app: "ferry"), .changed(app: "harbour"), .replaced])
}
