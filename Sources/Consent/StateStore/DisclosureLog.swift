package import Authorization
package import Base
package import LineProtocol

extension StateStore {
  /// Writes the log entry of a disclosure (a release of location data), which must happen before the transmission. The
  /// same transaction saves the record of the app and, if `memory` is not nil, an encrypted value.
  ///
  /// - Parameter memory: The name and the new bytes of an encrypted value, for example the state of the algorithm for
  ///   approximate positions; nil for none.
  /// - Returns: The sequence number of the log entry.
  package func openDisclosure(
    _ entry: DisclosureEntry, record: AppRecord, sealing memory: (name: String, bytes: [UInt8])? = nil,
    now: ClockReading
  ) throws(StoreError) -> Int64 {
    try open(.disclosure(entry), entry, record, memory, nil, now)
  }

  /// Writes the log entry of a disclosure (a release of location data). Saves the fix until its sink (the receiving
  /// service, such as an MQTT broker) acknowledges the fix. The parameters are those of `openDisclosure`.
  package func keep(
    _ fix: OutboxFix, as entry: DisclosureEntry, record: AppRecord,
    sealing memory: (name: String, bytes: [UInt8])? = nil,
    now: ClockReading
  ) throws(StoreError) -> OutboxEntry {
    let waiting = try sealed(fix, entry)
    return waiting.fix.moved(to: try open(.disclosure(entry), entry, record, memory, waiting, now))
  }

  /// Writes the log entry of the beginning of a series of fixes, which must happen before the first transmission. The
  /// parameters are those of `openDisclosure`.
  package func openInterval(
    _ entry: DisclosureEntry, record: AppRecord, sealing memory: (name: String, bytes: [UInt8])? = nil,
    now: ClockReading
  ) throws(StoreError) -> Int64 {
    try open(.interval(entry), entry, record, memory, nil, now)
  }

  private func open(
    _ event: LogEntry.Event, _ entry: DisclosureEntry, _ record: AppRecord, _ memory: (name: String, bytes: [UInt8])?,
    _ waiting: (fix: OutboxEntry, sealed: [UInt8])?, _ now: ClockReading
  ) throws(StoreError) -> Int64 {
    precondition(record.app == entry.app, "a disclosure and its record are of one app")
    // The store must always have disk space for a revocation. Without the file that reserves this space, the gateway
    // discloses no location.
    try reserve.allocate()
    let sealed: [UInt8]?
    if let memory { sealed = sealedBytes(memory.bytes, as: memory.name) } else { sealed = nil }
    let unclosed = unclosedDisclosures
    let chain = chain
    let sequence = try perform("write a disclosure to") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        try opened.closeDisclosures(unclosed, at: now.utc, chain)
        let sequence = try opened.append(LogRow(event, app: entry.app, at: now.utc), chain)
        try opened.insertOpen.run(.integer(sequence))
        try opened.save(record, now: now)
        if let memory, let sealed { try opened.save(sealed, as: memory.name) }
        if let waiting { try opened.add(waiting.fix.moved(to: sequence), waiting.sealed) }
        return sequence
      }
    }
    unclosedDisclosures = []
    return sequence
  }

  /// Writes a log entry about an answer to a prompt (a question to the user), or about the end of a temporary
  /// authorization. Such an entry needs no reserved disk space (`Reserve`).
  package func record(_ event: LogEntry.Event, of app: AppID, now: ClockReading) throws(StoreError) {
    let chain = chain
    let operation = if case .answer = event { "write an answer to" } else { "write the end of a right to" }
    try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        _ = try opened.append(LogRow(event, app: app, at: now.utc), chain)
      }
    }
  }

  /// Writes the outcomes of disclosures (releases of location data) and the ends of series of fixes to the disclosure
  /// log, in one transaction. Other events, and a second outcome of the same disclosure, are ignored.
  package func close(_ events: [LogEntry.Event], now: ClockReading) throws(StoreError) {
    let chain = chain
    try perform("write outcomes to") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        for event in events { try opened.close(event, at: now.utc, chain) }
      }
    }
  }
}

