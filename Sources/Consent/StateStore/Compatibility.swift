/// Checks of an SQLite database before its first use.
extension Schema {
  enum Compatibility: Hashable {
    case usable(version: Int)
    case tooNew(version: Int)
    case foreign
  }

  static func compatibility(of database: SQLiteDatabase) throws(SQLiteFailure) -> Compatibility {
    let version = try number(database, "PRAGMA user_version")
    let application = try number(database, "PRAGMA application_id")
    let tables = try number(database, "SELECT count(*) FROM sqlite_schema")
    if application == 0, version == 0, tables == 0 { return .usable(version: 0) }
    guard application == applicationID, version > 0 else { return .foreign }
    return version > self.version ? .tooNew(version: version) : .usable(version: version)
  }

  static func number(_ database: SQLiteDatabase, _ query: StaticString) throws(SQLiteFailure) -> Int {
    try database.prepare(query).rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      Int(row.integer(0))
    }.first ?? 0
  }

  /// Checks the integrity of the tables that determine the authorizations of apps, and throws the first fault that
  /// SQLite finds. The table with the disclosure log is not checked, because this table can be long.
  static func check(_ database: SQLiteDatabase, _ version: Int) throws(SQLiteFailure) {
    var checks: [StaticString] = [
      "PRAGMA quick_check('gateway')", "PRAGMA quick_check('app')", "PRAGMA quick_check('open_disclosure')",
      "PRAGMA quick_check('blob')",
    ]
    if version > 1 { checks += ["PRAGMA quick_check('log_end')", "PRAGMA quick_check('log_beginning')"] }
    if version > 3 { checks.append("PRAGMA quick_check('outbox')") }
    if version > 7 { checks.append("PRAGMA quick_check('region')") }
    for check in checks {
      let answers = try database.prepare(check).rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        row.text(0)
      }
      if let fault = answers.first, fault != "ok" { throw SQLiteFailure(unreadable: fault) }
    }
  }
}
