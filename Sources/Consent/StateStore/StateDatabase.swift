import Authorization
import Base
import LineProtocol

/// The connection to the SQLite database, with its prepared statements. The functions that save, add, move or remove a
/// row run in a transaction of the caller.
final class StateDatabase {
  let database: SQLiteDatabase
  let seal: StateSeal
  var rows = StoredRows()
  /// Whether the present transaction has appended an entry to the disclosure log (the log of releases of location
  /// data).
  var hasAppended = false
  /// The identifier of the present boot of the machine; empty if the identifier is unknown.
  private let boot: String
  let selectRecords: SQLiteStatement
  let selectRecord: SQLiteStatement
  let upsertRecord: SQLiteStatement
  let removeRecord: SQLiteStatement
  let selectLock: SQLiteStatement
  let updateLock: SQLiteStatement
  let insertEntry: SQLiteStatement
  let selectHead: SQLiteStatement
  let selectLast: SQLiteStatement
  let saveHead: SQLiteStatement
  let selectSeal: SQLiteStatement
  let updateSeal: SQLiteStatement
  let selectBeginning: SQLiteStatement
  let saveBeginning: SQLiteStatement
  let selectCode: SQLiteStatement
  let selectCodes: SQLiteStatement
  let selectAges: SQLiteStatement
  let selectLastClosed: SQLiteStatement
  let removeEntries: SQLiteStatement
  let selectOpening: SQLiteStatement
  let insertOpen: SQLiteStatement
  let removeOpen: SQLiteStatement
  let selectOpen: SQLiteStatement
  let selectEntries: SQLiteStatement
  let selectNewestEntries: SQLiteStatement
  let upsertValue: SQLiteStatement
  let selectValues: SQLiteStatement
  let selectValue: SQLiteStatement
  let eraseValue: SQLiteStatement
  let upsertRegion: SQLiteStatement
  let selectRegions: SQLiteStatement
  let eraseRegion: SQLiteStatement
  let addAnswer: SQLiteStatement
  let selectAnswers: SQLiteStatement
  let removeAnswers: SQLiteStatement
  let addHoursToDays: SQLiteStatement
  let removeHours: SQLiteStatement
  let insertWaiting: SQLiteStatement
  let selectWaiting: SQLiteStatement
  let selectSealed: SQLiteStatement
  let moveWaiting: SQLiteStatement
  let removeWaiting: SQLiteStatement