extension StateDatabase {
  /// Appends an entry to the disclosure log (the log of releases of location data) in the caller's transaction. Returns
  /// the sequence number of the entry.
  func append(_ row: LogRow, _ chain: LogChain) throws(SQLiteFailure) -> Int64 {
    let head = try head()
    // Another program may have added an entry after the recorded end of the log. `verifyLog` reports the added entry.
    let last = try selectLast.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }.first ?? 0
    let (sequence, overflows) = max(head.sequence, last).addingReportingOverflow(1)
    guard !overflows else { throw SQLiteFailure(unreadable: "the log has the highest possible entry number") }
    let next = LogHead(sequence: sequence, code: chain.code(of: row, sequence: sequence, after: head.code))
    try insertEntry.run([.integer(next.sequence), .blob(next.code)] + row.values)
    try saveHead.run(.integer(next.sequence), .blob(next.code))
    hasAppended = true
    return next.sequence
  }

  /// Writes the outcome of a disclosure (a release of location data), or the end of a series of fixes, in the caller's
  /// transaction. If the log already has this outcome or end, nothing is written.
  /// - Parameter app: The app of the disclosure; nil to read the app from the opening entry.
  func close(
    _ event: LogEntry.Event, of app: AppID? = nil, at time: UTCTime, _ chain: LogChain
  ) throws(SQLiteFailure) {
    guard let sequence = event.opening else { return }
    try removeOpen.run(.integer(sequence))
    guard database.changes == 1 else { return }
    let app = if let app { app } else { try opening(sequence).app }
    _ = try append(LogRow(event, app: app, at: time), chain)
  }

  private func opening(_ sequence: Int64) throws(SQLiteFailure) -> (app: AppID, isInterval: Bool) {
    let rows = try selectOpening.rows(.integer(sequence)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      (app: row.text(0), event: row.text(1))
    }
    guard let row = rows.first, let app = AppID(row.app) else {
      throw SQLiteFailure(unreadable: "entry \(sequence) of the log is missing")
    }
    return (app, row.event == "interval")
  }

  /// Writes the outcome `lost` for disclosures (releases of location data) whose outcome an earlier run of the daemon
  /// did not record. If the disk is full, nothing is written, and there is no error, so that the gateway can start.
  ///
  /// - Returns: The sequence numbers of all disclosures without an outcome before the call, and of those that still
  ///   have none.
  func closeLostDisclosures(
    at time: UTCTime, _ chain: LogChain
  ) throws(SQLiteFailure) -> (all: [Int64], unclosed: [Int64]) {
    let lost = try selectOpen.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.integer(0) }
    guard !lost.isEmpty else { return ([], []) }
    do {
      try transaction { () throws(SQLiteFailure) in try closeDisclosures(lost, at: time, chain) }
    } catch let failure where failure.isFull {
      return (lost, lost)
    }
    return (lost, [])
  }

  /// Writes the outcome `lost` for the disclosures (releases of location data) with these sequence numbers, in the
  /// caller's transaction.
  func closeDisclosures(_ lost: [Int64], at time: UTCTime, _ chain: LogChain) throws(SQLiteFailure) {
    for sequence in lost {
      // Another program removed the opening entry, so the app is unknown. `verifyLog` reports the missing entry.
      guard let opening = try? opening(sequence) else {
        try removeOpen.run(.integer(sequence))
        continue
      }
      let event: LogEntry.Event =
        opening.isInterval ? .end(.lost, fixes: nil, of: sequence) : .outcome(.lost, of: sequence)
      try close(event, at: time, chain)
    }
  }
}

extension LogRow {
  init(_ event: LogEntry.Event, app: AppID, at time: UTCTime) {
    func values(_ name: String, _ entry: DisclosureEntry?, _ closing: [SQLiteValue]) -> [SQLiteValue] {
      [
        .text(time.iso8601), .text(name), .text(app.name), .text(entry?.accuracy.rawValue),
        .text(entry?.right.rawValue), .text(entry?.transport), entry.map { .boolean($0.isSimulated) } ?? .null,
        entry.map { .boolean($0.isLate) } ?? .null,
      ] + closing + Array(repeating: .null, count: 6)
    }
    switch event {
    case .disclosure(let entry): self.init(values: values("disclosure", entry, [.null, .null, .null]))
    case .interval(let entry): self.init(values: values("interval", entry, [.null, .null, .null]))
    case .outcome(let outcome, let opening):
      self.init(values: values("outcome", nil, [.text(outcome.rawValue), .integer(opening), .null]))
    case .end(let end, let fixes, let opening):
      self.init(
        values: values("end", nil, [.text(end.rawValue), .integer(opening), .integer(fixes.map(Int64.init))]))
    case .rightEnd(let right, let status):
      self.init(
        values: [.text(time.iso8601), .text("right-end"), .text(app.name), .null, .text(right.rawValue)]
          + Array(repeating: .null, count: 3) + [.text(status.rawValue)] + Array(repeating: .null, count: 8))
    case .answer(let answer):
      self.init(
        values: [.text(time.iso8601), .text("answer"), .text(app.name), .text(answer.accuracy?.rawValue)]
          + Array(repeating: .null, count: 7) + [
            .text(answer.prompt.rawValue), .text(answer.choice.rawValue), .text(answer.purpose),
            // The column must have a value, so an empty text means that no text was shown.
            .text(answer.language ?? ""), .text(answer.way.name), .integer(answer.way.user.map(Int64.init)),
          ])
    }
  }
}

