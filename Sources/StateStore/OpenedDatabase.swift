import Authorization
import Clocks

/// The database with the statements that are run on it, each prepared once.
final class OpenedDatabase {
  let database: SQLiteDatabase
  let selectRecords: SQLiteStatement
  let upsertRecord: SQLiteStatement
  let removeRecord: SQLiteStatement
  let selectLock: SQLiteStatement
  let saveLock: SQLiteStatement
  let insertDisclosure: SQLiteStatement
  let insertOpen: SQLiteStatement
  let removeOpen: SQLiteStatement
  let selectOpen: SQLiteStatement
  let insertOutcome: SQLiteStatement
  let selectEntries: SQLiteStatement
  let selectNewestEntries: SQLiteStatement
  let upsertBlob: SQLiteStatement
  let selectBlob: SQLiteStatement
  let removeBlob: SQLiteStatement

  init(_ database: SQLiteDatabase) throws(SQLiteFailure) {
    self.database = database
    selectRecords = try database.prepare(
      """
      SELECT app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until, pause_length,
        sees_always_until
      FROM app ORDER BY app
      """)
    upsertRecord = try database.prepare(
      """
      INSERT INTO app (app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until,
        pause_length, sees_always_until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      ON CONFLICT (app) DO UPDATE SET status = ?2, provisional = ?3, button_confirmed = ?4, accuracy = ?5,
        upgrade_asked = ?6, last_served = ?7, pause_until = ?8, pause_length = ?9, sees_always_until = ?10
      """)
    removeRecord = try database.prepare("DELETE FROM app WHERE app = ?1")
    selectLock = try database.prepare("SELECT locked FROM gateway")
    saveLock = try database.prepare("UPDATE gateway SET locked = ?1")
    insertDisclosure = try database.prepare(
      """
      INSERT INTO disclosure_log (time, event, app, accuracy, "right", transport, simulated, late)
      VALUES (?1, 'disclosure', ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    insertOpen = try database.prepare("INSERT INTO open_disclosure (sequence) VALUES (?1)")
    removeOpen = try database.prepare("DELETE FROM open_disclosure WHERE sequence = ?1")
    selectOpen = try database.prepare("SELECT sequence FROM open_disclosure ORDER BY sequence")
    insertOutcome = try database.prepare(
      """
      INSERT INTO disclosure_log (time, event, app, outcome, disclosure)
      SELECT ?1, 'outcome', app, ?2, sequence FROM disclosure_log WHERE sequence = ?3
      """)
    selectEntries = try database.prepare(
      """
      SELECT sequence, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure
      FROM disclosure_log
      WHERE sequence > ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR app = ?3) ORDER BY sequence LIMIT ?4
      """)
    selectNewestEntries = try database.prepare(
      """
      SELECT sequence, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure
      FROM disclosure_log
      WHERE sequence > ?1 AND (?2 IS NULL OR time >= ?2) AND (?3 IS NULL OR app = ?3) ORDER BY sequence DESC LIMIT ?4
      """)
    upsertBlob = try database.prepare(
      "INSERT INTO blob (name, sealed) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET sealed = ?2")
    selectBlob = try database.prepare("SELECT sealed FROM blob WHERE name = ?1")
    removeBlob = try database.prepare("DELETE FROM blob WHERE name = ?1")
  }

  func isLocked() throws(SQLiteFailure) -> Bool {
    let rows = try selectLock.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.boolean(0) }
    guard let isLocked = rows.first else { throw SQLiteFailure(unreadable: "the gateway's own record is missing") }
    return isLocked
  }

  func save(_ record: AppRecord, now: ClockReading) throws(SQLiteFailure) {
    try upsertRecord.run(
      .text(record.app.name), .text(record.status.rawValue), .boolean(record.isProvisional),
      .boolean(record.isButtonConfirmed), .text(record.accuracy.rawValue), .boolean(record.hasAskedUpgrade),
      .integer(record.lastServed), .integer(record.promptPause.map { now.utc(at: $0.until).nanosecondsSince1970 }),
      .integer(record.promptPause?.length.clampedNanoseconds),
      .integer(record.seesAlwaysUntil.map { now.utc(at: $0).nanosecondsSince1970 }))
  }

  func records(now: ClockReading) throws(SQLiteFailure) -> [AppRecord] {
    try selectRecords.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      let name = row.text(0)
      guard let app = AppID(name), let status = Status(rawValue: row.text(1)),
        let accuracy = Accuracy(rawValue: row.text(4))
      else { throw SQLiteFailure(unreadable: "the record of app '\(name)' cannot be understood") }
      var record = AppRecord(app: app, status: status, accuracy: accuracy)
      record.isProvisional = row.boolean(2)
      record.isButtonConfirmed = row.boolean(3)
      record.hasAskedUpgrade = row.boolean(5)
      record.lastServed = row.isNull(6) ? nil : row.integer(6)
      // Times were kept by the wall clock, which may have jumped since.
      let latest = now.monotonic + .seconds(24 * 3600)
      if !row.isNull(9) {
        record.seesAlwaysUntil = min(
          now.instant(at: UTCTime(nanosecondsSince1970: row.integer(9))), latest)
      }
      if !row.isNull(7) {
        let until = now.instant(at: UTCTime(nanosecondsSince1970: row.integer(7)))
        record.promptPause = PromptPause(
          until: min(until, latest), length: .nanoseconds(row.integer(8)))
      }
      return record
    }
  }
}
