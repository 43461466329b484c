import Authorization
import LineProtocol
package import Base

/// The authentication of the stored authorizations and of all other rows that another program must not change. The
/// method is HMAC-SHA-256 (RFC 2104) with keys that only this device can derive.
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
  /// The key of the code over all rows before format 7 of the database. That code covered only the records of the apps
  /// and the lock state.
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
  /// - Parameter values: The columns that `StoredRow` names, in the order of the table.
  func code(of row: StoredRow, _ values: [SQLiteValue]) -> [UInt8] {
    switch row {
    case .record: code(values, recordKey)
    case .value: code(values, valueKey)
    case .fix: code(values, fixKey)
    case .region: code(values, regionKey)
    }
  }

  /// Returns the secret code of a row for the exclusive or over all rows. This code is not stored, because an attacker
  /// could combine stored codes to the same exclusive or.
  fileprivate func member(_ row: StoredRow, _ code: [UInt8]) -> [UInt8] {
    self.code(row.identity + [.blob(code)], memberKey)
  }

  /// Returns the authentication code over all rows. If another program replaced a row, the result is empty, which is
  /// never a valid code.
  func code(of rows: StoredRows, at head: LogHead) -> [UInt8] {
    guard rows.isWhole else { return [] }
    return code(
      [
        .integer(head.sequence), .blob(head.code), .integer(rows.revision), .boolean(rows.isLocked), .blob(rows.set),
      ], sealKey)
  }

  /// Returns the authentication code over all rows as in the formats 5 and 6 of the database.
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

/// The identity of a row that has an authentication code.
enum StoredRow: Hashable, Sendable {
  /// The record of an app. Its code covers the first `recordColumns` columns of the table `app`.
  case record(app: String)
  /// An encrypted value. Its code covers its name and its encrypted bytes.
  case value(name: String)
  /// A saved fix that waits for an output, by its identifier. Its code covers all columns except the encrypted bytes,
  /// because the encryption already binds these bytes to the other columns.
  case fix(Int64)
  /// A region, by its identifier. Its code covers its identifier and its encrypted bytes.
  case region(Int64)

  /// The count of authenticated columns of the table `app`. A later version may only add columns at the end, which are
  /// null in old records.
  static let recordColumns = 11
  /// The count of authenticated columns of the table `outbox`.
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

/// The authentication codes of the rows, as this program read them when the store was opened, or wrote them later. The
/// codes are not read again. Otherwise a new code over all rows could cover a row that another program wrote in the
/// meantime.
struct StoredRows: Sendable {
  private(set) var codes: [StoredRow: [UInt8]] = [:]
  /// The exclusive or of the secret codes of all rows.
  private(set) var set = [UInt8](repeating: 0, count: LogChain.byteCount)
  var isLocked = false
  /// The count of changes of rows since the database was created.
  var revision: Int64 = 0
  /// Whether the authentication code over all rows in the database is valid. If the code is wrong, `settleFaults`
  /// writes a new one.
  var isWhole = true

  /// The values of the four properties above before the present transaction; nil outside of a transaction.
  private var before: (set: [UInt8], isLocked: Bool, revision: Int64, isWhole: Bool)?
  /// The rows that the present transaction changed, each with its former authentication code; nil if the row had none.
  private var formerCodes: [(row: StoredRow, code: [UInt8]?)] = []

  /// Replaces the authentication code of a row. If the code is nil, removes the row.
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