extension LogEntry {
  init?(reading row: borrowing SQLiteRow) {
    guard let time = UTCTime(iso8601: row.text(1)), let app = AppID(row.text(3)),
      let event = Event(reading: row)
    else { return nil }
    self.init(sequence: row.integer(0), time: time, app: app, event: event)
  }
}

extension LogEntry.Event {
  /// The sequence number of the log entry that began the disclosure or the series of fixes; nil for an event that ends
  /// neither.
  fileprivate var opening: Int64? {
    switch self {
    case .outcome(_, let opening), .end(_, _, let opening): opening
    case .disclosure, .interval, .answer, .rightEnd: nil
    }
  }

  fileprivate init?(reading row: borrowing SQLiteRow) {
    let opening = row.integer(10)
    switch row.text(2) {
    case "disclosure":
      guard let entry = DisclosureEntry(reading: row) else { return nil }
      self = .disclosure(entry)
    case "interval":
      guard let entry = DisclosureEntry(reading: row) else { return nil }
      self = .interval(entry)
    case "outcome":
      guard let outcome = DisclosureOutcome(rawValue: row.text(9)) else { return nil }
      self = .outcome(outcome, of: opening)
    case "end":
      guard let end = IntervalEnd(rawValue: row.text(9)) else { return nil }
      self = .end(end, fixes: row.isNull(11) ? nil : Int(row.integer(11)), of: opening)
    case "right-end":
      guard let right = Right(rawValue: row.text(5)), let status = AuthorizationStatus(rawValue: row.text(9)) else {
        return nil
      }
      self = .rightEnd(of: right, status)
    case "answer":
      guard let answer = AnswerEntry(reading: row) else { return nil }
      self = .answer(answer)
    default:
      return nil
    }
  }
}

extension DisclosureEntry {
  fileprivate init?(reading row: borrowing SQLiteRow) {
    guard let app = AppID(row.text(3)), let accuracy = FixAccuracy(rawValue: row.text(4)),
      let right = Right(rawValue: row.text(5))
    else { return nil }
    self.init(
      app: app, accuracy: accuracy, right: right, transport: row.text(6), isSimulated: row.boolean(7),
      isLate: row.boolean(8))
  }
}

extension AnswerEntry {
  fileprivate init?(reading row: borrowing SQLiteRow) {
    guard let app = AppID(row.text(3)), let prompt = Prompt.Kind(rawValue: row.text(12)),
      let choice = PromptChoice(rawValue: row.text(13)),
      let way = AnswerWay(row.text(16), user: row.isNull(17) ? nil : UInt32(exactly: row.integer(17)))
    else { return nil }
    self.init(
      app: app, prompt: prompt, choice: choice, accuracy: row.isNull(4) ? nil : FixAccuracy(rawValue: row.text(4)),
      purpose: row.isNull(14) ? nil : row.text(14), language: row.text(15).isEmpty ? nil : row.text(15), way: way)
  }
}

extension AnswerWay {
  /// The word in the database for the way in which the user answered, for example `button`.
  package var name: String {
    switch self {
    case .button: "button"
    case .console: "console"
    case .page: "page"
    case .socket: "socket"
    }
  }

  /// The Unix user ID behind an answer over the Unix socket for owners; nil for other ways to answer.
  package var user: UInt32? {
    switch self {
    case .button, .console, .page: nil
    case .socket(let user): user
    }
  }

  fileprivate init?(_ name: String, user: UInt32?) {
    switch (name, user) {
    case ("button", _): self = .button
    case ("console", _): self = .console
    case ("page", _): self = .page
    case ("socket", let user?): self = .socket(user: user)
    default: return nil
    }
  }
}
