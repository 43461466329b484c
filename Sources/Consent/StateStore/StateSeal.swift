import Authorization
package import Base
package import LineProtocol

/// Functions that compute the authentication codes of the database rows that another program must not change, such as
/// authorizations. The method is HMAC-SHA-256 (RFC 2104) with keys that only this device can derive.
///
/// Each row has its own authentication code, which reveals a change by another program. The *seal* is a code over the
/// set of all rows, the lock state of the gateway and the end of the disclosure log. The seal reveals removed, added
/// and restored rows. The *revision* is the count of changes of rows. A file outside the database (`LogAnchor`)
/// contains the revision too, so that an older copy of the whole database is detected.
///
/// The set is represented by the exclusive or of one secret code for each row. So the cost of a new seal depends on the
/// count of changed rows, and not on the count of stored rows. (MSet-XOR-Hash in Clarke et al., "Incremental Multiset
/// Hash Functions and Their Application to Memory Integrity Checking", ASIACRYPT 2003. A set has each row only once.)
struct StateSeal: Sendable {
  private let recordKey: Authenticator
  private let valueKey: Authenticator
  private let fixKey: Authenticator
  private let regionKey: Authenticator
  private let memberKey: Authenticator
  private let sealKey: Authenticator
  /// The key of the authentication code over all app records in database formats 5 and 6. Later formats use `sealKey`.
  private let formerSealKey: Authenticator

  init(_ key: DeviceKey) {
    recordKey = Authenticator(key.derive("state store: records"))
    valueKey = Authenticator(key.derive("state store: values"))
    fixKey = Authenticator(key.derive("state store: outbox"))
    regionKey = Authenticator(key.derive("state store: regions"))
    memberKey = Authenticator(key.derive("state store: members"))
    sealKey = Authenticator(key.derive("state store: rows"))
    formerSealKey = Authenticator(key.derive("state store: rights"))
  }

  /// Returns the authentication code of a row.
  ///
  /// - Parameter values: The values of the columns that the authentication code protects, in the order of the database
  ///   table.
  func code(of row: StoredRow, _ values: [SQLiteValue]) -> [UInt8] {
    switch row {
    case .record: code(values, recordKey)
    case .value: code(values, valueKey)
    case .fix: code(values, fixKey)
    case .region: code(values, regionKey)
    }
  }

  /// Returns the secret code of a row, from which the code over all rows is computed with exclusive or. An attacker
  /// could combine such codes, so the database does not contain them.
  fileprivate func member(_ row: StoredRow, _ code: [UInt8]) -> [UInt8] {
    self.code(row.identity + [.blob(code)], memberKey)
  }

  /// Returns the authentication code over all rows, the lock state and the end of the disclosure log. If another
  /// program replaced a row, the result is empty, which is never a valid code.
  func code(of rows: StoredRows, at head: LogHead) -> [UInt8] {
    guard rows.isWhole else { return [] }
    return code(
      [
        .integer(head.sequence), .blob(head.code), .integer(rows.revision), .boolean(rows.isLocked), .blob(rows.set),
      ], sealKey)
  }

  /// Returns the authentication code of database formats 5 and 6, which covers the app records, the lock state and the
  /// end of the disclosure log.
  func formerCode(
    ofRecords codes: [String: [UInt8]], isLocked: Bool, revision: Int64, at head: LogHead
  ) -> [UInt8] {
    var values: [SQLiteValue] = [
      .integer(head.sequence), .blob(head.code), .integer(revision), .boolean(isLocked),
    ]
    for (app, code) in codes.sorted(by: { $0.key < $1.key }) { values += [.text(app), .blob(code)] }
    return code(values, formerSealKey)
  }

  private func code(_ values: [SQLiteValue], _ key: Authenticator) -> [UInt8] { key.code(of: values.canonical) }
}

/// The key of a database row that an authentication code protects.
enum StoredRow: Hashable, Sendable {
  /// The record of an app. The authentication code covers the first `recordColumns` columns of the table `app`.
  case record(app: String)
  /// An encrypted value. The authentication code covers the name and the encrypted bytes of the value.
  case value(name: String)
  /// A saved fix that waits for its transmission, by its identifier. The authentication code does not cover the
  /// encrypted bytes, because the encryption already authenticates these bytes.
  case fix(Int64)
  /// The region (a circle on the ground) with this identifier. The authentication code covers the identifier and the
  /// encrypted bytes.
  case region(Int64)

  /// The count of columns of the table `app` that the authentication code of a row covers. A later version may only add
  /// columns at the end, which are null in old records.
  static let recordColumns = 11
  /// The count of columns of the table `outbox` that the authentication code of a row covers.
  static let fixColumns = 9

  fileprivate var identity: [SQLiteValue] {
    switch self {
    case .record(let app): [.integer(0), .text(app)]
    case .value(let name): [.integer(1), .text(name)]
    case .fix(let number): [.integer(2), .integer(number)]
    case .region(let number): [.integer(3), .integer(number)]
    }
  }
}

