package import Base

/// A removal of the oldest entries of the disclosure log in steps. Each step handles a limited count of entries, so
/// that other callers of the store do not wait long.
///
/// The first entry that stays is the first one that is not before `time`, or has no outcome. An entry before `floor`
/// was written with a wrong clock, so its age is unknown. Such an entry is removed only if a later entry has a correct
/// time (not before `floor`) and is itself before `time`.
package struct LogPruning: Sendable {
  private let time: UTCTime
  private let floor: UTCTime?
  /// The sequence number of the last entry whose time was read.
  private var position = Int64.min
  /// Whether no entry after `position` may be removed.
  private var isRead = false
  /// The sequence number of the first entry that is not removed yet. The next property, `last`, is the sequence number
  /// of the last entry that is old enough.
  private var first = Int64.max
  private var last = Int64.min
  /// The count of removed entries.
  package private(set) var removed = 0
  package private(set) var isOver = false

  /// - Parameters:
  ///   - time: The time before which entries are removed.
  ///   - floor: The earliest correct time of an entry; nil if it is unknown.
  package init(before time: UTCTime, floor: UTCTime? = nil) {
    self.time = time
    self.floor = floor
  }

  /// Removes the oldest entries that are old enough, at most `most`. If none is known, first reads the times of the
  /// next entries, at most `most`.
  /// - Returns: The fault of an entry to remove; nil if there is none. If there is a fault, no entry is removed.
  fileprivate mutating func advance(
    _ opened: StateDatabase, _ chain: LogChain, most: Int, now: ClockReading
  ) throws(SQLiteFailure) -> LogFault? {
    if position == .min { try opened.removeAnswers.run(.text(time.day)) }
    if last < first, !isRead { try read(opened, most: most) }
    let open = try opened.selectFirstOpen.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }
    // The number of an entry is greater than 0, unless another program wrote it.
    let closed = max(open.first ?? 0, 1) - 1
    let end = min(last, closed)
    if end >= first, let fault = try remove(through: end, opened, chain, most: most, now: now) { return fault }
    isOver = end < first && (isRead || closed < last)
    return nil
  }

  private mutating func read(_ opened: StateDatabase, most: Int) throws(SQLiteFailure) {
    let rows = try opened.selectAges.rows(
      .integer(position), .text(time.iso8601), .text(floor?.iso8601 ?? ""), .integer(Int64(most))
    ) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (sequence: row.integer(0), isOld: row.boolean(1), isCorrect: row.boolean(2))
    }
    isRead = rows.count < most
    for row in rows {
      guard row.isOld else {
        isRead = true
        return
      }
      first = min(first, row.sequence)
      position = row.sequence
      if row.isCorrect { last = row.sequence }
    }
  }

  /// Verifies and removes the oldest entries, at most `most`, up to the entry with the sequence number `end`. The new
  /// beginning of the log gets an authentication code, so that the remaining entries can still be verified.
  private mutating func remove(
    through end: Int64, _ opened: StateDatabase, _ chain: LogChain, most: Int, now: ClockReading
  ) throws(SQLiteFailure) -> LogFault? {
    var verifier = try opened.verifier(chain)
    try opened.verify(&verifier, through: end, limit: most, chain)
    let (position, count) = (verifier.position, verifier.result.count)
    guard let code = try opened.code(of: position), verifier.result.faults.isEmpty, position == end || count == most
    else {
      // If entries are missing, or were added before the beginning of the log, the verification can end without a fault
      // at an entry other than `end`.
      let fault = position < end ? LogFault.missing(position + 1...end) : .changed(end)
      return verifier.result.faults.first ?? fault
    }
    let beginning = LogBeginning(sequence: position, code: code, time: now.utc.iso8601)
    try opened.database.transaction { () throws(SQLiteFailure) in
      try opened.saveBeginning.run(
        .integer(position), .blob(code), .text(beginning.time), .blob(chain.code(of: beginning)))
      try opened.removeEntries.run(.integer(position))
    }
    first = position + 1
    removed += count
    return nil
  }
}

extension StateStore {
  /// Continues to remove the oldest entries of the disclosure log: reads at most `most` entries, and removes at most
  /// `most`. Entries may be added between two calls.
  ///
  /// - Throws: `StoreError`. Its kind is `damaged` if another program changed one of the entries. No entry is then
  ///   removed, so that the evidence stays.
  package func continuePruning(_ pruning: inout LogPruning, most: Int, now: ClockReading) throws(StoreError) {
    let (chain, copy) = (chain, pruning)
    let operation = "prune the log in"
    let (next, fault) = try perform(operation) { (opened) throws(SQLiteFailure) in
      var next = copy
      let fault = try next.advance(opened, chain, most: most, now: now)
      return (next, fault)
    }
    if let fault {
      throw StoreError(
        .damaged, operation, files.database, cause: "\(fault)",
        remedy: "no entry was removed, so that you can examine the change")
    }
    pruning = next
  }
}

extension UTCTime {
  /// The date of this time, for example `2026-11-21`.
  package var day: String { String(iso8601.prefix(10)) }

  /// The date and hour of this time, for example `2026-11-21T07`.
  package var hour: String { String(iso8601.prefix(13)) }
}
