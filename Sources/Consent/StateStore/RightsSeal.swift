internal import Authorization
package import Clocks
internal import Crypto

/// Authenticates the apps' records and the lock: HMAC-SHA-256 (RFC 2104) with keys that only this device can derive.
///
/// Each record has a code of its own, which tells whether that record was changed. One more code binds the records'
/// codes, the lock and the end of the log together: with it, a record that was removed, added, or put back as it was
/// earlier is found. A revision counts the changes of rights; the anchor of the log has it, too, so that an older copy of
/// the whole database is found.
struct RightsSeal: Sendable {
  private let recordKey: SymmetricKey
  private let sealKey: SymmetricKey

  init(_ key: DeviceKey) {
    recordKey = key.derive("state store: records")
    sealKey = key.derive("state store: rights")
  }

  /// - Parameter values: the columns of a record, in the order of `StoredRights.columns`.
  func code(ofRecord values: [SQLiteValue]) -> [UInt8] { code(values.canonical, recordKey) }

  /// Returns the code of all records; an empty one, which never verifies, if their bond is broken.
  func code(of rights: StoredRights, at head: LogHead) -> [UInt8] {
    guard rights.isWhole else { return [] }
    var values: [SQLiteValue] = [
      .integer(head.sequence), .blob(head.code), .integer(rights.revision), .boolean(rights.isLocked),
    ]
    for (app, code) in rights.codes.sorted(by: { $0.key < $1.key }) { values += [.text(app), .blob(code)] }
    return code(values.canonical, sealKey)
  }

  private func code(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }
}

/// The records' codes and the lock, as this program read or wrote them last. Not read from the database again: then the
/// next seal would bind a record that another program put there meanwhile.
struct StoredRights: Hashable, Sendable {
  /// By the name of the app.
  var codes: [String: [UInt8]] = [:]
  var isLocked = false
  /// How often rights were changed.
  var revision: Int64 = 0
  /// Whether all records belonged together when the store was opened, or were denied since.
  var isWhole = true

  /// Columns of the table `app` that are authenticated. New ones come at the end and are null in old records.
  static let columns = 10
}

/// A fault of the rights in the state.
package enum RightsFault: Hashable, Sendable, CustomStringConvertible {
  /// The record of an app is not as it was written.
  case changed(app: String)
  /// Records were removed, added or put back as they were earlier, or the lock was changed.
  case replaced
  /// The database is older than the anchor of the log.
  case rolledBack

  package var description: String {
    switch self {
    case .changed(let app):
      // Another program wrote the name: it may hold anything.
      "the record of \(AppID(app).map { "app '\($0)'" } ?? "an app with an invalid name") was changed outside of OneFix: "
        + "the app counts as denied"
    case .replaced:
      "the apps' records or the lock were replaced outside of OneFix: every app counts as denied, and the gateway is locked"
    case .rolledBack:
      "the state is older than its anchor: every app counts as denied, and the gateway is locked (if you put it back from a "
        + "backup, start onefixd once with --renew-anchor)"
    }
  }
}

extension OpenedDatabase {
  /// Reads the codes of the records, and compares them with the records, with the seal, and with the anchor.
  /// - Parameter anchored: the revision that the rights had at the last anchor; nil if that is not known.
  func readRights(anchored: Int64?) throws(SQLiteFailure) -> [RightsFault] {
    let rows = try selectRecords.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (app: row.text(0), values: row.values(StoredRights.columns), code: row.blob(Int32(StoredRights.columns)))
    }
    rights = StoredRights(
      codes: Dictionary(rows.map { ($0.app, $0.code) }) { first, _ in first }, isLocked: try isLocked())
    let found = try selectSeal.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (code: row.blob(0), revision: row.integer(1))
    }.first
    rights.revision = found?.revision ?? 0
    rights.isWhole = found?.code == seal.code(of: rights, at: try head())
    let changed = rows.filter { $0.code != seal.code(ofRecord: $0.values) }.map { RightsFault.changed(app: $0.app) }
    let isOld = anchored.map { rights.revision < $0 } ?? false
    return changed + (rights.isWhole ? [] : [.replaced]) + (isOld ? [.rolledBack] : [])
  }

  /// Writes the code of all records. To be called inside the transaction that changes one of them.
  func saveSeal() throws(SQLiteFailure) {
    // The number in the database may be any that another program wrote.
    rights.revision = min(rights.revision, .max - 1) + 1
    try updateSeal.run(.blob(seal.code(of: rights, at: try head())), .integer(rights.revision))
  }

  /// Runs the body as one whole, as the database does; the codes in memory stay those of what is on the disk.
  func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    let before = rights
    do {
      return try database.transaction(body)
    } catch {
      rights = before
      throw error
    }
  }
}

extension StateStore {
  /// Replaces the records that another program changed by the denials that `load` returns, and seals all rights again.
  package func denyChangedRights(now: ClockReading) throws(StoreError) {
    let (apps, isLocked) = try load(now: now)
    let anchored = try anchorFile?.rightsRevision(chain) ?? 0
    try performRevocation("deny changed rights in") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        let known = Set(apps.map(\.app.name))
        for name in opened.rights.codes.keys where !known.contains(name) { try opened.remove(name) }
        opened.rights.isWhole = true
        opened.rights.revision = max(opened.rights.revision, anchored)
        for record in apps { try opened.save(record, now: now) }
        try opened.save(isLocked: isLocked)
      }
    }
    unsettledFaults = []
  }
}