/// The authentication codes of all database rows that another program must not change. The codes are read once, when
/// the store is opened. A second reading could accept a row that another program wrote in the meantime.
struct StoredRows: Sendable {
  private(set) var codes: [StoredRow: [UInt8]] = [:]
  /// The exclusive or of the secret codes (`StateSeal.member`) of all rows.
  private(set) var set = [UInt8](repeating: 0, count: LogChain.byteCount)
  var isLocked = false
  /// The count of all changes of database rows since the creation of the database. While the count is less than
  /// `anchored`, it stays the same, so that each start detects the older copy until `settleFaults` corrects it.
  var revision: Int64 = 0
  /// The minimum of `revision` in a database that is not an older copy; 0 if unknown.
  var anchored: Int64 = 0
  /// Whether the saved authentication code over all rows is correct. If the code is wrong, another program changed the
  /// database.
  var isWhole = true

  /// Whether the database is an older copy or a new one.
  var isOlderCopy: Bool { revision < anchored }

  /// The values of `set`, `isLocked`, `revision` and `isWhole` before the present transaction; nil outside of a
  /// transaction.
  private var before: (set: [UInt8], isLocked: Bool, revision: Int64, isWhole: Bool)?
  /// The rows that the present transaction has changed. `code` is the former authentication code; nil for a new row.
  private var formerCodes: [(row: StoredRow, code: [UInt8]?)] = []

  /// Replaces the authentication code of a row. If the new code is nil, removes the row.
  ///
  /// - Parameter seal: The keys for the code over all rows.
  mutating func replace(_ row: StoredRow, by code: [UInt8]?, _ seal: StateSeal) {
    let former = codes[row]
    if before != nil { formerCodes.append((row, former)) }
    codes[row] = code
    for code in [former, code].compactMap(\.self) {
      for (index, byte) in seal.member(row, code).enumerated() { set[index] ^= byte }
    }
  }

  mutating func beginTransaction() {
    before = (set, isLocked, revision, isWhole)
    formerCodes = []
  }

  var hasChanged: Bool {
    guard let before else { return false }
    return !formerCodes.isEmpty || before.isLocked != isLocked || before.isWhole != isWhole
  }

  mutating func endTransaction(isSaved: Bool) {
    if let before, !isSaved {
      (set, isLocked, revision, isWhole) = before
      for former in formerCodes.reversed() { codes[former.row] = former.code }
    }
    before = nil
    formerCodes = []
  }
}

/// A sign that another program, or the owner, changed the database of the gateway.
package enum StateFault: Hashable, Sendable, CustomStringConvertible {
  case changed(app: String)
  /// Another program changed the encrypted value with this name, for example the keys of apps.
  case changedValue(name: String)
  /// Another program changed the saved fix with this identifier.
  case changedFix(Int64)
  /// Another program changed the region (circle on the ground) with this identifier.
  case changedRegion(Int64)
  /// Another program removed, added or restored rows, or changed whether the gateway is locked.
  case replaced
  /// The database is an older copy or a new one. Its count of changes is less than the count in a file outside the
  /// database (`LogAnchor.rightsRevision`).
  case rolledBack

  package var description: String {
    switch self {
    case .changed(let app):
      // The error message does not contain an invalid app name, which another program may have written.
      "the record of \(AppID(app).map { "app '\($0)'" } ?? "an app with an invalid name") "
        + "was changed, or sealed with another device key: the app is denied"
    case .changedValue(let name):
      "the value \(SealedValueName.shown(name)) was changed, or sealed with another device key: it is removed"
    case .changedFix(let number):
      "fix \(number) in the outbox was changed, or sealed with another device key: it is removed"
    case .changedRegion(let number):
      "region \(number) was changed, or sealed with another device key: it is removed"
    case .replaced:
      "rows of the state were replaced, or sealed with another device key: every app is denied, the gateway is locked, "
        + "and all keys, places, regions and waiting fixes are removed"
    case .rolledBack:
      "the state is older than its anchor, or it is new: every app is denied, the gateway is locked, and all keys, "
        + "places, regions and waiting fixes are removed"
    }
  }

  package var remedy: String {
    switch self {
    case .changed, .changedValue, .changedFix, .changedRegion, .replaced:
      "if the device has another key now, restore the key, the state and its anchor from a backup; otherwise find out "
        + "which program can write the state; then allow the apps, and create keys and places again"
    case .rolledBack:
      "if you restored or moved the state yourself, stop onefixd, restore the state again and start onefixd once with "
        + "--renew-anchor (man onefixd, EXAMPLES); otherwise find out which program can write the state"
    }
  }

  /// The identifier of the warning that owners receive about this fault, for example `rights-changed`.
  package var warning: String {
    switch self {
    case .changed, .changedValue, .changedFix, .changedRegion, .replaced: "rights-changed"
    case .rolledBack: "state-older"
    }
  }
}

enum SealedValueName {
  /// Returns the name in quotes, or `with an invalid name` for a name with control characters, which another program
  /// may have written.
  static func shown(_ name: String) -> String {
    name.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && name.utf8.count <= 80 ? "'\(name)'" : "with an invalid name"
  }
}

// A set, because a start compares each row with all faults, and another program can change every row.
extension Set<StateFault> {
  /// Whether the set contains a fault that makes all rows of the database untrusted.
  var concernAll: Bool { contains(.replaced) || contains(.rolledBack) }

