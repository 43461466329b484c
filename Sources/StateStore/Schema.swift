internal import CSQLite

/// The shape of the database, and the way there from every older one.
enum Schema {
  /// `PRAGMA application_id`: "1FIX". It tells this database from those of other programs.
  static let applicationID = 0x3146_4958

  /// `PRAGMA user_version` of a database that this program can use.
  static var version: Int { migrations.count }

  /// Each leads from its index to the next version. One that was released is never changed.
  private static let migrations: [StaticString] = [
    """
    CREATE TABLE gateway (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      locked INTEGER NOT NULL CHECK (locked IN (0, 1))
    ) STRICT;
    INSERT INTO gateway (id, locked) VALUES (1, 0);

    -- pause_until: nanoseconds since 1970 UTC; pause_length: nanoseconds.
    CREATE TABLE app (
      app TEXT PRIMARY KEY,
      status TEXT NOT NULL,
      provisional INTEGER NOT NULL CHECK (provisional IN (0, 1)),
      button_confirmed INTEGER NOT NULL CHECK (button_confirmed IN (0, 1)),
      accuracy TEXT NOT NULL,
      upgrade_asked INTEGER NOT NULL CHECK (upgrade_asked IN (0, 1)),
      last_served INTEGER,
      pause_until INTEGER,
      pause_length INTEGER,
      CHECK ((pause_until IS NULL) = (pause_length IS NULL))
    ) STRICT, WITHOUT ROWID;

    -- Never a coordinate. An outcome repeats the app of the entry that it closes, so that one condition finds both.
    CREATE TABLE disclosure_log (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      time TEXT NOT NULL,
      event TEXT NOT NULL CHECK (event IN ('disclosure', 'outcome')),
      app TEXT NOT NULL,
      accuracy TEXT,
      "right" TEXT,
      transport TEXT,
      simulated INTEGER CHECK (simulated IN (0, 1)),
      late INTEGER CHECK (late IN (0, 1)),
      outcome TEXT,
      disclosure INTEGER REFERENCES disclosure_log (sequence),
      CHECK (CASE event
        WHEN 'disclosure' THEN accuracy IS NOT NULL AND "right" IS NOT NULL AND transport IS NOT NULL
          AND simulated IS NOT NULL AND late IS NOT NULL AND outcome IS NULL AND disclosure IS NULL
        ELSE accuracy IS NULL AND "right" IS NULL AND transport IS NULL
          AND simulated IS NULL AND late IS NULL AND outcome IS NOT NULL AND disclosure IS NOT NULL END)
    ) STRICT;
    CREATE UNIQUE INDEX disclosure_log_outcome ON disclosure_log (disclosure) WHERE disclosure IS NOT NULL;
    CREATE TRIGGER disclosure_log_keeps_entries BEFORE UPDATE ON disclosure_log
      BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
    CREATE TRIGGER disclosure_log_keeps_all_entries BEFORE DELETE ON disclosure_log
      BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;

    -- The disclosures that have no outcome yet, so that opening need not read the whole log.
    CREATE TABLE open_disclosure (
      sequence INTEGER PRIMARY KEY REFERENCES disclosure_log (sequence)
    ) STRICT;

    CREATE TABLE blob (
      name TEXT PRIMARY KEY,
      sealed BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    """
    -- Nanoseconds since 1970 UTC.
    ALTER TABLE app ADD COLUMN sees_always_until INTEGER;
    """,
  ]

  /// What a database is to this program.
  enum Fitness: Hashable {
    case usable(version: Int)
    case tooNew(version: Int)
    case foreign
  }

  /// Looks without changing anything.
  static func fitness(of database: SQLiteDatabase) throws(SQLiteFailure) -> Fitness {
    func number(_ query: StaticString) throws(SQLiteFailure) -> Int {
      try database.prepare(query).rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        Int(row.integer(0))
      }.first ?? 0
    }
    let version = try number("PRAGMA user_version")
    let application = try number("PRAGMA application_id")
    let tables = try number("SELECT count(*) FROM sqlite_schema")
    if application == 0, version == 0, tables == 0 { return .usable(version: 0) }
    guard application == applicationID, version > 0 else { return .foreign }
    return version > self.version ? .tooNew(version: version) : .usable(version: version)
  }

  /// Brings a usable database to the present version, each step whole or not at all.
  static func migrate(_ database: SQLiteDatabase, from version: Int) throws(SQLiteFailure) {
    for next in version..<max(version, migrations.count) {
      try database.transaction { () throws(SQLiteFailure) in
        try database.execute(migrations[next])
        try database.setPragma("application_id", to: applicationID)
        try database.setPragma("user_version", to: next + 1)
      }
    }
  }

  /// Reads the tables that decide about rights whole; the log, which may be long, is not read.
  /// - Throws: `SQLiteFailure` with the first fault.
  static func check(_ database: SQLiteDatabase) throws(SQLiteFailure) {
    let checks: [StaticString] = [
      "PRAGMA quick_check('gateway')", "PRAGMA quick_check('app')", "PRAGMA quick_check('open_disclosure')",
      "PRAGMA quick_check('blob')",
    ]
    for check in checks {
      let answers = try database.prepare(check).rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        row.text(0)
      }
      if let fault = answers.first, fault != "ok" { throw SQLiteFailure(unreadable: fault) }
    }
  }
}
