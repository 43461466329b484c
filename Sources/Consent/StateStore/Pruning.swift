package import Clocks

extension StateStore {
  /// The maximum number of entries that one call removes, so that other callers of the store do not wait long.
  package static let prunedAtOnce: Int64 = 5000

  /// Removes the oldest entries of the log, which are older than a given time. The function stops at the first entry
  /// without an outcome. It authenticates the new beginning of the log, so that the remaining entries can still be
  /// verified.
  ///
  /// The times of entries can be wrong, because the clock can be wrong. The function therefore removes entries only in
  /// the order of their numbers, and stops at the first entry whose time is not before `time`. An entry whose time is
  /// before `floor` was written with a wrong clock, so its age is unknown. The function removes such an entry only if a
  /// later entry shows that it is old enough. The time of this later entry must be before `time`, but not before
  /// `floor`.
  ///
  /// - Parameters:
  ///   - time: The function removes only entries whose time is before this time.
  ///   - floor: The limit for the times of entries. An entry with an earlier time was written with a wrong clock. The
  ///     value is nil if no limit is known.
  /// - Returns: The number of removed entries.
  /// - Throws: `StoreError`. Its kind is `damaged` if another program changed one of the entries. The function then
  ///   removes no entry, so that the evidence of the change stays.
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
        // The verification may end at an entry other than `last` and still report no fault. In that case entries are
        // missing, or another program added an entry with a number before the beginning of the log.
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
  /// Returns the number of the last entry to remove; nil if no entry may be removed.
  fileprivate func lastEntry(before time: UTCTime, floor: UTCTime?) throws(SQLiteFailure) -> Int64? {
    let bounds = try selectPrunable.rows(.text(time.iso8601), .text(floor?.iso8601 ?? "")) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (first: row.isNull(0) ? nil : row.integer(0), old: row.isNull(1) ? nil : row.integer(1), open: row.integer(2))
    }
    guard let bounds = bounds.first, let first = bounds.first, let old = bounds.old,
      // Another program may have written an entry with a number near the maximum. The function then removes no entry,
      // so that `verifyLog` can report that entry.
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
