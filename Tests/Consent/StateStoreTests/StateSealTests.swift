import Authorization
import Base
import LineProtocol
import SeededNumbers
import TemporaryFiles
import Testing

@testable import StateStore

private let deniedFerry = AppRecord(app: ferry, status: .denied)
private let usedHarbour = AppRecord(app: harbour, status: .whenInUse, accuracy: .reduced)
/// The apps of the configuration. One of them has no record.
private let configured: Set<AppID> = [ferry, harbour, AppID("pier")!]

/// Returns a closed store with a log and the records of two apps. One of the apps had more rights before.
private func sealedState() throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  let store = try directory.open()
  try store.save(AppRecord(app: ferry, status: .always), now: clock())
  // The table `before` holds the earlier records, as a backup would.
  try directory.change("CREATE TABLE before AS SELECT * FROM app")
  try store.save(deniedFerry, now: clock())
  let opened = try store.openDisclosure(entry(harbour), record: usedHarbour, now: clock())
  try store.close(.outcome(.sent, of: opened), now: clock())
  store.close()
  return directory
}

/// Returns the apps and the lock of a store, which has no faults.
private func loaded(_ store: StateStore) throws -> (apps: [AppRecord], isLocked: Bool) {
  #expect(store.stateFaults == [])
  return try store.load(now: clock())
}

@Test func `a state without faults is not written`() throws {
  let kept = try sealedState()
  let store = try kept.open()
  // Nothing can be written while another connection holds the lock for writes.
  let other = try SQLiteDatabase(kept.path("onefix.sqlite"))
  try other.execute("BEGIN IMMEDIATE")
  try store.settleFaults(now: clock(), configured: configured)
  try other.execute("ROLLBACK")
}

@Test(
  arguments: [
    "UPDATE app SET status = 'always' WHERE app = 'ferry'", "UPDATE app SET status = 'sometimes' WHERE app = 'ferry'",
    "UPDATE app SET provisional = 1 WHERE app = 'ferry'", "UPDATE app SET button_confirmed = 1 WHERE app = 'ferry'",
    "UPDATE app SET accuracy = 'reduced' WHERE app = 'ferry'", "UPDATE app SET upgrade_asked = 1 WHERE app = 'ferry'",
    "UPDATE app SET last_served = 1 WHERE app = 'ferry'",
    "UPDATE app SET pause_until = 1, pause_length = 1 WHERE app = 'ferry'",
    "UPDATE app SET sees_always_until = 1 WHERE app = 'ferry'",
    "UPDATE app SET time_limit = 'first 1 2 3 denied -' WHERE app = 'ferry'",
  ] as [StaticString])
func `an app whose record another program changed is denied, and other apps are not`(change: StaticString) throws {
  let kept = try sealedState()
  try kept.change(change)
  do {
    let store = try kept.open()
    #expect(store.stateFaults == [.changed(app: "ferry")])
    let state = try store.load(now: clock(), configured: configured)
    #expect(state.apps == [AppRecord(app: ferry, status: .denied, accuracy: .place), usedHarbour])
    #expect(!state.isLocked)
    try store.settleFaults(now: clock())
    try store.save(AppRecord(app: ferry, status: .always), now: clock())
  }
  #expect(try loaded(kept.open()).apps == [AppRecord(app: ferry, status: .always), usedHarbour])
}

@Test(
  arguments: [
    "DELETE FROM app WHERE app = 'ferry'", "UPDATE app SET code = NULL WHERE app = 'ferry'",
    "INSERT INTO app SELECT 'kiosk', 'always', 0, 1, 'full', 0, NULL, NULL, NULL, NULL, code, NULL FROM app LIMIT 1",
    "UPDATE app SET app = 'kiosk' WHERE app = 'ferry'",
    // A record that this device wrote, and later replaced.
    "DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before",
    "UPDATE gateway SET locked = 1", "UPDATE log_end SET rights = NULL", "UPDATE log_end SET rights = x''",
  ] as [StaticString])
func `if records were removed, added or restored, every app is denied and the gateway is locked`(change: StaticString)
  throws
{
  let kept = try sealedState()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.stateFaults.last == .replaced)
  let state = try store.load(now: clock(), configured: configured)
  // The record of an app with a refusal may be the one that was removed.
  #expect(configured.isSubset(of: state.apps.map(\.app)))
  #expect(state.apps.allSatisfy { $0.status == .denied && $0.accuracy == .place } && state.isLocked)
  try store.settleFaults(now: clock(), configured: configured)
  store.close()
  #expect(try loaded(kept.open()) == state)
}

