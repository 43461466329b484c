internal import Authorization
package import Clocks
internal import Crypto

/// The authentication of the apps' records and of the lock, with HMAC-SHA-256 (RFC 2104) and keys that only this device
/// can derive.
///
/// Each record has its own code, which reveals a change by another program. The *seal* is a code over the codes of all
/// records, the lock and the end of the log. The seal reveals removed, added and restored records. The *revision* is
/// the number of changes of rights. The anchor of the log, outside the database, contains the revision too. So an older
/// copy of the whole database is detected.
struct RightsSeal: Sendable {
  private let recordKey: SymmetricKey
  private let sealKey: SymmetricKey

  init(_ key: DeviceKey) {
    recordKey = key.derive("state store: records")
    sealKey = key.derive("state store: rights")
  }

  /// Returns the code of a record, whose columns are in the order of the table `app`.
  func code(ofRecord values: [SQLiteValue]) -> [UInt8] { code(values.canonical, recordKey) }

  /// Returns the seal of all records. If another program replaced a record, the result is empty, which is never a valid
  /// seal.
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

/// The codes of the records and of the lock, as this program read them at the start or wrote them later. The store does
/// not read them again. Otherwise a new seal could cover a record that another program wrote in the meantime.
struct StoredRights: Hashable, Sendable {
  /// The code of each record, by the name of the app.
  var codes: [String: [UInt8]] = [:]
  var isLocked = false
  /// The number of changes of rights since the database was created.
  var revision: Int64 = 0
  /// Whether the seal is valid. If the seal is wrong, `denyChangedRights` writes a new one.
  var isWhole = true

  /// The number of authenticated columns of the table `app`. A later version may only add columns at the end, which are
  /// null in old records.
  static let columns = 10
}

/// A fault of the saved rights, which shows that another program, or the owner, changed the database.
package enum RightsFault: Hashable, Sendable, CustomStringConvertible {
  /// Another program changed the record of an app.
  case changed(app: String)
  /// Another program removed, added or restored records, or changed the lock.
  case replaced
  /// The database is an older copy or a new one: its revision is less than the revision in the anchor of the log.
  case rolledBack

  package var description: String {
    switch self {
    case .changed(let app):
      // The error message does not contain an invalid app name, which another program may have written.
      "the record of \(AppID(app).map { "app '\($0)'" } ?? "an app with an invalid name") "
        + "was changed by another program: the app is denied"
    case .replaced:
      "another program replaced the apps' records or the lock: every app is denied, and the gateway is locked"
    case .rolledBack:
      "the state is older than its anchor, or it is new: every app is denied, and the gateway is locked"
    }
  }

  package var remedy: String {
    switch self {
    case .changed, .replaced: "find out which program can write the state; then allow the apps again"
    case .rolledBack:
      "if you restored or moved the state yourself, start onefixd once with --renew-anchor (man onefixd, EXAMPLES); "
        + "otherwise find out which program can write the state"
    }
  }

  /// The code of the warning for owners.
  package var warning: String {
    switch self {
    case .changed, .replaced: "rights-changed"
    case .rolledBack: "state-older"
    }
  }
}

extension StateDatabase {
  /// Compares the codes of the records with the records, the seal, and the revision in the anchor file. Returns the
  /// faults.
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

  /// Writes the seal of all records with the next revision, in the caller's transaction.
  func saveSeal() throws(SQLiteFailure) {
    // Another program may have written the maximum revision. The limit prevents an overflow.
    rights.revision = min(rights.revision, .max - 1) + 1
    try updateSeal.run(.blob(seal.code(of: rights, at: try head())), .integer(rights.revision))
  }

  /// Runs the body in a transaction. If the transaction fails, the codes in memory are restored, too.
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
  /// Saves the state that `load` returns, and a new seal. `load` returns the status `denied` for each app whose record
  /// was changed by another program.
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