  init(_ database: SQLiteDatabase, _ seal: StateSeal, boot: String) throws(SQLiteFailure) {
    self.database = database
    self.boot = boot
    self.seal = seal
    selectRecords = try database.prepare(
      """
      SELECT app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until, pause_length,
        sees_always_until, time_limit, code
      FROM app ORDER BY app
      """)
    selectRecord = try database.prepare(
      """
      SELECT app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until, pause_length,
        sees_always_until, time_limit, code
      FROM app WHERE app = ?1
      """)
    upsertRecord = try database.prepare(
      """
      INSERT INTO app (app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until,
        pause_length, sees_always_until, time_limit, code)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT (app) DO UPDATE SET status = ?2, provisional = ?3, button_confirmed = ?4, accuracy = ?5,
        upgrade_asked = ?6, last_served = ?7, pause_until = ?8, pause_length = ?9, sees_always_until = ?10,
        time_limit = ?11, code = ?12
      """)
    removeRecord = try database.prepare("DELETE FROM app WHERE app = ?1")
    selectLock = try database.prepare("SELECT locked FROM gateway")
    updateLock = try database.prepare("UPDATE gateway SET locked = ?1")
    insertEntry = try database.prepare(
      """
      INSERT INTO disclosure_log (sequence, code, time, event, app, accuracy, "right", transport, simulated, late,
        outcome, disclosure, fixes, prompt, choice, purpose, language, way, user)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
      """)
    selectHead = try database.prepare("SELECT sequence, code FROM log_end")
    selectLast = try database.prepare("SELECT max(sequence) FROM disclosure_log")
    saveHead = try database.prepare("UPDATE log_end SET sequence = ?1, code = ?2")
    selectSeal = try database.prepare("SELECT rights, revision FROM log_end")
    updateSeal = try database.prepare("UPDATE log_end SET rights = ?1, revision = ?2")
    selectBeginning = try database.prepare("SELECT sequence, code, time, authentication FROM log_beginning")
    saveBeginning = try database.prepare(
      """
      INSERT INTO log_beginning (id, sequence, code, time, authentication) VALUES (1, ?1, ?2, ?3, ?4)
      ON CONFLICT (id) DO UPDATE SET sequence = ?1, code = ?2, time = ?3, authentication = ?4
      """)
    selectCode = try database.prepare("SELECT code FROM disclosure_log WHERE sequence = ?1")
    selectCodes = try database.prepare(
      """
      SELECT sequence, code, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure, fixes,
        prompt, choice, purpose, language, way, user
      FROM disclosure_log WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?3
      """)
    selectAges = try database.prepare(
      """
      SELECT sequence, time < ?2 OR time > ?5, time < ?2 AND time >= ?3 FROM disclosure_log
      WHERE sequence > ?1 ORDER BY sequence LIMIT ?4
      """)
    // Without an open disclosure, the result is greater than the number of every entry.
    selectLastClosed = try database.prepare(
      "SELECT coalesce(min(sequence), 9223372036854775807) - 1 FROM open_disclosure")
    removeEntries = try database.prepare("DELETE FROM disclosure_log WHERE sequence <= ?1")
    selectOpening = try database.prepare("SELECT app, event FROM disclosure_log WHERE sequence = ?1")
    insertOpen = try database.prepare("INSERT INTO open_disclosure (sequence) VALUES (?1)")
    removeOpen = try database.prepare("DELETE FROM open_disclosure WHERE sequence = ?1")
    selectOpen = try database.prepare(
      """
      SELECT sequence FROM open_disclosure
      WHERE sequence NOT IN (SELECT disclosure FROM outbox) ORDER BY sequence
      """)
    // The conditions are a column, and not a part of WHERE, so that LIMIT is the maximum number of rows that are read.
    selectEntries = try database.prepare(
      """
      SELECT sequence, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure, fixes,
        prompt, choice, purpose, language, way, user, (?3 IS NULL OR time >= ?3) AND (?4 IS NULL OR app = ?4)
      FROM disclosure_log WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence LIMIT ?5
      """)
    selectNewestEntries = try database.prepare(
      """
      SELECT sequence, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure, fixes,
        prompt, choice, purpose, language, way, user, (?3 IS NULL OR time >= ?3) AND (?4 IS NULL OR app = ?4)
      FROM disclosure_log WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence DESC LIMIT ?5
      """)
    upsertValue = try database.prepare(
      "INSERT INTO blob (name, sealed, code) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET sealed = ?2, code = ?3"
    )
    selectValues = try database.prepare("SELECT name, sealed, code FROM blob ORDER BY name")
    selectValue = try database.prepare("SELECT sealed FROM blob WHERE name = ?1")
    eraseValue = try database.prepare("DELETE FROM blob WHERE name = ?1")
    upsertRegion = try database.prepare(
      """
      INSERT INTO region (number, sealed, code) VALUES (?1, ?2, ?3)
      ON CONFLICT (number) DO UPDATE SET sealed = ?2, code = ?3
      """)
    selectRegions = try database.prepare("SELECT number, sealed, code FROM region ORDER BY number")
    eraseRegion = try database.prepare("DELETE FROM region WHERE number = ?1")
    addAnswer = try database.prepare(
      """
      INSERT INTO answer (day, app, answer, count) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (day, app, answer) DO UPDATE SET count = min(max(count, 0) + ?4, 2147483647)
      """)
    selectAnswers = try database.prepare(
      "SELECT day, app, answer, count FROM answer WHERE day >= ?1 OR day = ?2 ORDER BY day, app, answer")
    removeAnswers = try database.prepare("DELETE FROM answer WHERE day < ?1")
    // The column "day" has a day or an hour: 2026-11-21 or 2026-11-21T07.
    addHoursToDays = try database.prepare(
      """
      INSERT INTO answer (day, app, answer, count)
      SELECT substr(day, 1, 10), app, answer, sum(min(max(count, 0), 2147483647)) FROM answer
      WHERE day < ?1 AND length(day) > 10 GROUP BY substr(day, 1, 10), app, answer
      ON CONFLICT (day, app, answer) DO UPDATE SET count = min(max(count, 0) + excluded.count, 2147483647)
      """)
    removeHours = try database.prepare("DELETE FROM answer WHERE day < ?1 AND length(day) > 10")
    insertWaiting = try database.prepare(
      """
      INSERT INTO outbox (number, disclosure, mark, app, bridge, accuracy, "right", simulated, expires, sealed, code)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """)
    selectWaiting = try database.prepare(
      """
      SELECT number, disclosure, mark, app, bridge, accuracy, "right", simulated, expires, code FROM outbox
      ORDER BY number
      """)
    selectSealed = try database.prepare("SELECT sealed FROM outbox WHERE number = ?1")
    moveWaiting = try database.prepare("UPDATE outbox SET disclosure = ?2, code = ?3 WHERE number = ?1")
    removeWaiting = try database.prepare("DELETE FROM outbox WHERE number = ?1")
  }

