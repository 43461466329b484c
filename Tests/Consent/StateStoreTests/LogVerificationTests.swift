import Base
import TemporaryFiles
import Testing

@testable import StateStore

/// A store whose log has eight entries: four disclosures, each followed by its outcome.
struct LoggedStore {
  let directory: TemporaryDirectory
  var path: String { directory.path("state") }
  var anchor: String { directory.path("anchor") }

  init() throws {
    directory = try TemporaryDirectory()
    let store = try open()
    for step in Int64(1)...4 {
      let sequence = try store.openDisclosure(entry(), record: served(ferry, step), now: clock(step * 3600))
      try store.close(.outcome(.acknowledged, of: sequence), now: clock(step * 3600 + 1))
      if step == 3 { #expect(try store.anchor(now: clock(step * 3600 + 2)) == nil) }
    }
  }

  func open() throws -> StateStore { try directory.openAnchored() }

  /// Changes the database like an attacker with the file, but without the key.
  func tamper(_ statements: StaticString) throws {
    let database = try SQLiteDatabase(path + "/onefix.sqlite")
    try database.execute(
      """
      DROP TRIGGER disclosure_log_keeps_entries;
      DROP TRIGGER disclosure_log_keeps_all_entries;
      PRAGMA ignore_check_constraints = ON;
      """)
    try database.execute(statements)
  }

  /// Returns the store after a change of its log, and checks that verification reports these faults.
  fileprivate func tampered(_ statements: StaticString, _ faults: [LogFault]) throws -> StateStore {
    try tamper(statements)
    let store = try open()
    #expect(try store.verifyLog().faults == faults)
    for fault in faults { #expect(fault.description.contains("#\(try #require(fault.entry))")) }
    return store
  }
}

private let anchored = clock(3 * 3600 + 2).utc

@Test func `an unchanged log has no faults`() throws {
  let logged = try LoggedStore()
  let verification = try logged.open().verifyLog()
  #expect(verification.isGood && verification.count == 8 && verification.pruned == 0 && verification.range == 1...8)
  #expect(verification.anchor?.sequence == 6 && verification.anchor?.time == anchored)
}

@Test func `the description of a fault names the first changed, missing or added entry`() {
  let replaced = "differs from the anchor file, which was written at \(anchored.iso8601): the log was replaced"
  for (fault, entry, text) in [
    (.changed(3), 3, "entry #3 was changed or moved"), (.missing(3...3), 3, "entry #3 was removed"),
    (.missing(3...4), 3, "entries #3 to #4 were removed"),
    (.added(9), 9, "entry #9 was added after the end of the log"),
    (.beginningChanged(5), 5, "entries before #5 were removed, but not by pruning"),
    (
      .notAsAnchored(6, anchored, end: 5), 6,
      "the log ends with entry #5, but had 6 entries at \(anchored.iso8601): entry #6 and later entries were removed"
    ),
    (
      .notAsAnchored(6, anchored, end: 0), 1,
      "the log ends with entry #0, but had 6 entries at \(anchored.iso8601): entry #1 and later entries were removed"
    ),
    (.notAsAnchored(6, anchored, end: 6), 6, "entry #6 \(replaced)"),
    (.notAsAnchored(6, anchored, end: 7), 6, "entry #6 \(replaced)"),
  ] as [(LogFault, Int64, String)] {
    #expect(fault.entry == entry && fault.description == text)
  }
}

@Test(arguments: [([1], []), ([2], [.changed(1)])] as [([UInt8], [LogFault])])
func `a last entry of another copy of the log is a changed entry`(_ end: [UInt8], _ faults: [LogFault]) {
  var verifier = LogVerifier(nil, LogChain(key), code: nil)
  verifier.note(1, code: [1], expected: [1])
  verifier.finish(LogHead(sequence: 1, code: end), anchor: nil, nil)
  #expect(verifier.result.faults == faults)
}

@Test func `verification reports the first hundred faults`() throws {
  let logged = try LoggedStore()
  do {
    let store = try logged.open()
    for _ in 0..<120 { try store.record(.answer(answer()), of: answer().app, now: clock(20_000)) }
  }
  try logged.tamper("UPDATE disclosure_log SET language = 'en' WHERE sequence > 8")
  let verification = try logged.open().verifyLog()
  #expect(verification.count == 128)
  #expect(verification.faults == (9..<109).map { .changed($0) })
}

/// Attacks on the file, and the faults that verification reports. The anchor is for six entries.
@Test(
  arguments: [
    ("UPDATE disclosure_log SET app = 'harbour' WHERE sequence = 3", [.changed(3)]),
    ("UPDATE disclosure_log SET app = 'not an app' WHERE sequence = 3", [.changed(3)]),
    // A changed code breaks its own entry and the next one.
    ("UPDATE disclosure_log SET code = zeroblob(32) WHERE sequence = 4", [.changed(4), .changed(5)]),
    ("DELETE FROM disclosure_log WHERE sequence = 1", [.missing(1...1)]),
    ("DELETE FROM disclosure_log WHERE sequence BETWEEN 3 AND 4", [.missing(3...4)]),
    ("DELETE FROM disclosure_log WHERE sequence < 5", [.missing(1...4)]),
    ("DELETE FROM disclosure_log WHERE sequence > 7", [.missing(8...8)]),
    ("DELETE FROM disclosure_log", [.missing(1...8), .notAsAnchored(6, anchored, end: 8)]),
    // An entry is removed, and the later entries are renumbered.
    (
      """
      DELETE FROM disclosure_log WHERE sequence = 3;
      UPDATE disclosure_log SET sequence = sequence - 1 WHERE sequence > 3
      """,
      [
        .changed(3), .changed(4), .changed(5), .changed(6), .changed(7), .missing(8...8),
        .notAsAnchored(6, anchored, end: 8),
      ]
    ),
    // Two disclosures are exchanged.
    (
      """
      UPDATE disclosure_log SET sequence = 100 WHERE sequence = 3;
      UPDATE disclosure_log SET sequence = 3 WHERE sequence = 5;
      UPDATE disclosure_log SET sequence = 5 WHERE sequence = 100
      """, [.changed(3), .changed(4), .changed(5), .changed(6)]
    ),
    // A copy of an entry is added.
    (
      """
      INSERT INTO disclosure_log SELECT 9, code, time, event, app, accuracy, "right", transport, simulated, late, outcome,
        NULL, fixes, prompt, choice, purpose, language, way, user FROM disclosure_log WHERE sequence = 7
      """, [.changed(9), .added(9)]
    ),
    // The last entries are removed, and the recorded end is adjusted. After the anchor this cannot be detected …
    (
      """
      DELETE FROM disclosure_log WHERE sequence > 6;
      UPDATE log_end SET sequence = 6, code = (SELECT code FROM disclosure_log WHERE sequence = 6)
      """, []
    ),
    // … but before the anchor it can.
    (
      """
      DELETE FROM disclosure_log WHERE sequence > 5;
      UPDATE log_end SET sequence = 5, code = (SELECT code FROM disclosure_log WHERE sequence = 5)
      """, [.notAsAnchored(6, anchored, end: 5)]
    ),
    (
      "DELETE FROM disclosure_log; UPDATE log_end SET sequence = 0, code = zeroblob(32)",
      [.notAsAnchored(6, anchored, end: 0)]
    ),
    // The recorded beginning pretends that entries were pruned.
    (
      """
      INSERT INTO log_beginning SELECT 1, 2, code, time, zeroblob(32) FROM disclosure_log WHERE sequence = 2;
      DELETE FROM disclosure_log WHERE sequence <= 2
      """, [.beginningChanged(3)]
    ),
  ] as [(StaticString, [LogFault])])
func `changed, removed, added and moved entries are reported by number`(
  statements: StaticString, faults: [LogFault]
) throws {
  let logged = try LoggedStore()
  let store = try logged.tampered(statements, faults)
  // The log continues after the change, and the faults are still reported.
  try store.disclose(now: clock())
  #expect(try store.verifyLog().isGood == faults.isEmpty)
  #expect(try !store.entries(limit: 100).isEmpty)
}

/// Numbers that no log reaches, but that an attacker with the file can write.
@Test(
  arguments: [
    ("UPDATE log_end SET sequence = 9223372036854775807", [.missing(9...Int64.max)]),
    (
      "UPDATE log_end SET sequence = 9223372036854775807; DELETE FROM disclosure_log WHERE sequence = 6",
      [.missing(6...6), .missing(9...Int64.max), .notAsAnchored(6, anchored, end: Int64.max)]
    ),
    (
      "UPDATE disclosure_log SET sequence = 9223372036854775807 WHERE sequence = 8",
      [.missing(8...Int64.max - 1), .added(9)]
    ),
    (
      """
      UPDATE disclosure_log SET sequence = 9223372036854775807 WHERE sequence = 8;
      DELETE FROM disclosure_log WHERE sequence < 8
      """, [.missing(1...Int64.max - 1), .added(9), .notAsAnchored(6, anchored, end: 8)]
    ),
    (
      "INSERT INTO log_beginning VALUES (1, 9223372036854775807, zeroblob(32), '', zeroblob(32))",
      [.beginningChanged(Int64.max), .added(9)]
    ),
    (
      "INSERT INTO log_beginning VALUES (1, -9223372036854775807, zeroblob(32), '', zeroblob(32))",
      [.beginningChanged(1)]
    ),
  ] as [(StaticString, [LogFault])])
func `the highest possible number is reported, and further entries are rejected`(
  statements: StaticString, faults: [LogFault]
) throws {
  let logged = try LoggedStore()
  let store = try logged.tampered(statements, faults)
  do {
    _ = try store.openDisclosure(entry(), record: served(ferry, 9), now: clock())
  } catch {
    #expect(error.kind == .damaged)
  }
  do {
    _ = try store.prune(before: clock(90 * 3600).utc, now: clock(91 * 3600))
  } catch {
    #expect(error.kind == .damaged)
  }
}

/// The test flips every bit of every value.
@Test func `every flipped bit of an entry is detected`() throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  let rows = try store.perform("read") { (opened) throws(SQLiteFailure) in
    try opened.selectCodes.rows(.integer(0), .integer(.max), .integer(100)) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (sequence: row.integer(0), code: row.blob(1), row: LogRow(values: row.values(LogRow.columns.count, from: 2)))
    }
  }
  var previous = LogChain.initialCode
  var turned = 0
  for (sequence, code, row) in rows {
    #expect(store.chain.code(of: row, sequence: sequence, after: previous) == code)
    for bit in 0..<64 {
      #expect(store.chain.code(of: row, sequence: sequence ^ (1 << Int64(bit)), after: previous) != code)
    }
    for (column, value) in row.values.enumerated() {
      for changed in variants(of: value) {
        var values = row.values
        values[column] = changed
        #expect(store.chain.code(of: LogRow(values: values), sequence: sequence, after: previous) != code)
        turned += 1
      }
    }
    previous = code
  }
  #expect(turned > 2000)
}