  /// Whether the present transaction has changed a row or the lock state of the gateway.
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

/// A fault of the stored state, which shows that another program, or the owner, changed the database.
package enum StateFault: Hashable, Sendable, CustomStringConvertible {
  case changed(app: String)
  /// Another program changed an encrypted value: keys, places, or the state of the algorithm for approximate positions.
  case changedValue(name: String)
  /// Another program changed the saved fix with this identifier, which waits for an output.
  case changedFix(Int64)
  /// Another program changed the region with this identifier.
  case changedRegion(Int64)
  /// Another program removed, added or restored rows, or changed the lock state of the gateway.
  case replaced
  /// The database is an older copy or a new one: its count of changes is less than the count in a file outside the
  /// database (`LogAnchor.rightsRevision`).
  case rolledBack

  package var description: String {
    switch self {
    case .changed(let app):
      // The error message does not contain an invalid app name, which another program may have written.
      "the record of \(AppID(app).map { "app '\($0)'" } ?? "an app with an invalid name") "
        + "was changed by another program: the app is denied"
    case .changedValue(let name):
      "the sealed value \(SealedValueName.shown(name)) was changed by another program: it is removed"
    case .changedFix(let number): "fix \(number) in the outbox was changed by another program: it is removed"
    case .changedRegion(let number): "region \(number) was changed by another program: it is removed"
    case .replaced:
      "another program replaced rows of the state: every app is denied, the gateway is locked, and all keys, places, "
        + "regions and waiting fixes are removed"
    case .rolledBack:
      "the state is older than its anchor, or it is new: every app is denied, the gateway is locked, and all keys, "
        + "places, regions and waiting fixes are removed"
    }
  }

  package var remedy: String {
    switch self {
    case .changed, .changedValue, .changedFix, .changedRegion, .replaced:
      "find out which program can write the state; then allow the apps, and create keys and places again"
    case .rolledBack:
      "if you restored or moved the state yourself, restore it again and start onefixd once with --renew-anchor (man "
        + "onefixd, EXAMPLES); otherwise find out which program can write the state"
    }
  }

  /// The code of the warning about this fault for the owners of the gateway.
  package var warning: String {
    switch self {
    case .changed, .changedValue, .changedFix, .changedRegion, .replaced: "rights-changed"
    case .rolledBack: "state-older"
    }
  }
}

/// The names of encrypted values in messages.
enum SealedValueName {
  /// Returns the name in quotes, or the words `with an invalid name`. Another program may have written a name with
  /// control characters.
  static func shown(_ name: String) -> String {
    name.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && name.utf8.count <= 80 ? "'\(name)'" : "with an invalid name"
  }
}

// A set, because a start compares each row with all faults, and another program can change every row.
extension Set<StateFault> {
  /// Whether a fault concerns all rows, because the state as a whole is not the state that this gateway saved last.
  var concernAll: Bool { contains(.replaced) || contains(.rolledBack) }

  /// Whether a row must not be used because of a fault.
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
  /// Reads the authentication codes of all rows, compares them with the content of the rows, and returns the faults.
  ///
  /// - Parameter anchored: The count of changes (`StoredRows.revision`) that the database must at least have; nil if it
  ///   is unknown.
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
    let isOld = anchored.map { rows.revision < $0 } ?? false
    return changed + (rows.isWhole ? [] : [.replaced]) + (isOld ? [.rolledBack] : [])
  }

  /// Runs the body in a transaction. If the body changes rows or the log, the transaction also saves a new
  /// authentication code over all rows. If the transaction fails, the codes in memory are restored, too.
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
    if rows.hasChanged { rows.revision = min(rows.revision, .max - 1) + 1 }
    try updateSeal.run(.blob(seal.code(of: rows, at: try head())), .integer(rows.revision))
  }
}

/// A row as the database contains it, with its authentication code.
private struct AuthenticatedRow {
  let row: StoredRow
  let values: [SQLiteValue]
  let code: [UInt8]

  /// - Parameter count: The count of authenticated columns. The code is in the next column.
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
  /// Removes the rows that another program changed, and saves a new authentication code over all rows. The app of a
  /// changed record gets a record with the status `denied`. If a waiting fix is removed, its log entry gets the outcome
  /// `lost` when the store is opened again.
  package func settleFaults(now: ClockReading) throws(StoreError) {
    let faults = unsettledFaults
    guard !faults.isEmpty else { return }
    let (apps, isLocked) = try load(now: now)
    let anchored = try anchorFile?.rightsRevision(chain) ?? 0
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
        opened.rows.revision = max(opened.rows.revision, anchored)
        for record in apps where faults.concern(.record(app: record.app.name)) { try opened.save(record, now: now) }
        try opened.save(isLocked: isLocked)
      }
    }
    unsettledFaults = []
  }
}