  func isLocked() throws(SQLiteFailure) -> Bool {
    let rows = try selectLock.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.boolean(0) }
    guard let isLocked = rows.first else { throw SQLiteFailure(unreadable: "the record of the lock is missing") }
    return isLocked
  }

  func head() throws(SQLiteFailure) -> LogHead {
    let rows = try selectHead.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      LogHead(sequence: row.integer(0), code: row.blob(1))
    }
    guard let head = rows.first else { throw SQLiteFailure(unreadable: "the end of the log is missing") }
    return head
  }

  /// Returns the last removed entry of the disclosure log; nil if no entry was ever removed. The sequence number is
  /// limited to the valid range, because another program may have written an invalid number.
  func beginning() throws(SQLiteFailure) -> LogBeginning? {
    try selectBeginning.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      LogBeginning(sequence: min(max(row.integer(0), 0), Int64.max - 1), code: row.blob(1), time: row.text(2))
    }.first
  }

  /// Returns the authentication code of the log entry with a sequence number; nil if the log has no such entry. The
  /// database still contains the code of the last entry that was removed because of its age.
  func code(of sequence: Int64) throws(SQLiteFailure) -> [UInt8]? {
    if sequence == 0 { return LogChain.initialCode }
    if let beginning = try beginning(), beginning.sequence == sequence { return beginning.code }
    return try selectCode.rows(.integer(sequence)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      row.blob(0)
    }.first
  }

  /// Returns the stored record of an app; nil if there is none, or if it has invalid fields.
  func record(of app: AppID, now: ClockReading) throws(SQLiteFailure) -> AppRecord? {
    try selectRecord.rows(.text(app.name)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      try? record(row, now: now, trustsClock: false)
    }.first ?? nil
  }

  func save(_ record: AppRecord, now: ClockReading) throws(SQLiteFailure) {
    let values: [SQLiteValue] = [
      .text(record.app.name), .text(record.status.rawValue), .boolean(record.isProvisional),
      .boolean(record.isButtonConfirmed), .text(record.accuracy.rawValue), .boolean(record.hasAskedUpgrade),
      .integer(record.lastServed), .integer(record.promptPause.map { now.utc(at: $0.until).nanosecondsSince1970 }),
      .integer(record.promptPause?.length.clampedNanoseconds),
      .integer(record.seesAlwaysUntil.map { now.utc(at: $0).nanosecondsSince1970 }),
      .text(record.timeLimit.map { StoredTimeLimit($0, boot: boot, at: now).text }),
    ]
    let row = StoredRow.record(app: record.app.name)
    let code = seal.code(of: row, values)
    try upsertRecord.run(values + [.blob(code)])
    rows.replace(row, by: code, seal)
  }

  func remove(_ app: String) throws(SQLiteFailure) {
    try removeRecord.run(.text(app))
    rows.replace(.record(app: app), by: nil, seal)
  }

  func save(isLocked: Bool) throws(SQLiteFailure) {
    try updateLock.run(.boolean(isLocked))
    rows.isLocked = isLocked
  }

  func save(_ sealed: [UInt8], as name: String) throws(SQLiteFailure) {
    let row = StoredRow.value(name: name)
    let code = seal.code(of: row, [.text(name), .blob(sealed)])
    try upsertValue.run(.text(name), .blob(sealed), .blob(code))
    rows.replace(row, by: code, seal)
  }

  func removeValue(_ name: String) throws(SQLiteFailure) {
    try eraseValue.run(.text(name))
    rows.replace(.value(name: name), by: nil, seal)
  }

  func save(_ sealed: [UInt8], asRegion number: Int64) throws(SQLiteFailure) {
    let row = StoredRow.region(number)
    let code = seal.code(of: row, [.integer(number), .blob(sealed)])
    try upsertRegion.run(.integer(number), .blob(sealed), .blob(code))
    rows.replace(row, by: code, seal)
  }

  func removeRegion(_ number: Int64) throws(SQLiteFailure) {
    try eraseRegion.run(.integer(number))
    rows.replace(.region(number), by: nil, seal)
  }

  /// Saves a fix that waits for its sink (the receiving service, such as an MQTT broker).
  ///
  /// - Parameter sealed: The encrypted bytes of the fix.
  func add(_ fix: OutboxEntry, _ sealed: [UInt8]) throws(SQLiteFailure) {
    let row = StoredRow.fix(fix.number)
    let code = seal.code(of: row, fix.columns)
    try insertWaiting.run(fix.columns + [.blob(sealed), .blob(code)])
    rows.replace(row, by: code, seal)
  }

  /// Saves the new sequence number of the log entry about a saved fix.
  func move(_ fix: OutboxEntry) throws(SQLiteFailure) {
    let row = StoredRow.fix(fix.number)
    let code = seal.code(of: row, fix.columns)
    try moveWaiting.run(.integer(fix.number), .integer(fix.disclosure), .blob(code))
    rows.replace(row, by: code, seal)
  }

  func removeFix(_ number: Int64) throws(SQLiteFailure) {
    try removeWaiting.run(.integer(number))
    rows.replace(.fix(number), by: nil, seal)
  }

  /// Returns the records of all apps, sorted by the name of the app.
  ///
  /// - Parameters:
  ///   - trustsClock: Whether the wall clock is right. If not, a temporary authorization from an earlier boot ends at
  ///     once.
  ///   - denied: The names of apps whose records are replaced by records with the status `denied`.
  func records(
    now: ClockReading, trustsClock: Bool, denied: Set<String>
  ) throws(SQLiteFailure) -> [AppRecord] {
    try selectRecords.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) -> AppRecord? in
      let name = row.text(0)
      // A record with an invalid name belongs to no app, so it can be skipped.
      if denied.contains(name) { return AppID(name).map { AppRecord(app: $0, status: .denied, accuracy: .place) } }
      return try record(row, now: now, trustsClock: trustsClock)
    }.compactMap { $0 }
  }

  private func record(
    _ row: borrowing SQLiteRow, now: ClockReading, trustsClock: Bool
  ) throws(SQLiteFailure) -> AppRecord {
    guard let app = AppID(row.text(0)), let status = AuthorizationStatus(rawValue: row.text(1)),
      let accuracy = FixAccuracy(rawValue: row.text(4))
    else { throw SQLiteFailure(unreadable: "the record of app '\(row.text(0))' has invalid fields") }
    var record = AppRecord(app: app, status: status, accuracy: accuracy)
    record.isProvisional = row.boolean(2)
    record.isButtonConfirmed = row.boolean(3)
    record.hasAskedUpgrade = row.boolean(5)
    record.lastServed = row.isNull(6) ? nil : row.integer(6)
    // The saved times come from the wall clock, which may have jumped since then. A valid time is at most 24 h in the
    // future, so later times are limited to 24 h from now.
    let latest = now.monotonic + .seconds(24 * 3600)
    if !row.isNull(9) {
      record.seesAlwaysUntil = min(now.instant(at: UTCTime(nanosecondsSince1970: row.integer(9))), latest)
    }
    if !row.isNull(7) {
      let until = now.instant(at: UTCTime(nanosecondsSince1970: row.integer(7)))
      record.promptPause = PromptPause(until: min(until, latest), length: .nanoseconds(row.integer(8)))
    }
    if !row.isNull(10) {
      guard let stored = StoredTimeLimit(row.text(10)) else {
        throw SQLiteFailure(unreadable: "the record of app '\(app)' has an invalid end")
      }
      record.timeLimit = stored.limit(in: boot, at: now, trustsClock: trustsClock)
    }
    return record
  }
}