private func variants(of value: SQLiteValue) -> [SQLiteValue] {
  switch value {
  case .null: [.integer(0), .text(""), .blob([])]
  case .integer(let number): (0..<64).map { .integer(number ^ (1 << $0)) } + [.null, .text(String(number))]
  case .text(let text):
    (0..<text.utf8.count * 7).map { bit in
      var bytes = Array(text.utf8)
      bytes[bit / 7] ^= 1 << (bit % 7)
      return .text(String(decoding: bytes, as: UTF8.self))
    } + [.null, .blob(Array(text.utf8)), .text(text + "\0")]
  case .blob(let blob): [.null, .text(String(decoding: blob, as: UTF8.self)), .blob(blob + [0])]
  }
}

@Test func `a log can be verified in steps while it grows and is pruned`() throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  var verifier = try store.beginVerification()
  var steps = 0
  while try store.continueVerification(&verifier, entries: 2) {
    steps += 1
    if steps == 2 { try store.disclose(now: clock(9 * 3600)) }
    if steps == 3 { #expect(try store.prune(before: clock(2 * 3600).utc, now: clock(10 * 3600)) == 2) }
  }
  #expect(verifier.result.isGood && verifier.result.range == 3...10 && verifier.result.pruned == 2)
}

@Test func `a log written with another device's key fails verification`() throws {
  let logged = try LoggedStore()
  let other = try #require(DeviceKey(bytes: [UInt8](repeating: 8, count: 32)))
  let store = try StateStore(directory: logged.path, key: other, anchor: logged.anchor, now: clock())
  let verification = try store.verifyLog()
  #expect(verification.faults == (1...8).map { .changed($0) } + [.anchorChanged])
}