@Test func `a record with an invalid app name gives no right and is removed`() throws {
  let kept = try sealedState()
  try kept.change("UPDATE app SET app = 'a' || char(10) || 'b' WHERE app = 'ferry'")
  let store = try kept.open()
  #expect(store.stateFaults == [.changed(app: "a\nb"), .replaced])
  #expect(store.stateFaults.allSatisfy { !"\($0)".contains("\n") }, "the message stays one line")
  #expect(try store.load(now: clock()).apps.map(\.app) == [harbour])
  try store.settleFaults(now: clock())
  store.close()
  #expect(try kept.open().stateFaults == [])
}

@Test(
  arguments: [
    "UPDATE app SET status = 'always' WHERE app = 'ferry'", "DELETE FROM app WHERE app = 'ferry'",
  ] as [StaticString])
func `changed rights are detected at every start until their apps are denied, independently of other writes`(
  change: StaticString
) throws {
  let kept = try sealedState()
  // The next opening closes this disclosure, which writes the end of the log.
  do { _ = try kept.open().openDisclosure(entry(harbour), record: usedHarbour, now: clock()) }
  try kept.change(change)
  let faults = try kept.open().stateFaults
  #expect(!faults.isEmpty)
  let store = try kept.open()
  #expect(store.stateFaults == faults)
  let state = try store.load(now: clock())
  try store.settleFaults(now: clock())
  #expect(store.stateFaults == faults, "faults stay until the store is closed")
  #expect(try store.load(now: clock()) == state)
  store.close()
  #expect(try loaded(kept.open()) == state)
}

@Test func `a record that another program restores while the store is open is detected at the next start`() throws {
  let kept = try sealedState()
  let store = try kept.open()
  try kept.change("DELETE FROM app WHERE app = 'ferry'; INSERT INTO app SELECT * FROM before")
  // The new seal does not cover the record that was restored.
  try store.save(usedHarbour, now: clock())
  store.close()
  #expect(try kept.open().stateFaults == [.replaced])
}

/// Returns a store with an anchor, whose database was restored to a time at which the app had more rights.
///
/// - Parameter isGone: Whether the database is removed instead of restored.
private func rolledBack(isGone: Bool = false) throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  do { try directory.openAnchored().save(AppRecord(app: ferry, status: .always), now: clock()) }
  let copy = try #require(directory.read("state/onefix.sqlite"))
  do {
    let store = try directory.openAnchored()
    try store.save(deniedFerry, now: clock())
    #expect(try store.anchor(now: clock()) == nil)
  }
  #expect(try directory.openAnchored().stateFaults == [])
  try directory.write(isGone ? [] : copy, to: "state/onefix.sqlite")
  return directory
}

@Test func `an older copy of the state gives no right, even if nothing was disclosed since`() throws {
  let state = try rolledBack()
  do {
    let store = try state.openAnchored()
    #expect(store.stateFaults == [.rolledBack])
    #expect(try store.load(now: clock()).apps == [AppRecord(app: ferry, status: .denied, accuracy: .place)])
    #expect(try store.load(now: clock()).isLocked)
    for number in Int64(1)...5 { try store.save(served(harbour, number), now: clock()) }
    // The anchor file keeps this number of anchors, so no anchor of the newer state is left.
    for hour in 1...Int64(AnchorFile.maximumCount) { #expect(try store.anchor(now: clock(hour * 3600)) == nil) }
  }
  // The older copy is detected at every start until its apps are denied, independently of other writes.
  let store = try state.openAnchored()
  #expect(store.stateFaults == [.rolledBack])
  #expect(try store.load(now: clock()).apps.map(\.status) == [.denied, .denied])
  try store.settleFaults(now: clock())
  store.close()
  #expect(try loaded(state.openAnchored()).apps.map(\.status) == [.denied, .denied])
}

@Test func `after an owner restores an older state and renews the anchor, its rights hold`() throws {
  let state = try rolledBack()
  do {
    let store = try state.openAnchored()
    try store.renewAnchor(now: clock())
    #expect(try loaded(store).apps == [AppRecord(app: ferry, status: .always)])
  }
  #expect(try loaded(state.openAnchored()).apps == [AppRecord(app: ferry, status: .always)])
}

@Test func `if the state is removed but its anchor remains, every configured app is denied and the gateway is locked`()
  throws
{
  let kept = try rolledBack(isGone: true)
  let store = try kept.openAnchored()
  #expect(store.stateFaults == [.rolledBack])
  let state = try store.load(now: clock(), configured: configured)
  #expect(state.isLocked)
  #expect(state.apps == configured.sorted().map { AppRecord(app: $0, status: .denied, accuracy: .place) })
  try store.settleFaults(now: clock(), configured: configured)
  store.close()
  #expect(try loaded(kept.openAnchored()) == state)
}

@Test func `rights, sealed values and the log do not verify with another device's key`() throws {
  let kept = try sealedState()
  do { try kept.open().seal([1], as: "cloak") }
  let other = try #require(DeviceKey(bytes: [UInt8](repeating: 8, count: 32)))
  let store = try StateStore(directory: kept.path, key: other, now: clock())
  #expect(
    store.stateFaults
      == [.changed(app: "ferry"), .changed(app: "harbour"), .changedValue(name: "cloak"), .replaced])
  #expect(throws: StateStore.changed("unseal 'cloak' in", kept.path("onefix.sqlite"))) {
    _ = try store.unseal("cloak")
  }
  #expect(try store.verifyLog().faults == [.changed(1), .changed(2)])
}

