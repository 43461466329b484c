package import Authorization
package import Clocks
internal import CSQLite
internal import Crypto

/// What survives restarts and power loss: the apps' records, the lock, the disclosure log and sealed values.
///
/// When a call that writes returns, what it wrote is on the disk; where it throws, nothing of it is, and the store can
/// be used on. It belongs to one owner, who calls it from one place at a time.
package final class StateStore {
  /// Disclosures of an earlier run whose outcome nobody knew. They are closed as `lost` when the store is opened, or,
  /// where the disk is full then, together with the next disclosure.
  package let lostDisclosures: [Int64]

  /// Those that are still to be closed.
  var unclosedDisclosures: [Int64]

  /// The faults of the apps' records and of the lock, as they were found when the store was opened.
  package internal(set) var rightsFaults: [RightsFault]

  /// The faults whose records are still in the database.
  var unsettledFaults: [RightsFault]

  let files: StateDirectory
  let blobKey: SymmetricKey
  let chain: LogChain
  let anchorFile: AnchorFile?
  let reserve: Reserve
  private var opened: OpenedDatabase?
  private var lock: StateLock?

  /// Opens the store in a directory, which is made where it does not exist.
  /// - Parameter anchor: where the log is anchored, outside of the directory; nil keeps no anchor, and then a log whose
  ///   last entries were removed cannot be told from a shorter one.
  /// - Throws: `StoreError` where another process holds it, or where it cannot be read or written. A database that is
  ///   damaged, or newer than this program, is left as it is.
  package init(directory: String, key: DeviceKey, anchor: String? = nil, now: ClockReading) throws(StoreError) {
    let files = StateDirectory(directory)
    let keys = Schema.Keys(chain: LogChain(key), rights: RightsSeal(key))
    let chain = keys.chain
    let anchorFile = anchor.map { AnchorFile(path: $0) }
    try files.make()
    let lock = try StateLock(files.lock)
    try files.prepareDatabase()
    let opened: OpenedDatabase
    do {
      let anchored = (try? anchorFile?.rightsRevision(chain)) ?? nil
      let migration = Schema.Migration(
        keys: keys, hasAuthenticatedRights: anchored != nil
      ) { head in
        // A log that has no codes yet, and an anchor: the one is not the other's. Verification tells.
        guard let anchorFile, (try? anchorFile.lines()) == .some(nil) else { return }
        // The power may go before the rights are authenticated, too.
        let anchor = LogAnchor(head, rightsRevision: nil, time: now.utc)
        try? anchorFile.write([anchor.line(chain)])
      }
      opened = try OpenedDatabase(try StateStore.database(files, migration), keys.rights)
      // Read before the first write: each write seals the rights again, those that another program replaced included.
      let faults = try opened.readRights(anchored: anchored)
      self.rightsFaults = faults
      self.unsettledFaults = faults
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
    self.reserve = Reserve(path: files.reserve)
    self.lock = lock
    self.opened = opened
    // Where there is no room for it now, it is made before something is disclosed.
    try? reserve.make()
  }

  /// Makes a state directory where it does not exist, before anything is put inside or beside it.
  package static func makeDirectory(_ path: String) throws(StoreError) { try StateDirectory(path).make() }

  deinit { close() }

  /// Writes the WAL back, closes the database and lets other processes have the directory. Later calls throw.
  package func close() {
    opened = nil
    lock = nil
  }

  /// Every app's record, in the order of their names, and whether the kill switch was thrown.
  ///
  /// A pause of prompts was kept by the wall clock, which may have jumped since: none ends later than 24 h from now. An app
  /// whose record was changed outside of this program is denied.
  package func load(now: ClockReading) throws(StoreError) -> (apps: [AppRecord], isLocked: Bool) {
    let faults = unsettledFaults
    return try perform("read") { (opened) throws(SQLiteFailure) in
      let isReplaced = faults.contains(.replaced) || faults.contains(.rolledBack)
      let denied = opened.rights.codes.keys.filter { isReplaced || faults.contains(.changed(app: $0)) }
      return (try opened.records(now: now, denied: Set(denied)), isReplaced ? true : try opened.isLocked())
    }
  }

  /// Where the disk is full, what gives no right that was not there before is written in the room kept for it.
  package func save(_ record: AppRecord, now: ClockReading) throws(StoreError) {
    let operation = "save the record of \(record.app) in"
    // One that cannot be read gives nothing.
    let before = try perform(operation) { (opened) throws(SQLiteFailure) in
      (try? opened.record(of: record.app, now: now)) ?? nil
    }
    let body = { (opened: OpenedDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.save(record, now: now) }
    }
    if record.gives(moreThan: before) {
      try perform(operation, body)
    } else {
      try performRevocation(operation, body)
    }
  }

  /// Forgets an app's record: it has to ask anew. Its entries in the log stay.
  package func remove(_ app: AppID) throws(StoreError) {
    try performRevocation("remove the record of \(app) from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.remove(app.name) }
    }
  }

  package func saveLock(_ isLocked: Bool) throws(StoreError) {
    let body = { (opened: OpenedDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.save(isLocked: isLocked) }
    }
    if isLocked { try performRevocation("save the lock in", body) } else { try perform("save the lock in", body) }
  }

  /// For work on the database: says what failed.
  func perform<Result>(
    _ operation: String, _ body: (OpenedDatabase) throws(SQLiteFailure) -> Result
  ) throws(StoreError) -> Result {
    guard let opened else { throw StoreError(.closed, operation, files.database, cause: "it has been closed") }
    do {
      return try body(opened)
    } catch {
      throw StoreError(error, operation, files.database)
    }
  }

  /// Opens the file, looks whether it is ours, and brings it to the present version. Where it is not to be used, what
  /// SQLite made beside it to look is taken away again.
  private static func database(
    _ files: StateDirectory, _ migration: Schema.Migration
  ) throws -> SQLiteDatabase {
    let beside = files.besideDatabase
    do {
      return try usableDatabase(files, migration)
    } catch let error as StoreError where error.kind == .unsuitable {
      // It is closed by now.
      for file in files.besideDatabase.subtracting(beside) { try? removeFile(file) }
      throw error
    }
  }

  private static func usableDatabase(
    _ files: StateDirectory, _ migration: Schema.Migration
  ) throws -> SQLiteDatabase {
    let path = files.database
    let database = try SQLiteDatabase(path)
    // Until it is known to be ours, not even a checkpoint may change it.
    database.setCheckpointOnClose(false)
    try database.execute("PRAGMA busy_timeout = 2000")
    switch try Schema.fitness(of: database) {
    case .foreign:
      throw StoreError(
        .unsuitable, "open", path, cause: "it is the database of another program",
        remedy: "name another state directory with --state")
    case .tooNew(let version):
      throw StoreError(
        .unsuitable, "open", path,
        cause: "it has the format \(version), and this version knows formats up to \(Schema.version)",
        remedy: "install the version of OneFix that wrote it, or a newer one; nothing was changed")
    case .usable(let version):
      if version > 0 { try Schema.check(database, version) }
      try files.keepOthersOut()
      try database.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA secure_delete = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA journal_size_limit = 4194304;
        """)
      database.setCheckpointOnClose(true)
      // Tables are rebuilt with what refers to them: only then may they refer again.
      try Schema.migrate(database, from: version, migration)
      try database.execute("PRAGMA foreign_keys = ON")
      return database
    }
  }
}

extension StoreError {
  /// From what SQLite refused.
  init(_ failure: SQLiteFailure, _ operation: String, _ path: String) {
    let (kind, remedy): (Kind, String?) =
      switch failure.code & 0xFF {
      case _ where failure.isFull: (.full, StoreError.roomRemedy)
      case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, StateDirectory.remedy)
      case SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_AUTH:
        (.notPermitted, "the state directory and its files must be writable for this user")
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another program is writing to it")
      case SQLITE_IOERR: (.failed, "look at the kernel's messages for faults of the disk")
      default: (.failed, nil)
      }
    let cause = kind == .full ? "database or disk is full" : failure.message
    self.init(kind, operation, path, cause: cause, remedy: remedy)
  }
}
