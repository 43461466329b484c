import Authorization
import Base
import Glibc
import TemporaryFiles
import Testing

@testable import StateStore

/// A database of format 1, with three entries and an open disclosure.
private let first: StaticString = """
  PRAGMA journal_mode = WAL;
  CREATE TABLE gateway (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    locked INTEGER NOT NULL CHECK (locked IN (0, 1))
  ) STRICT;
  INSERT INTO gateway (id, locked) VALUES (1, 1);
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
  INSERT INTO app VALUES ('ferry', 'notDetermined', 0, 1, 'full', 0, 2, NULL, NULL);
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
  CREATE TABLE open_disclosure (
    sequence INTEGER PRIMARY KEY REFERENCES disclosure_log (sequence)
  ) STRICT;
  CREATE TABLE blob (
    name TEXT PRIMARY KEY,
    sealed BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO disclosure_log (time, event, app, accuracy, "right", transport, simulated, late)
    VALUES ('2026-11-21T07:31:34.000Z', 'disclosure', 'ferry', 'reduced', 'once', 'unix', 1, 0);
  INSERT INTO disclosure_log (time, event, app, outcome, disclosure)
    VALUES ('2026-11-21T07:31:35.000Z', 'outcome', 'ferry', 'acknowledged', 1);
  INSERT INTO disclosure_log (time, event, app, accuracy, "right", transport, simulated, late)
    VALUES ('2026-11-21T08:00:00.000Z', 'disclosure', 'ferry', 'reduced', 'once', 'unix', 1, 0);
  INSERT INTO open_disclosure VALUES (3);
  PRAGMA application_id = 826689880;
  PRAGMA user_version = 1;
  """

private func makeFirst(_ directory: TemporaryDirectory) throws {
  try directory.makeFolder("state")
  try directory.write([], to: "state/onefix.sqlite")
  try SQLiteDatabase(directory.path("state/onefix.sqlite")).execute(first)
}

private func open(_ directory: TemporaryDirectory) throws -> StateStore {
  try StateStore(directory: directory.path("state"), key: key, anchor: directory.path("anchor"), now: clock(9))
}

@Test func `a migration from format 1 keeps all data, and chains and anchors the log`() throws {
  let directory = try TemporaryDirectory()
  try makeFirst(directory)
  let store = try open(directory)
  #expect(try store.load(now: clock()).isLocked)
  #expect(try store.load(now: clock()).apps.map(\.isButtonConfirmed) == [true])
  #expect(store.lostDisclosures == [3])
  #expect(
    try store.entries(limit: 10).map(\.event) == [
      .disclosure(entry()), .outcome(.acknowledged, of: 1), .disclosure(entry()), .outcome(.lost, of: 3),
    ])
  #expect(try store.lastAnchor()?.sequence == 3)
  #expect(try store.verifyLog().isGood)
  // The constraints of the format still hold.
  #expect(throws: StoreError.self) {
    try store.perform("change") { (opened) throws(SQLiteFailure) in
      try opened.database.execute("DELETE FROM disclosure_log")
    }
  }
  #expect(throws: StoreError.self) {
    try store.perform("change") { (opened) throws(SQLiteFailure) in
      try opened.database.execute("INSERT INTO open_disclosure VALUES (99)")
    }
  }
  let sequence = try store.openDisclosure(entry(), record: served(ferry, 3), now: clock())
  #expect(sequence == 5)
  store.close()
  let again = try open(directory)
  #expect(again.lostDisclosures == [5])
  #expect(try again.verifyLog().isGood)
}

@Test func `an older database that replaces an anchored one is detected`() throws {
  let directory = try TemporaryDirectory()
  try makeFirst(directory)
  do {
    let store = try open(directory)
    _ = try store.openDisclosure(entry(), record: served(ferry, 3), now: clock())
    #expect(try store.anchor(now: clock(10)) == nil)
  }
  for name in ["onefix.sqlite", "onefix.sqlite-wal", "onefix.sqlite-shm"] {
    _ = unsafe unlink(directory.path("state/\(name)"))
  }
  try directory.write([], to: "state/onefix.sqlite")
  try SQLiteDatabase(directory.path("state/onefix.sqlite")).execute(first)
  #expect(try open(directory).verifyLog().faults == [.notAsAnchored(5, clock(10).utc, end: 4)])
}