// MARK: Sealed values and the outbox

/// Returns a closed store whose tables `former_blob`, `former_outbox` and `former_region` hold earlier rows: a key that
/// is now revoked, places with a name that is now withdrawn, a fix that is now erased, an earlier memory of the cloak, a
/// removed region and an earlier side of another region.
private func keptValues() throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  let store = try directory.open()
  for name in ["key:ferry", "places", "cloak"] { try store.seal([1, 2, 3], as: name) }
  try keep(store)
  try store.save(regions: [1: [1], 2: [2]])
  try directory.change(
    """
    CREATE TABLE former_blob AS SELECT * FROM blob;
    CREATE TABLE former_outbox AS SELECT * FROM outbox;
    CREATE TABLE former_region AS SELECT * FROM region
    """)
  try store.save(regions: [1: nil, 2: [3]])
  try store.erase("key:ferry")
  try store.seal([4], as: "places", isRevocation: true)
  try store.seal([5], as: "cloak")
  try store.settle(try #require(store.waitingFixes().first), .erased, now: clock(1))
  store.close()
  #expect(try directory.open().stateFaults == [])
  return directory
}

@Test(
  arguments: [
    "INSERT INTO blob SELECT * FROM former_blob WHERE name = 'key:ferry'",
    "REPLACE INTO blob SELECT * FROM former_blob WHERE name = 'places'",
    "REPLACE INTO blob SELECT * FROM former_blob WHERE name = 'cloak'", "DELETE FROM blob WHERE name = 'cloak'",
    "INSERT INTO outbox SELECT * FROM former_outbox", "UPDATE blob SET code = NULL",
    "INSERT INTO region SELECT * FROM former_region WHERE number = 1",
    "REPLACE INTO region SELECT * FROM former_region WHERE number = 2", "DELETE FROM region",
    "UPDATE region SET number = 1",
  ] as [StaticString])
