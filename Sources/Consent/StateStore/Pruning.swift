package import Base

/// The state of a removal of the oldest entries of the disclosure log. The removal has many short steps, so that other
/// callers of the store do not wait long.
///
/// Entries before `time` are removed, up to the first entry that has no outcome yet. An entry before `floor`, or with a
/// time in the future, was written with a wrong clock, so its age is unknown. Such an entry is removed only if a later
/// entry has a correct time between `floor` and `time`.
package struct LogPruning: Sendable {
  private let time: UTCTime
  private let floor: UTCTime?
  /// The sequence number of the last log entry whose time was read.
  private var position = Int64.min
  /// Whether the times of all old entries were read. If so, the removal reads no more times.
  private var isRead = false
  /// The sequence numbers of the oldest log entry (`first`), and of the newest log entry that is old enough to be
  /// removed (`last`).
  private var first = Int64.max
  private var last = Int64.min
  package private(set) var removed = 0
  package private(set) var isOver = false

  /// Creates a removal of the entries that are older than a time.
  ///
  /// - Parameters:
  ///   - time: Entries before this time are removed.
  ///   - floor: The earliest correct time of an entry; nil if unknown.
  package init(before time: UTCTime, floor: UTCTime? = nil) {
    self.time = time
    self.floor = floor
  }

  /// Removes at most `most` of the oldest log entries. If no entry is known to be old enough, first reads the times of
  /// at most `most` further entries.
  ///
  /// - Returns: The first fault of the entries to remove; nil for none. If there is a fault, no entry is removed.
  fileprivate mutating func advance(
    _ opened: StateDatabase, _ chain: LogChain, most: Int, now: ClockReading
  ) throws(SQLiteFailure) -> LogFault? {
    if position == .min { try opened.removeAnswers.run(.text(time.day)) }
    if last < first, !isRead { try read(opened, most: most, now: now) }
    let closed = try opened.selectLastClosed.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }
    let end = closed.reduce(last, min)
    if end >= first, let fault = try remove(through: end, opened, chain, most: most, now: now) { return fault }
    isOver = end < first && (isRead || end < last)
    return nil
  }

  private mutating func read(_ opened: StateDatabase, most: Int, now: ClockReading) throws(SQLiteFailure) {
    let rows = try opened.selectAges.rows(
      .integer(position), .text(time.iso8601), .text(floor?.iso8601 ?? ""), .integer(Int64(most)),
      .text(now.utc.iso8601)
    ) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (sequence: row.integer(0), mayBeOld: row.boolean(1), isOld: row.boolean(2))
    }
    isRead = rows.count < most
    for row in rows {
      guard row.mayBeOld else {
        isRead = true
        return
      }
      if first == .max { first = row.sequence }
      position = row.sequence
      if row.isOld { last = row.sequence }
    }
  }

  /// Verifies and removes at most `most` of the oldest log entries, up to the sequence number `end`. The authentication
  /// code of the last removed entry is kept, because the verification of the next entry needs this code.
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
  /// Continues the removal of the oldest entries of the disclosure log. Reads at most `most` entries, and removes at
  /// most `most` entries. Entries may be added between two calls.
  ///
  /// - Throws: `StoreError`. Its kind is `damaged` if another program changed one of the entries to remove. No entry is
  ///   then removed, so that an owner can examine the change.
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
