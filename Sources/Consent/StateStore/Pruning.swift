package import Clocks

/// Removal of old log entries.
extension StateStore {
  /// The maximum number of entries removed in one call, so that other users of the store do not wait long.
  package static let prunedAtOnce: Int64 = 5000

  /// Removes the oldest entries of the log: those before a time that have an outcome. The new beginning of the log is
  /// authenticated, so that the remaining entries can still be verified.
  ///
  /// Entries are removed in their order, independently of the clock: an entry with a later time protects all entries
  /// after it. An entry with a time before `floor` has an unknown age. It is removed only together with an older entry
  /// after it.
  ///
  /// - Parameters:
  ///   - time: The end of the period to remove.
  ///   - floor: The earliest time that a correct clock can have shown; nil if it is unknown.
  /// - Returns: The number of removed entries.
  /// - Throws: `StoreError`. Its kind is `damaged` if one of the entries was changed. No entry is removed then, so
  ///   that the traces of the change stay.
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
        // An entry with a number before the log's beginning does not belong to the log.
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
  /// Returns the last entry that may be removed; nil if there is none.
  fileprivate func lastEntry(before time: UTCTime, floor: UTCTime?) throws(SQLiteFailure) -> Int64? {
    let bounds = try selectPrunable.rows(.text(time.iso8601), .text(floor?.iso8601 ?? "")) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (first: row.isNull(0) ? nil : row.integer(0), old: row.isNull(1) ? nil : row.integer(1), open: row.integer(2))
    }
    guard let bounds = bounds.first, let first = bounds.first, let old = bounds.old,
      // Another program may have written such a number. The entry stays, so that verification reports it.
      first < Int64.max - StateStore.prunedAtOnce, bounds.open > 0
    else { return nil }
    let last = min(old, bounds.open - 1, first + StateStore.prunedAtOnce - 1)
    return last >= first ? last : nil
  }
}

extension UTCTime {
  /// The day, for example `2026-11-21`.
  package var day: String { String(iso8601.prefix(10)) }
}