func `no key, place, node, region or fix comes from a row that another program restored or removed`(
  change: StaticString
) throws {
  let kept = try keptValues()
  try kept.change(change)
  let store = try kept.open()
  #expect(store.stateFaults.last == .replaced)
  #expect(try store.load(now: clock()).isLocked)
  for name in ["key:ferry", "places", "cloak"] {
    #expect(throws: StoreError.self) { _ = try store.unseal(name) }
  }
  #expect(throws: StoreError.self) { _ = try store.regions() }
  #expect(try store.waitingFixes() == [])
  try store.settleFaults(now: clock())
  #expect(try store.regions().isEmpty)
  for name in ["key:ferry", "places", "cloak"] { #expect(try store.unseal(name) == nil) }
  #expect(try store.waitingFixes() == [])
  store.close()
  #expect(try kept.open().stateFaults == [])
}

@Test func `a region that another program changed is removed, and the other regions and the rights stay`() throws {
  let kept = try keptValues()
  do {
    let store = try kept.open()
    try store.save(AppRecord(app: harbour, status: .always), now: clock())
    try store.save(regions: [3: [4]])
  }
  try kept.change("UPDATE region SET sealed = x'00' WHERE number = 2")
  let store = try kept.open()
  #expect(store.stateFaults == [.changedRegion(2)])
  #expect(throws: StateStore.changed("unseal the regions in", kept.path("onefix.sqlite"))) { _ = try store.regions() }
  #expect(try store.load(now: clock()).apps.last?.status == .always)
  try store.settleFaults(now: clock())
  #expect(try store.regions().map(\.number) == [3] && store.regions().map(\.bytes) == [[4]])
  store.close()
  #expect(try kept.open().stateFaults == [])
}

@Test func `regions replace the value of an earlier format in one transaction, and can be erased with it`() throws {
  let kept = try keptValues()
  let store = try kept.open()
  try store.seal([7], as: "regions")
  #expect(throws: StoreError.self) {
    try store.limit()
    try store.save(regions: [3: [UInt8](repeating: 1, count: 100_000)], replacing: "regions")
  }
  #expect(try store.unseal("regions") == [7] && store.regions().map(\.number) == [2])
  try store.save(regions: [3: [8]], replacing: "regions")
  #expect(try store.unseal("regions") == nil && store.regions().map(\.bytes) == [[3], [8]])
  try store.seal([7], as: "regions")
  try store.eraseRegions(and: "regions")
  #expect(try store.unseal("regions") == nil && store.regions().isEmpty)
  store.close()
  #expect(try kept.open().stateFaults == [])
}

@Test
func `a sealed value or a waiting fix that another program changed is removed, and the others and the rights stay`()
  throws
{
  let kept = try keptValues()
  do {
    let store = try kept.open()
    try store.save(AppRecord(app: harbour, status: .always), now: clock())
    for seconds: Int64 in 0...1 { try keep(store, at: seconds) }
  }
  try kept.change(
    """
    UPDATE blob SET sealed = x'00' WHERE name = 'places';
    UPDATE outbox SET accuracy = 'everything' WHERE number = (SELECT min(number) FROM outbox)
    """)
  let store = try kept.open()
  let other = try #require(try store.entries(limit: 10).last?.sequence)
  let number = other - 1
  #expect(store.stateFaults == [.changedValue(name: "places"), .changedFix(number)])
  #expect(try store.load(now: clock()).apps.last?.status == .always)
  #expect(try !store.load(now: clock()).isLocked)
  #expect(throws: StateStore.changed("unseal 'places' in", kept.path("onefix.sqlite"))) {
    _ = try store.unseal("places")
  }
  #expect(try store.unseal("cloak") == [5])
  #expect(try store.waitingFixes().map(\.number) == [other])
  try store.settleFaults(now: clock())
  #expect(try store.unseal("places") == nil)
  store.close()
  let next = try kept.open()
  #expect(next.stateFaults == [])
  #expect(try next.waitingFixes().map(\.number) == [other])
  #expect(next.lostDisclosures == [number], "the outcome of the removed fix is unknown")
}

@Test func `the code of a row in the set belongs to this row`() {
  let seal = StateSeal(key)
  var rows = StoredRows()
  rows.replace(.value(name: "a"), by: [1], seal)
  rows.replace(.value(name: "b"), by: [2], seal)
  var swapped = StoredRows()
  swapped.replace(.value(name: "a"), by: [2], seal)
  swapped.replace(.value(name: "b"), by: [1], seal)
  #expect(rows.set != swapped.set)
}

@Test func `the set of rows depends on the rows alone, and not on the order of their changes`() {
  let seal = StateSeal(key)
  var random = SplitMix64(seed: 42)
  var (rows, model) = (StoredRows(), [StoredRow: [UInt8]]())
  for _ in 0..<2000 {
    rows.beginTransaction()
    var draft = model
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let number = Int64.random(in: 0..<6, using: &random)
      let choices = [StoredRow.fix(number), .value(name: "\(number)"), .record(app: "\(number)"), .region(number)]
      let row = choices.randomElement(using: &random)!
      let code = Bool.random(using: &random) ? [UInt8.random(in: 0...255, using: &random)] : nil
      rows.replace(row, by: code, seal)
      draft[row] = code
    }
    let isSaved = Bool.random(using: &random)
    rows.endTransaction(isSaved: isSaved)
    if isSaved { model = draft }
    var fresh = StoredRows()
    for (row, code) in model { fresh.replace(row, by: code, seal) }
    #expect(rows.codes == model && rows.set == fresh.set)
  }
}
