internal import CSQLite

/// The schema of the SQLite database, and the migrations from earlier schemas.
enum Schema {
  /// The value of `PRAGMA application_id`, "1FIX" in ASCII, which distinguishes the database from databases of other
  /// programs.
  static let applicationID = 0x3146_4958

  /// The value of `PRAGMA user_version` for the present schema.
  static var version: Int { steps.count }

  /// The migrations. The migration at index n changes the schema from version n to version n + 1. A migration must not
  /// change after its release.
  private static let steps: [Step] = [
    Step(
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
      """),
    Step(
      """
      -- Never a coordinate. An outcome repeats the app of the entry that it closes, so that one condition finds both;
      -- that entry may have been pruned. code: see LogChain.
      CREATE TABLE chained_log (
        sequence INTEGER PRIMARY KEY,
        code BLOB NOT NULL,
        time TEXT NOT NULL,
        event TEXT NOT NULL CHECK (event IN ('disclosure', 'outcome', 'interval', 'end')),
        app TEXT NOT NULL,
        accuracy TEXT,
        "right" TEXT,
        transport TEXT,
        simulated INTEGER CHECK (simulated IN (0, 1)),
        late INTEGER CHECK (late IN (0, 1)),
        outcome TEXT,
        disclosure INTEGER,
        fixes INTEGER,
        CHECK (CASE WHEN event IN ('disclosure', 'interval')
          THEN accuracy IS NOT NULL AND "right" IS NOT NULL AND transport IS NOT NULL AND simulated IS NOT NULL
            AND late IS NOT NULL AND outcome IS NULL AND disclosure IS NULL AND fixes IS NULL
          ELSE accuracy IS NULL AND "right" IS NULL AND transport IS NULL AND simulated IS NULL
            AND late IS NULL AND outcome IS NOT NULL AND disclosure IS NOT NULL END)
      ) STRICT;

      -- The last entry there ever was, and its code.
      CREATE TABLE log_end (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        sequence INTEGER NOT NULL,
        code BLOB NOT NULL
      ) STRICT;

      -- The last entry that was pruned, and its code.
      CREATE TABLE log_beginning (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        sequence INTEGER NOT NULL,
        code BLOB NOT NULL,
        time TEXT NOT NULL,
        authentication BLOB NOT NULL
      ) STRICT;

      -- Requests that ended without a fix, by day (UTC) and by the answer that the app received.
      CREATE TABLE answer (
        day TEXT NOT NULL,
        app TEXT NOT NULL,
        answer TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (day, app, answer)
      ) STRICT, WITHOUT ROWID;
      """,
      work: chainEntries,
      """
      -- Entries may be pruned, so only open disclosures refer to the log with a foreign key.
      DROP TABLE disclosure_log;
      ALTER TABLE chained_log RENAME TO disclosure_log;
      CREATE UNIQUE INDEX disclosure_log_outcome ON disclosure_log (disclosure) WHERE disclosure IS NOT NULL;
      CREATE TRIGGER disclosure_log_keeps_entries BEFORE UPDATE ON disclosure_log
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      CREATE TRIGGER disclosure_log_keeps_all_entries BEFORE DELETE ON disclosure_log
        WHEN OLD.sequence > coalesce((SELECT sequence FROM log_beginning), 0)
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      """),
    Step(
      """
      -- Nanoseconds since 1970 UTC.
      ALTER TABLE app ADD COLUMN sees_always_until INTEGER;
      """),
    Step(
      """
      -- Fixes that were granted, and that a broker has not acknowledged. number: the entry of the log that they were
      -- granted with; disclosure: the one that is open for them now. mark: random, authenticated with what is sealed.
      -- expires: nanoseconds since 1970 UTC.
      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY,
        disclosure INTEGER NOT NULL,
        mark TEXT NOT NULL,
        app TEXT NOT NULL,
        bridge TEXT NOT NULL,
        accuracy TEXT NOT NULL,
        "right" TEXT NOT NULL,
        simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
        expires INTEGER NOT NULL,
        sealed BLOB NOT NULL
      ) STRICT;
      """),
    Step(
      """
      -- See StateSeal.
      ALTER TABLE app ADD COLUMN code BLOB;
      ALTER TABLE log_end ADD COLUMN rights BLOB;
      ALTER TABLE log_end ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
      """,
      work: sealRights),
    Step(
      """
      -- Never a coordinate. An outcome repeats the app of the entry that it closes, so that one condition finds both;
      -- that entry may have been pruned. code: see LogChain. way: how a user answered; user: the system user's number.
      -- From this format on, an accuracy can have the value 'place', here, in the records of apps and in waiting fixes.
      CREATE TABLE answered_log (
        sequence INTEGER PRIMARY KEY,
        code BLOB NOT NULL,
        time TEXT NOT NULL,
        event TEXT NOT NULL CHECK (event IN ('disclosure', 'outcome', 'interval', 'end', 'answer')),
        app TEXT NOT NULL,
        accuracy TEXT,
        "right" TEXT,
        transport TEXT,
        simulated INTEGER CHECK (simulated IN (0, 1)),
        late INTEGER CHECK (late IN (0, 1)),
        outcome TEXT,
        disclosure INTEGER,
        fixes INTEGER,
        prompt TEXT,
        choice TEXT,
        purpose TEXT,
        language TEXT,
        way TEXT,
        user INTEGER,
        CHECK (CASE WHEN event IN ('disclosure', 'interval')
          THEN accuracy IS NOT NULL AND "right" IS NOT NULL AND transport IS NOT NULL AND simulated IS NOT NULL
            AND late IS NOT NULL AND outcome IS NULL AND disclosure IS NULL AND fixes IS NULL
          WHEN event = 'answer'
          THEN "right" IS NULL AND transport IS NULL AND simulated IS NULL AND late IS NULL AND outcome IS NULL
            AND disclosure IS NULL AND fixes IS NULL
          ELSE accuracy IS NULL AND "right" IS NULL AND transport IS NULL
            AND simulated IS NULL AND late IS NULL AND outcome IS NOT NULL AND disclosure IS NOT NULL END),
        CHECK (CASE event WHEN 'answer'
          THEN prompt IS NOT NULL AND choice IS NOT NULL AND language IS NOT NULL AND way IS NOT NULL
            AND (user IS NOT NULL) = (way = 'socket')
          ELSE prompt IS NULL AND choice IS NULL AND purpose IS NULL AND language IS NULL AND way IS NULL
            AND user IS NULL END)
      ) STRICT;
      INSERT INTO answered_log (sequence, code, time, event, app, accuracy, "right", transport, simulated, late,
          outcome, disclosure, fixes)
        SELECT sequence, code, time, event, app, accuracy, "right", transport, simulated, late, outcome, disclosure,
          fixes
        FROM disclosure_log;
      DROP TABLE disclosure_log;
      ALTER TABLE answered_log RENAME TO disclosure_log;
      CREATE UNIQUE INDEX disclosure_log_outcome ON disclosure_log (disclosure) WHERE disclosure IS NOT NULL;
      CREATE TRIGGER disclosure_log_keeps_entries BEFORE UPDATE ON disclosure_log
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      CREATE TRIGGER disclosure_log_keeps_all_entries BEFORE DELETE ON disclosure_log
        WHEN OLD.sequence > coalesce((SELECT sequence FROM log_beginning), 0)
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      """),
    Step(
      """
      -- See StateSeal.
      ALTER TABLE blob ADD COLUMN code BLOB;
      ALTER TABLE outbox ADD COLUMN code BLOB;
      """,
      work: sealRows),
    Step(
      """
      -- The regions of apps. Before this format, one sealed value had all of them. It stays until the next change of a
      -- region.
      CREATE TABLE region (
        number INTEGER PRIMARY KEY,
        sealed BLOB NOT NULL,
        code BLOB NOT NULL
      ) STRICT;

      -- The gateway writes an outcome only for an open disclosure, so the index was not needed. Each outcome wrote a page
      -- of it.
      DROP INDEX disclosure_log_outcome;
      """),
    Step(
      """
      -- See StoredTimeLimit.
      ALTER TABLE app ADD COLUMN time_limit TEXT;

      -- Never a coordinate. From this format on, an authorization that an owner gave for a time has an entry for its
      -- end: the right that ended, and as the outcome the status that came back. The other entries are as before.
      CREATE TABLE ended_log (
        sequence INTEGER PRIMARY KEY,
        code BLOB NOT NULL,
        time TEXT NOT NULL,
        event TEXT NOT NULL CHECK (event IN ('disclosure', 'outcome', 'interval', 'end', 'answer', 'right-end')),
        app TEXT NOT NULL,
        accuracy TEXT,
        "right" TEXT,
        transport TEXT,
        simulated INTEGER CHECK (simulated IN (0, 1)),
        late INTEGER CHECK (late IN (0, 1)),
        outcome TEXT,
        disclosure INTEGER,
        fixes INTEGER,
        prompt TEXT,
        choice TEXT,
        purpose TEXT,
        language TEXT,
        way TEXT,
        user INTEGER,
        CHECK (CASE WHEN event IN ('disclosure', 'interval')
          THEN accuracy IS NOT NULL AND "right" IS NOT NULL AND transport IS NOT NULL AND simulated IS NOT NULL
            AND late IS NOT NULL AND outcome IS NULL AND disclosure IS NULL AND fixes IS NULL
          WHEN event = 'answer'
          THEN "right" IS NULL AND transport IS NULL AND simulated IS NULL AND late IS NULL AND outcome IS NULL
            AND disclosure IS NULL AND fixes IS NULL
          WHEN event = 'right-end'
          THEN "right" IS NOT NULL AND outcome IS NOT NULL AND accuracy IS NULL AND transport IS NULL
            AND simulated IS NULL AND late IS NULL AND disclosure IS NULL AND fixes IS NULL
          ELSE accuracy IS NULL AND "right" IS NULL AND transport IS NULL
            AND simulated IS NULL AND late IS NULL AND outcome IS NOT NULL AND disclosure IS NOT NULL END),
        CHECK (CASE event WHEN 'answer'
          THEN prompt IS NOT NULL AND choice IS NOT NULL AND language IS NOT NULL AND way IS NOT NULL
            AND (user IS NOT NULL) = (way = 'socket')
          ELSE prompt IS NULL AND choice IS NULL AND purpose IS NULL AND language IS NULL AND way IS NULL
            AND user IS NULL END)
      ) STRICT;
      INSERT INTO ended_log SELECT sequence, code, time, event, app, accuracy, "right", transport, simulated, late,
        outcome, disclosure, fixes, prompt, choice, purpose, language, way, user
        FROM disclosure_log;
      DROP TABLE disclosure_log;
      ALTER TABLE ended_log RENAME TO disclosure_log;
      CREATE TRIGGER disclosure_log_keeps_entries BEFORE UPDATE ON disclosure_log
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      CREATE TRIGGER disclosure_log_keeps_all_entries BEFORE DELETE ON disclosure_log
        WHEN OLD.sequence > coalesce((SELECT sequence FROM log_beginning), 0)
        BEGIN SELECT RAISE(ABORT, 'the disclosure log is append-only'); END;
      """),
  ]

  /// The keys for the authentication codes of the disclosure log and of the database rows.
  struct Keys: Sendable {
    let chain: LogChain
    let rows: StateSeal
  }

  struct Migration {
    let keys: Keys
    /// Whether the authorizations on this device already had authentication codes. If true, another program has
    /// replaced the database by an older one without these codes.
    let hasAuthenticatedRights: Bool
    /// A function that is called when all entries of the disclosure log have authentication codes, before the migration
    /// is durable. The argument is the end of the log.
    let chained: (LogHead) -> Void
  }

  typealias Work = @Sendable (SQLiteDatabase, Keys) throws(SQLiteFailure) -> Void

  /// One migration of the schema: SQL statements, then a Swift function, then more SQL statements.
  private struct Step: Sendable {
    let before: StaticString
    let work: Work?
    let after: StaticString?

    init(_ before: StaticString, work: Work? = nil, _ after: StaticString? = nil) {
      self.before = before
      self.work = work
      self.after = after
    }
  }

  /// Changes the database from an older schema to the present schema. Each migration is one transaction.
  ///
  /// - Parameter version: The version of the older schema.
  static func migrate(
    _ database: SQLiteDatabase, from version: Int, _ migration: Migration
  ) throws(SQLiteFailure) {
    for next in version..<max(version, steps.count) {
      try database.transaction { () throws(SQLiteFailure) in
        let step = steps[next]
        try database.execute(step.before)
        // Each device gives codes to the rights of an old database only once. If it already had authenticated rights,
        // another program has put the old database in place. Its rights get no codes, so every app is denied.
        // The last step accepts only rights that have codes.
        if next != 4 || version == 0 || !migration.hasAuthenticatedRights { try step.work?(database, migration.keys) }
        if let after = step.after { try database.execute(after) }
        if next == 1 { try migration.chained(head(of: database)) }
        try database.setPragma("application_id", to: applicationID)
        try database.setPragma("user_version", to: next + 1)
      }
    }
  }
}
