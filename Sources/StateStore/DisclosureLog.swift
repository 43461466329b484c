package import Authorization
package import Clocks

extension StateStore {
  /// Writes that a location is about to be given, the app's record as it will be, and, where the location is reduced,
  /// what the cloak has to remember: all of it or nothing.
  /// - Returns: the entry's sequence number. Only from now on may bytes be sent.
  package func openDisclosure(
    _ entry: DisclosureEntry, record: AppRecord, sealing memory: (name: String, bytes: [UInt8])? = nil,
    now: ClockReading
  ) throws(StoreError) -> Int64 {
    precondition(record.app == entry.app, "a disclosure and its record are of one app")
    let sealed: [UInt8]?
    if let memory { sealed = try sealedBytes(memory.bytes, as: memory.name) } else { sealed = nil }
    let unclosed = unclosedDisclosures
    let sequence = try perform("write a disclosure to") { (opened) throws(SQLiteFailure) in
      try opened.database.transaction { () throws(SQLiteFailure) in
        try opened.closeDisclosures(unclosed, at: now.utc)
        try opened.insertDisclosure.run(
          .text(now.utc.iso8601), .text(entry.app.name), .text(entry.accuracy.rawValue), .text(entry.right.rawValue),
          .text(entry.transport), .boolean(entry.isSimulated), .boolean(entry.isLate))
        let sequence = opened.database.lastInsertedRow
        try opened.insertOpen.run(.integer(sequence))
        try opened.save(record, now: now)
        if let memory, let sealed { try opened.upsertBlob.run(.text(memory.name), .blob(sealed)) }
        return sequence
      }
    }
    unclosedDisclosures = []
    return sequence
  }

  /// Writes what became of a disclosure, once: the first outcome counts.
  /// - Returns: false where it was closed before, or never opened; nothing is written then.
  @discardableResult
  package func closeDisclosure(
    _ sequence: Int64, outcome: DisclosureOutcome, now: ClockReading
  ) throws(StoreError) -> Bool {
    try perform("write an outcome to") { (opened) throws(SQLiteFailure) in
      try opened.database.transaction { () throws(SQLiteFailure) in
        try opened.closeDisclosure(sequence, outcome: outcome, at: now.utc)
      }
    }
  }

  /// Entries of the log that fulfil every condition, oldest first; or, `newestFirst`, newest first.
  /// - Parameters:
  ///   - sequence: only entries after this one.
  ///   - since: only entries of this time and later, by the wall clock as it was then.
  ///   - limit: at most so many.
  package func entries(
    after sequence: Int64 = 0, since: UTCTime? = nil, app: AppID? = nil, newestFirst: Bool = false, limit: Int
  ) throws(StoreError) -> [LogEntry] {
    try perform("read the log in") { (opened) throws(SQLiteFailure) in
      let statement = newestFirst ? opened.selectNewestEntries : opened.selectEntries
      return try statement.rows(
        .integer(sequence), .text(since?.iso8601), .text(app?.name), .integer(Int64(max(limit, 0))),
        read: LogEntry.init(reading:))
    }
  }
}

extension OpenedDatabase {
  /// To be called inside a transaction.
  func closeDisclosure(
    _ sequence: Int64, outcome: DisclosureOutcome, at time: UTCTime
  ) throws(SQLiteFailure) -> Bool {
    try removeOpen.run(.integer(sequence))
    guard database.changes == 1 else { return false }
    try insertOutcome.run(.text(time.iso8601), .text(outcome.rawValue), .integer(sequence))
    guard database.changes == 1 else { throw SQLiteFailure(unreadable: "entry \(sequence) of the log is missing") }
    return true
  }

  /// Closes what an earlier run left open; none of it where the disk is full, for the gateway can run and answer, with
  /// nothing disclosed, until there is room.
  func closeLostDisclosures(at time: UTCTime) throws(SQLiteFailure) -> (all: [Int64], unclosed: [Int64]) {
    let lost = try selectOpen.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }
    guard !lost.isEmpty else { return ([], []) }
    do {
      try database.transaction { () throws(SQLiteFailure) in try closeDisclosures(lost, at: time) }
    } catch let failure where failure.isFull {
      return (lost, lost)
    }
    return (lost, [])
  }

  /// To be called inside a transaction.
  func closeDisclosures(_ lost: [Int64], at time: UTCTime) throws(SQLiteFailure) {
    for sequence in lost { _ = try closeDisclosure(sequence, outcome: .lost, at: time) }
  }
}

extension LogEntry {
  fileprivate init(reading row: borrowing SQLiteRow) throws(SQLiteFailure) {
    let sequence = row.integer(0)
    guard let time = UTCTime(iso8601: row.text(1)), let app = AppID(row.text(3)),
      let event = Event(reading: row)
    else { throw SQLiteFailure(unreadable: "entry \(sequence) of the log cannot be understood") }
    self.init(sequence: sequence, time: time, app: app, event: event)
  }
}

extension LogEntry.Event {
  fileprivate init?(reading row: borrowing SQLiteRow) {
    switch row.text(2) {
    case "disclosure":
      guard let app = AppID(row.text(3)), let accuracy = Accuracy(rawValue: row.text(4)),
        let right = Right(rawValue: row.text(5))
      else { return nil }
      self = .disclosure(
        DisclosureEntry(
          app: app, accuracy: accuracy, right: right, transport: row.text(6), isSimulated: row.boolean(7),
          isLate: row.boolean(8)))
    case "outcome":
      guard let outcome = DisclosureOutcome(rawValue: row.text(9)) else { return nil }
      self = .outcome(outcome, of: row.integer(10))
    default:
      return nil
    }
  }
}
