package import Authorization
package import Base
internal import CSQLite
import Glibc
package import LineProtocol

/// The state that survives restarts and power loss. The state consists of app records, the lock of the gateway,
/// encrypted values and the disclosure log (the log of all releases of location data).
///
/// After a function has written without an error, its changes are durable. If a function throws an error, none of its
/// changes is saved, and the store can still be used. A store is not thread-safe.
package final class StateStore {
  /// Whether the database did not exist before the store was opened.
  package let isNew: Bool

  /// The sequence numbers of the disclosures (releases of location data) whose outcome an earlier run of the daemon did
  /// not record. When the store is opened, these disclosures get the outcome `lost`. If the disk is full at that time,
  /// the outcome is written with the next disclosure.
  package let lostDisclosures: [Int64]

  /// The part of `lostDisclosures` whose outcome `lost` is not written yet, for example because the disk was full.
  var unclosedDisclosures: [Int64]

  /// The changes by other programs that the store detected in the database when the store was opened.
  package internal(set) var stateFaults: [StateFault]

  /// The faults in `stateFaults` that `settleFaults` has not corrected yet. Database rows with such a fault are not
  /// used.
  var unsettledFaults: Set<StateFault>

  let files: StateDirectory
  let blobKey: SecretKey
  let chain: LogChain
  let anchorFile: AnchorFile?
  let reserve: Reserve
  private var opened: StateDatabase?
  private var lock: StateLock?

  /// Opens the store in a directory, which is created if it does not exist.
  ///
  /// - Parameter anchor: The path of a file outside the directory with copies of the end of the disclosure log. If the
  ///   path is nil, the removal of the last log entries cannot be detected.
  /// - Parameter boot: The identifier of the present boot of the machine; empty if the identifier is unknown.
  /// - Throws: `StoreError` if another process uses the directory, or if the files cannot be read or written. A damaged
  ///   database, or a database of a newer version, stays unchanged.
  package init(
    directory: String, key: DeviceKey, anchor: String? = nil, boot: String = "", now: ClockReading
  ) throws(StoreError) {
    let files = StateDirectory(directory)
    let keys = Schema.Keys(chain: LogChain(key), rows: StateSeal(key))
    let chain = keys.chain
    let anchorFile = anchor.map { AnchorFile(path: $0) }
    let reserve = Reserve(path: files.reserve)
    try files.make()
    let lock = try StateLock(files.lock)
    isNew = try files.prepareDatabase()
    let opened: StateDatabase
    do {
      let anchored = (try? anchorFile?.rightsRevision(chain)) ?? nil
      let migration = Schema.Migration(
        keys: keys, hasAuthenticatedRights: anchored != nil
      ) { head in
        // Before this migration, this log had no codes and no anchor. So an existing anchor file belongs to another
        // log. It stays unchanged, and `verifyLog` reports it.
        guard let anchorFile, (try? anchorFile.lines()) == .some(nil) else { return }
        // The rights are authenticated later, and a power loss may occur before. So the anchor contains no revision.
        let anchor = LogAnchor(head, rightsRevision: nil, time: now.utc)
        try? anchorFile.write([anchor.line(chain)])
      }
      let open = { try StateDatabase(try StateStore.openDatabase(files, migration), keys.rows, boot: boot) }
      do {
        opened = try open()
      } catch let failure as SQLiteFailure where failure.isFull {
        // SQLite needs disk space to open a database. The gateway must start, because it writes the revocations.
        try reserve.release()
        opened = try open()
      }
      // The rows must be read before the first write. Each write computes a new seal over all rows, also over rows that
      // another program replaced.
      let faults = try opened.readRows(anchored: anchored)
      self.stateFaults = faults
      self.unsettledFaults = Set(faults)
      let lost = try opened.closeLostDisclosures(at: now.utc, chain)
      self.lostDisclosures = lost.all
      self.unclosedDisclosures = lost.unclosed
    } catch let failure as SQLiteFailure {
      throw StoreError(failure, "open", files.database)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.failed, "open", files.database, cause: "\(error)")
    }
    self.files = files
    self.blobKey = key.derive("state store: sealed values")
    self.chain = chain
    self.anchorFile = anchorFile
    self.reserve = reserve
    self.lock = lock
    self.opened = opened
    // On a full disk, the space is reserved later, before the first disclosure.
    try? reserve.allocate()
  }

  /// Throws a `StoreError` if a directory has no database that can be read. A verification must not create a database.
  package static func requireDatabase(in directory: String) throws(StoreError) {
    _ = try FileDescriptor(
      "verify", StateDirectory(directory).database, O_RDONLY | O_NONBLOCK,
      remedy: "name the directory of the state with --state")
  }

  /// Whether a directory has a database with data.
  package static func hasDatabase(in directory: String) -> Bool {
    var status = stat()
    return unsafe stat(StateDirectory(directory).database, &status) == 0 && status.st_size > 0
  }

  package static func makeDirectory(_ path: String) throws(StoreError) { try StateDirectory(path).make() }

  deinit { close() }

  /// Closes the database and releases the lock. Later calls throw an error of the kind `closed`.
  package func close() {
    opened = nil
    lock = nil
  }

  /// Returns the records of all apps, sorted by name, and whether the gateway is locked (gives no location to any app).
  ///
  /// Times in the records are limited to 24 h from now, because the wall clock may have jumped. If another program
  /// changed the record of an app, the status of the app is `denied`.
  ///
  /// - Parameters:
  ///   - trustsClock: Whether the wall clock is right. If not, a temporary authorization that began in an earlier boot
  ///     of the machine ends at once.
  ///   - configured: The apps of the configuration. If a fault concerns all rows, each of these apps has a record with
  ///     the status `denied`, because another program may have removed the refusal of the app.
  package func load(
    now: ClockReading, trustsClock: Bool = false, configured: Set<AppID> = []
  ) throws(StoreError) -> (apps: [AppRecord], isLocked: Bool) {
    let faults = unsettledFaults
    return try perform("read") { (opened) throws(SQLiteFailure) -> (apps: [AppRecord], isLocked: Bool) in
      let denied = opened.rows.codes.keys.compactMap { row in
        if case .record(let app) = row, faults.concern(row) { app } else { nil }
      }
      let records = try opened.records(now: now, trustsClock: trustsClock, denied: Set(denied))
      guard faults.concernAll else { return (records, try opened.isLocked()) }
      let missing = configured.subtracting(records.map(\.app)).map {
        AppRecord(app: $0, status: .denied, accuracy: .place)
      }
      return ((records + missing).sorted { $0.app < $1.app }, true)
    }
  }

  package func save(_ record: AppRecord, now: ClockReading) throws(StoreError) { try save([record], now: now) }

  /// Saves the records of apps in one transaction. If the disk is full, the reserved disk space (`Reserve`) is used,
  /// but only if a record takes a permission away, and no record gives a new permission.
  package func save(_ records: [AppRecord], now: ClockReading) throws(StoreError) {
    let operation = records.count == 1 ? "save the record of \(records[0].app) in" : "save records in"
    let isRevocation = try perform(operation) { (opened) throws(SQLiteFailure) -> Bool in
      var takesAway = false
      for record in records {
        let saved = try opened.record(of: record.app, now: now)
        if record.grantsMore(than: saved) { return false }
        takesAway = takesAway || record.takesAway(from: saved)
      }
      return takesAway
    }
    let body = { (opened: StateDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        for record in records { try opened.save(record, now: now) }
      }
    }
    if isRevocation { try performRevocation(operation, body) } else { try perform(operation, body) }
  }

  /// Returns whether a record gives or takes away a permission, compared with the saved record of its app.
  package func changesRights(_ record: AppRecord, now: ClockReading) throws(StoreError) -> Bool {
    try perform("read the record of \(record.app) in") { (opened) throws(SQLiteFailure) in
      let saved = try opened.record(of: record.app, now: now)
      return record.grantsMore(than: saved) || record.takesAway(from: saved)
    }
  }

  /// Removes the record of an app: the app must ask the user again. The log entries of the app stay.
  package func remove(_ app: AppID) throws(StoreError) {
    try performRevocation("remove the record of \(app) from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.remove(app.name) }
    }
  }

  /// Saves whether the gateway is locked (gives no location to any app). If the disk is full and `isLocked` is true,
  /// the reserved disk space (`Reserve`) is used.
  package func saveLock(_ isLocked: Bool) throws(StoreError) {
    let body = { (opened: StateDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.save(isLocked: isLocked) }
    }
    if isLocked { try performRevocation("save the lock in", body) } else { try perform("save the lock in", body) }
  }

  /// Runs a function with the open database, and converts its error to a `StoreError`.
  ///
  /// - Parameter operation: The operation for error messages, for example `save the lock in`.
  func perform<Result>(
    _ operation: String, _ body: (StateDatabase) throws(SQLiteFailure) -> Result
  ) throws(StoreError) -> Result {
    guard let opened else { throw StoreError(.closed, operation, files.database, cause: "the store is closed") }
    do {
      return try body(opened)
    } catch {
      throw StoreError(error, operation, files.database)
    }
  }

  /// Opens and checks the SQLite database, and migrates its schema. A database of another program or of a newer version
  /// stays unchanged. The files that SQLite has created beside such a database are removed.
  private static func openDatabase(
    _ files: StateDirectory, _ migration: Schema.Migration
  ) throws -> SQLiteDatabase {
    let companionsBefore = files.existingCompanions
    do {
      return try openCompatibleDatabase(files, migration)
    } catch let error as StoreError where error.kind == .unsuitable {
      // The database is already closed at this point.
      for file in files.existingCompanions.subtracting(companionsBefore) { try? removeFile(file) }
      throw error
    }
  }

  private static func openCompatibleDatabase(
    _ files: StateDirectory, _ migration: Schema.Migration
  ) throws -> SQLiteDatabase {
    let path = files.database
    let database = try SQLiteDatabase(path)
    // The database of another program must stay unchanged. Even a checkpoint would change it.
    database.setCheckpointOnClose(false)
    try database.execute("PRAGMA busy_timeout = 2000")
    switch try Schema.compatibility(of: database) {
    case .foreign:
      throw StoreError(
        .unsuitable, "open", path, cause: "it is the database of another program",
        remedy: "choose another state directory with --state")
    case .tooNew(let version):
      throw StoreError(
        .unsuitable, "open", path,
        cause: "it has format \(version), but this version supports formats up to \(Schema.version)",
        remedy: "install the OneFix version that wrote it, or a newer one; nothing was changed")
    case .usable(let version):
      if version > 0 { try Schema.check(database, version) }
      try files.restrictPermissions()
      try database.execute(
        """
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA journal_size_limit = 4194304;
        """)
      try Schema.setPageSize(of: database)
      try database.execute("PRAGMA journal_mode = WAL")
      database.setCheckpointOnClose(true)
      // Migrations rebuild tables to which other tables refer, so foreign keys are checked only afterwards.
      try Schema.migrate(database, from: version, migration)
      try database.execute("PRAGMA foreign_keys = ON")
      return database
    }
  }
}

extension StoreError {
  init(_ failure: SQLiteFailure, _ operation: String, _ path: String) {
    let (kind, remedy): (Kind, String?) =
      switch failure.code & 0xFF {
      case _ where failure.isFull: (.full, StoreError.fullDiskRemedy)
      case _ where failure.isReadOnly: (.notPermitted, StoreError.readOnlyRemedy)
      case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, StateDirectory.remedy)
      case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_AUTH:
        (.notPermitted, StoreError.permissionRemedy)
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another program is writing to it")
      case SQLITE_IOERR: (.failed, StoreError.diskErrorRemedy)
      default: (.failed, nil)
      }
    let cause = kind == .full ? "database or disk is full" : failure.message
    self.init(kind, operation, path, cause: cause, remedy: remedy)
  }
}
