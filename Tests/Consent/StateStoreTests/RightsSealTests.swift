import Authorization
import Clocks
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

/// A closed store with a log and the records of two apps, each of which had other rights before.
private struct SealedState {
  let directory: TemporaryDirectory
  let ferry: AppRecord
  let harbour: AppRecord

  init() throws {
    directory = try TemporaryDirectory()
    ferry = AppRecord(app: StateStoreTests.ferry, status: .denied)
    harbour = AppRecord(app: StateStoreTests.harbour, status: .whenInUse, accuracy: .reduced)
    let store = try open()
    try store.save(AppRecord(app: ferry.app, status: .always), now: clock())
    // The table `before` holds the earlier records, as a backup would.
    try change("CREATE TABLE before AS SELECT * FROM app")
    try store.save(ferry, now: clock())
    let entry = try store.openDisclosure(
      DisclosureEntry(app: harbour.app, accuracy: .reduced, right: .once, transport: "unix", isSimulated: true),
      record: harbour, now: clock())
    try store.close(.outcome(.sent, of: entry), now: clock())
    store.close()
  }

  func open() throws -> StateStore { try StateStore(directory: directory.path, key: key, now: clock()) }

  /// Runs statements as another program with write access to the database.
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
func `an app whose record another program changed is denied, and other apps are not`(change: StaticString) throws {
  let kept = try SealedState()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.rightsFaults == [.changed(app: "ferry")])
  let state = try store.load(now: clock())
  #expect(state.apps == [AppRecord(app: ferry, status: .denied, accuracy: .place), kept.harbour])
  #expect(!state.isLocked)
}

@Test(
  arguments: [
    "DELETE FROM app WHERE app = 'ferry'", "UPDATE app SET code = NULL WHERE app = 'ferry'",
    "INSERT INTO app SELECT 'kiosk', 'always', 0, 1, 'full', 0, NULL, NULL, NULL, NULL, code FROM app LIMIT 1",
    "UPDATE app SET app = 'kiosk' WHERE app = 'ferry'",
    // A record that this device wrote, and later replaced.
    "DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before",
    "UPDATE gateway SET locked = 1", "UPDATE log_end SET rights = NULL", "UPDATE log_end SET rights = x''",
  ] as [StaticString])
func `if records were removed, added or restored, every app is denied and the gateway is locked`(change: StaticString)
  throws
{
  let kept = try SealedState()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.rightsFaults.last == .replaced)
  let state = try store.load(now: clock())
  #expect(!state.apps.isEmpty && state.apps.allSatisfy { $0.status == .denied && $0.accuracy == .place })
  #expect(state.isLocked)
}

@Test func `a lock that another program removed still holds`() throws {
  let kept = try SealedState()
  do { try kept.open().saveLock(true) }
  #expect(try kept.open().rightsFaults == [])
  try kept.change("UPDATE gateway SET locked = 0")
  #expect(try kept.open().load(now: clock()).isLocked)
}

@Test func `a record with an invalid app name gives no right and is removed`() throws {
  let kept = try SealedState()
  try kept.change("UPDATE app SET app = 'a' || char(10) || 'b' WHERE app = 'ferry'")
  let store = try kept.open()
  #expect(store.rightsFaults == [.changed(app: "a\nb"), .replaced])
  #expect(store.rightsFaults.allSatisfy { !"\($0)".contains("\n") }, "the message stays one line")
  #expect(try store.load(now: clock()).apps.map(\.app) == [harbour])
  try store.denyChangedRights(now: clock())
  store.close()
  #expect(try kept.open().rightsFaults == [])
}

@Test(
  arguments: [
    "UPDATE app SET status = 'always' WHERE app = 'ferry'", "DELETE FROM app WHERE app = 'ferry'",
  ] as [StaticString])
func `changed rights are detected at every start until their apps are denied, independently of other writes`(
  change: StaticString
) throws {
  let kept = try SealedState()
  // The next opening closes this disclosure, which writes the end of the log.
  let entry = DisclosureEntry(app: harbour, accuracy: .reduced, right: .once, transport: "unix", isSimulated: true)
  do { _ = try kept.open().openDisclosure(entry, record: kept.harbour, now: clock()) }
  try kept.change(change)
  let faults = try kept.open().rightsFaults
  #expect(!faults.isEmpty)
  let store = try kept.open()
  #expect(store.rightsFaults == faults)
  let state = try store.load(now: clock())
  try store.denyChangedRights(now: clock())
  #expect(store.rightsFaults == faults, "faults stay until the store is closed")
  #expect(try store.load(now: clock()) == state)
  store.close()
  let after = try kept.open()
  #expect(after.rightsFaults == [])
  #expect(try after.load(now: clock()) == state)
}

@Test func `an app that was denied because of a changed record can be allowed again`() throws {
  let kept = try SealedState()
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

@Test func `a record that another program restores while the store is open is detected at the next start`() throws {
  let kept = try SealedState()
  let store = try kept.open()
  try kept.change("DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before")
  // The new seal does not cover the record that was restored.
  try store.save(kept.harbour, now: clock())
  store.close()
  #expect(try kept.open().rightsFaults == [.replaced])
}

@Test func `the seal does not cover changes that failed`() throws {
  let kept = try SealedState()
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

/// A store with an anchor, whose database was restored to a time at which the app had more rights.
private struct RolledBack {
  let directory: TemporaryDirectory

  /// - Parameter isGone: Whether the database is removed instead of restored.
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

@Test func `an older copy of the state gives no right, even if nothing was disclosed since`() throws {
  let state = try RolledBack()
  let store = try state.open()
  #expect(store.rightsFaults == [.rolledBack])
  #expect(try store.load(now: clock()).apps == [AppRecord(app: ferry, status: .denied, accuracy: .place)])
  #expect(try store.load(now: clock()).isLocked)
  try store.denyChangedRights(now: clock())
  store.close()
  let again = try state.open()
  #expect(again.rightsFaults == [])
  #expect(try again.load(now: clock()).apps.map(\.status) == [.denied])
}

@Test func `after an owner restores an older state and renews the anchor, its rights hold`() throws {
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

@Test func `if the state is removed but its anchor remains, the gateway is locked`() throws {
  let store = try RolledBack(isGone: true).open()
  #expect(store.rightsFaults == [.rolledBack])
  #expect(try store.load(now: clock()).isLocked)
}

@Test func `an impossibly large revision does not crash the program`() throws {
  let kept = try SealedState()
  try kept.change("UPDATE log_end SET revision = 9223372036854775807")
  let store = try kept.open()
  #expect(store.rightsFaults == [.replaced])
  try store.denyChangedRights(now: clock())
  try store.save(kept.harbour, now: clock())
}

@Test func `rights do not verify with another device's key`() throws {
  let kept = try SealedState()
  let other = try #require(DeviceKey(bytes: [UInt8](repeating: 8, count: 32)))
  let store = try StateStore(directory: kept.directory.path, key: other, now: clock())
  #expect(store.rightsFaults == [.changed(app: "ferry"), .changed(app: "harbour"), .replaced])
}
