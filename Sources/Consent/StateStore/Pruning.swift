package import Clocks

extension StateStore {
  /// The maximum number of entries that one call removes, so that other callers of the store do not wait long.
  package static let prunedAtOnce: Int64 = 5000

  /// Removes the oldest entries of the log. The first entry that is not before `time`, or has no outcome, is the first
  /// entry that stays. The new beginning of the log is authenticated, so that the remaining entries can still be
  /// verified.
  ///
  /// An entry before `floor` was written with a wrong clock, so its age is unknown. Such an entry is removed only if a
  /// later entry has a correct time (not before `floor`) and is itself before `time`.
  ///
  /// - Parameters:
  ///   - time: The time before which entries are removed.
  ///   - floor: The earliest correct time of an entry, if known.
  /// - Returns: The number of removed entries.
  /// - Throws: `StoreError`. Its kind is `damaged` if another program changed one of the entries. No entry is then
  ///   removed, so that the evidence stays.
  @discardableResult
  package func prune(before time: UTCTime, floor: UTCTime? = nil, now: ClockReading) throws(StoreError) -> Int {
    let chain = chain
    let operation = "prune the log in"
    let (removed, fault) = try perform(operation) { (opened) throws(SQLiteFailure) -> (Int, LogFault?) in
      try opened.removeAnswers.run(.text(time.day))
      guard let last = try opened.lastEntry(before: time, floor: floor) else { return (0, nil) }
      var verifier = try opened.verifier(chain)
      try opened.verify(&verifier, through: last, limit: .max, chain)
      guard let code = try opened.code(of: last), verifier.result.faults.isEmpty, verifier.position == last else {
        // If entries are missing, or were added before the beginning of the log, the verification can end without a
        // fault at an entry other than `last`.
        let fault = verifier.position < last ? LogFault.missing(verifier.position + 1...last) : .changed(last)
        return (0, verifier.result.faults.first ?? fault)
      }
      let beginning = LogBeginning(sequence: last, code: code, time: now.utc.iso8601)
      try opened.database.transaction { () throws(SQLiteFailure) in
        try opened.saveBeginning.run(
          .integer(last), .blob(code), .text(beginning.time), .blob(chain.code(of: beginning)))
        try opened.removeEntries.run(.integer(last))
      }
      return (verifier.result.count, nil)
    }
    if let fault {
      throw StoreError(
        .damaged, operation, files.database, cause: "\(fault)",
        remedy: "no entry was removed, so that you can examine the change")
    }
    return removed
  }
}

extension StateDatabase {
  /// Returns the number of the last entry to remove, if any.
  fileprivate func lastEntry(before time: UTCTime, floor: UTCTime?) throws(SQLiteFailure) -> Int64? {
    let bounds = try selectPrunable.rows(.text(time.iso8601), .text(floor?.iso8601 ?? "")) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (first: row.isNull(0) ? nil : row.integer(0), old: row.isNull(1) ? nil : row.integer(1), open: row.integer(2))
    }
    guard let bounds = bounds.first, let first = bounds.first, let old = bounds.old,
      // An entry with a number near the maximum comes from another program. It is not removed, so that `verifyLog` can
      // report it.
      first < Int64.max - StateStore.prunedAtOnce, bounds.open > 0
    else { return nil }
    let last = min(old, bounds.open - 1, first + StateStore.prunedAtOnce - 1)
    return last >= first ? last : nil
  }
}

extension UTCTime {
  /// The date of this time, for example `2026-11-21`.
  package var day: String { String(iso8601.prefix(10)) }
}
