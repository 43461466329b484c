/// The steps of migrations that compute authentication codes for the rows of an older database.
extension Schema {
  static func head(of database: SQLiteDatabase) throws(SQLiteFailure) -> LogHead {
    try database.prepare("SELECT sequence, code FROM log_end").rows {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      LogHead(sequence: row.integer(0), code: row.blob(1))
    }.first ?? LogHead()
  }

  /// Copies the entries of an old disclosure log into a new table, in which each entry has an authentication code.
  /// Earlier changes of the old log by another program cannot be detected.
  @Sendable static func chainEntries(_ database: SQLiteDatabase, _ keys: Keys) throws(SQLiteFailure) {
    let insert = try database.prepare(
      """
      INSERT INTO chained_log (sequence, code, time, event, app, accuracy, "right", transport, simulated, late, outcome,
        disclosure, fixes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """)
    let entries = try database.prepare(
      """
      SELECT sequence, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure, NULL
      FROM disclosure_log ORDER BY sequence
      """)
    var head = LogHead()
    _ = try entries.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      // The log of that format had these columns only.
      let entry = LogRow(values: row.values(11, from: 1))
      let sequence = row.integer(0)
      head = LogHead(sequence: sequence, code: keys.chain.code(of: entry, sequence: sequence, after: head.code))
      try insert.run([.integer(sequence), .blob(head.code)] + entry.values)
    }
    try database.prepare("INSERT INTO log_end (id, sequence, code) VALUES (1, ?1, ?2)")
      .run(.integer(head.sequence), .blob(head.code))
  }

  /// Adds an authentication code to each app record, and an authentication code over all app records and the lock state
  /// of the gateway.
  @Sendable static func sealRights(_ database: SQLiteDatabase, _ keys: Keys) throws(SQLiteFailure) {
    let records = try database.prepare(
      """
      SELECT app, status, provisional, button_confirmed, accuracy, upgrade_asked, last_served, pause_until, pause_length,
        sees_always_until
      FROM app ORDER BY app
      """)
    let update = try database.prepare("UPDATE app SET code = ?2 WHERE app = ?1")
    let rows = try records.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      // The records of that format had these columns only.
      (app: row.text(0), code: keys.rows.code(of: .record(app: row.text(0)), row.values(10)))
    }
    for (app, code) in rows { try update.run(.text(app), .blob(code)) }
    let seal = keys.rows.formerCode(
      ofRecords: Dictionary(rows) { first, _ in first }, isLocked: try isLocked(in: database), revision: 0,
      at: try head(of: database))
    try database.prepare("UPDATE log_end SET rights = ?1").run(.blob(seal))
  }

  /// Adds authentication codes to the encrypted values and to the saved fixes, and replaces the authentication code
  /// over all rows. If the former code is wrong, the new code is wrong, too, so that a change by another program is
  /// still detected.
  @Sendable static func sealRows(_ database: SQLiteDatabase, _ keys: Keys) throws(SQLiteFailure) {
    let seal = keys.rows
    var rows = StoredRows()
    rows.isLocked = try isLocked(in: database)
    let records = try database.prepare("SELECT app, code FROM app").rows {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in (app: row.text(0), code: row.blob(1))
    }
    for (app, code) in records { rows.replace(.record(app: app), by: code, seal) }
    let values = try database.prepare("SELECT name, sealed FROM blob").rows {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in (name: row.text(0), values: row.values(2))
    }
    let updateValue = try database.prepare("UPDATE blob SET code = ?2 WHERE name = ?1")
    for (name, values) in values {
      let code = seal.code(of: .value(name: name), values)
      try updateValue.run(.text(name), .blob(code))
      rows.replace(.value(name: name), by: code, seal)
    }
    let fixes = try database.prepare(
      """
      SELECT number, disclosure, mark, app, bridge, accuracy, "right", simulated, expires FROM outbox
      """
    ).rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (number: row.integer(0), values: row.values(StoredRow.fixColumns))
    }
    let updateFix = try database.prepare("UPDATE outbox SET code = ?2 WHERE number = ?1")
    for (number, values) in fixes {
      let code = seal.code(of: .fix(number), values)
      try updateFix.run(.integer(number), .blob(code))
      rows.replace(.fix(number), by: code, seal)
    }
    let head = try head(of: database)
    let formers = try database.prepare("SELECT rights, revision FROM log_end").rows {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in (code: row.blob(0), revision: row.integer(1))
    }
    guard let former = formers.first else { throw SQLiteFailure(unreadable: "the end of the log is missing") }
    rows.isWhole =
      former.code
      == seal.formerCode(
        ofRecords: Dictionary(records) { first, _ in first }, isLocked: rows.isLocked, revision: former.revision,
        at: head)
    rows.revision = former.revision
    try database.prepare("UPDATE log_end SET rights = ?1").run(.blob(seal.code(of: rows, at: head)))
  }

  private static func isLocked(in database: SQLiteDatabase) throws(SQLiteFailure) -> Bool {
    try database.prepare("SELECT locked FROM gateway").rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      row.boolean(0)
    }.first ?? true
  }
}
