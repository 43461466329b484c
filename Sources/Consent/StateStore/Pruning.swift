package import Clocks

/// What is older than the owner wants it kept.
extension StateStore {
  /// At most so many entries go at once: whoever waits for the store need not wait for years of them.
  package static let prunedAtOnce: Int64 = 5000

  /// Removes the log's oldest entries up to the first that is not older than a time, or has no outcome yet. Where the
  /// log begins now is authenticated, so that what is left can be verified as before.
  ///
  /// Entries keep their order, whatever the clock showed: one that says a later time keeps those behind it, and one that
  /// says a time before `floor` goes only with an old one behind it, since nobody knows how old it is.
  /// - Parameter floor: no clock that was right has shown an earlier time; nil where that is not known.
  /// - Returns: how many were removed.
  /// - Throws: `StoreError`; of the kind `damaged` where one of them was changed: then none is removed, for with it the
  ///   traces of the change would be.
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
        // One that is numbered from before the log's beginning is none of its entries.
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
        .damaged, operation, files.database, cause: "\(fault)", remedy: "what was changed is kept until you saw it")
    }
    return removed
  }
}

extension OpenedDatabase {
  /// The last entry that may be pruned.
  fileprivate func lastEntry(before time: UTCTime, floor: UTCTime?) throws(SQLiteFailure) -> Int64? {
    let bounds = try selectPrunable.rows(.text(time.iso8601), .text(floor?.iso8601 ?? "")) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (first: row.isNull(0) ? nil : row.integer(0), old: row.isNull(1) ? nil : row.integer(1), open: row.integer(2))
    }
    guard let bounds = bounds.first, let first = bounds.first, let old = bounds.old,
      // What somebody else numbered so stays for the verification to find.
      first < Int64.max - StateStore.prunedAtOnce, bounds.open > 0
    else { return nil }
    let last = min(old, bounds.open - 1, first + StateStore.prunedAtOnce - 1)
    return last >= first ? last : nil
  }
}

extension UTCTime {
  /// Its day, as in `2026-11-21`.
  package var day: String { String(iso8601.prefix(10)) }
}