  /// Whether a fault in the set makes this row untrusted.
  func concern(_ row: StoredRow) -> Bool {
    if concernAll { return true }
    return switch row {
    case .record(let app): contains(.changed(app: app))
    case .value(let name): contains(.changedValue(name: name))
    case .fix(let number): contains(.changedFix(number))
    case .region(let number): contains(.changedRegion(number))
    }
  }
}

extension StateDatabase {
  /// Reads the authentication codes of all rows, compares them with the contents of the rows, and returns the faults.
  ///
  /// - Parameter anchored: The minimum count of changes (`StoredRows.revision`) in a database that is not an older
  ///   copy; nil if unknown.
  func readRows(anchored: Int64?) throws(SQLiteFailure) -> [StateFault] {
    let records = try selectRecords.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      AuthenticatedRow(.record(app: row.text(0)), row, StoredRow.recordColumns)
    }
    let values = try selectValues.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      AuthenticatedRow(.value(name: row.text(0)), row, 2)
    }
    let fixes = try selectWaiting.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      AuthenticatedRow(.fix(row.integer(0)), row, StoredRow.fixColumns)
    }
    let regions = try selectRegions.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      AuthenticatedRow(.region(row.integer(0)), row, 2)
    }
    rows = StoredRows()
    var changed: [StateFault] = []
    for row in records + values + fixes + regions {
      rows.replace(row.row, by: row.code, seal)
      if row.code != seal.code(of: row.row, row.values) { changed.append(row.row.changeFault) }
    }
    rows.isLocked = try isLocked()
    let found = try selectSeal.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (code: row.blob(0), revision: row.integer(1))
    }.first
    rows.revision = found?.revision ?? 0
    rows.isWhole = found?.code == seal.code(of: rows, at: try head())
    rows.anchored = anchored ?? 0
    return changed + (rows.isWhole ? [] : [.replaced]) + (rows.isOlderCopy ? [.rolledBack] : [])
  }

  /// Runs the body in a transaction. If the body changes rows or the disclosure log, the transaction also saves a new
  /// authentication code over all rows. If the transaction fails, `rows` gets its former value.
  func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    rows.beginTransaction()
    hasAppended = false
    do {
      let result = try database.transaction { () throws(SQLiteFailure) in
        let result = try body()
        if rows.hasChanged || hasAppended { try saveSeal() }
        return result
      }
      rows.endTransaction(isSaved: true)
      return result
    } catch {
      rows.endTransaction(isSaved: false)
      throw error
    }
  }

  private func saveSeal() throws(SQLiteFailure) {
    // Another program may have written the maximum revision. The limit prevents an overflow.
    if rows.hasChanged, !rows.isOlderCopy { rows.revision = min(rows.revision, .max - 1) + 1 }
    try updateSeal.run(.blob(seal.code(of: rows, at: try head())), .integer(rows.revision))
  }
}

/// The protected columns of a database row, with the saved authentication code of the row.
private struct AuthenticatedRow {
  let row: StoredRow
  let values: [SQLiteValue]
  let code: [UInt8]

  /// Creates the value from a row of a query result.
  ///
  /// - Parameter count: The count of columns that the authentication code covers. The code itself is in the next
  ///   column.
  init(_ row: StoredRow, _ columns: borrowing SQLiteRow, _ count: Int) {
    self.row = row
    values = columns.values(count)
    code = columns.blob(Int32(count))
  }
}

extension StoredRow {
  fileprivate var changeFault: StateFault {
    switch self {
    case .record(let app): .changed(app: app)
    case .value(let name): .changedValue(name: name)
    case .fix(let number): .changedFix(number)
    case .region(let number): .changedRegion(number)
    }
  }
}

extension StateStore {
  /// Removes the rows that another program changed, and saves a new authentication code over all rows. An app whose
  /// record was changed is denied. The log entry of a removed fix gets the outcome `lost` when the store is opened
  /// again.
  ///
  /// - Parameter configured: The apps of the configuration, which are all denied if a fault concerns all rows.
  package func settleFaults(now: ClockReading, configured: Set<AppID> = []) throws(StoreError) {
    let faults = unsettledFaults
    guard !faults.isEmpty else { return }
    let (apps, isLocked) = try load(now: now, configured: configured)
    try performRevocation("remove changed rows from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        let known = Set(apps.map(\.app.name))
        for row in opened.rows.codes.keys {
          switch row {
          case .record(let app): if !known.contains(app) { try opened.remove(app) }
          case .value(let name): if faults.concern(row) { try opened.removeValue(name) }
          case .fix(let number): if faults.concern(row) { try opened.removeFix(number) }
          case .region(let number): if faults.concern(row) { try opened.removeRegion(number) }
          }
        }
        opened.rows.isWhole = true
        opened.rows.revision = max(opened.rows.revision, opened.rows.anchored)
        for record in apps where faults.concern(.record(app: record.app.name)) { try opened.save(record, now: now) }
        try opened.save(isLocked: isLocked)
      }
    }
    unsettledFaults = []
  }
}
