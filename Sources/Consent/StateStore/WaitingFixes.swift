package import Authorization
package import Base
package import LineProtocol

/// A fix that the store keeps until its sink (the receiving service, such as an MQTT broker) acknowledges the fix.
package struct OutboxFix: Hashable, Sendable {
  /// The sink of the fix: the receiving service, such as an MQTT broker. The text begins with the address of the
  /// service.
  package var sink: String
  package var expires: UTCTime
  package var bytes: [UInt8]

  package init(sink: String, expires: UTCTime, bytes: [UInt8]) {
    self.sink = sink
    self.expires = expires
    self.bytes = bytes
  }
}

/// A saved fix that waits for its sink (the receiving service, such as an MQTT broker). The value does not contain the
/// position.
package struct OutboxEntry: Hashable, Sendable {
  /// The identifier of the fix: the sequence number of the first entry in the disclosure log about this fix.
  package let number: Int64
  /// The sequence number of the latest entry in the disclosure log about this fix.
  package let disclosure: Int64
  package let app: AppID
  package let sink: String
  package let accuracy: FixAccuracy
  package let right: Right
  package let isSimulated: Bool
  package let expires: UTCTime
  fileprivate let mark: String
}

/// Functions for the database table `outbox`, which contains fixes that wait for their sinks (receiving services, such
/// as an MQTT broker). Each fix is encrypted with a key that is derived from the device key. Its app, accuracy, right,
/// sink and expiry are authenticated, so that another program cannot change them.
extension StateStore {
  /// Returns the saved fixes that wait for their sinks (receiving services, such as an MQTT broker), the oldest first.
  /// Fixes that another program changed are left out.
  package func waitingFixes() throws(StoreError) -> [OutboxEntry] {
    let faults = unsettledFaults
    return try perform("read the outbox in") { (opened) throws(SQLiteFailure) in
      try opened.selectWaiting.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) -> OutboxEntry? in
        faults.concern(.fix(row.integer(0))) ? nil : try OutboxEntry(reading: row)
      }.compactMap(\.self)
    }
  }

  /// Returns the decrypted bytes of a saved fix.
  ///
  /// - Throws: `StoreError`. Its kind is `sealBroken` if another program changed or removed the fix, or another device
  ///   encrypted it.
  package func content(of fix: OutboxEntry) throws(StoreError) -> [UInt8] {
    let operation = "open fix \(fix.number) in the outbox of"
    let rows = try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.selectSealed.rows(.integer(fix.number)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        row.blob(0)
      }
    }
    guard let sealed = rows.first else {
      throw StoreError(.sealBroken, operation, files.database, cause: "it no longer exists")
    }
    return try openedBytes(sealed, as: fix.label, operation)
  }

  /// Records in the disclosure log that a fix could not be sent while the LED was on. Then begins a new log entry for
  /// the late transmission.
  ///
  /// - Returns: The fix with its new log entry. Its bytes may be sent only after this call.
  package func postpone(_ fix: OutboxEntry, now: ClockReading) throws(StoreError) -> OutboxEntry {
    try reserve.allocate()
    let chain = chain
    let entry = DisclosureEntry(
      app: fix.app, accuracy: fix.accuracy, right: fix.right, transport: fix.transport,
      isSimulated: fix.isSimulated, isLate: true)
    let sequence = try perform("write a late disclosure to") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        try opened.close(.outcome(.postponed, of: fix.disclosure), at: now.utc, chain)
        let sequence = try opened.append(LogRow(.disclosure(entry), app: fix.app, at: now.utc), chain)
        try opened.insertOpen.run(.integer(sequence))
        try opened.move(fix.moved(to: sequence))
        return sequence
      }
    }
    return fix.moved(to: sequence)
  }

  /// Erases a saved fix and writes the outcome of its delivery to the disclosure log, in one transaction. If the disk
  /// is full and the outcome of the fix is `erased` or `lost`, the reserved disk space (`Reserve`) is used.
  package func settle(_ fix: OutboxEntry, _ outcome: DisclosureOutcome, now: ClockReading) throws(StoreError) {
    let chain = chain
    let body = { (opened: StateDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        try opened.removeFix(fix.number)
        // A fix must be erased even if another program has removed its opening entry.
        try opened.close(.outcome(outcome, of: fix.disclosure), of: fix.app, at: now.utc, chain)
      }
    }
    let operation = "erase fix \(fix.number) from the outbox of"
    switch outcome {
    case .erased, .lost: try performRevocation(operation, body)
    default: try perform(operation, body)
    }
  }

  /// Encrypts a fix for the table `outbox`. The returned entry has no identifier yet.
  func sealed(_ fix: OutboxFix, _ entry: DisclosureEntry) throws(StoreError) -> (fix: OutboxEntry, sealed: [UInt8]) {
    let waiting = OutboxEntry(
      number: 0, disclosure: 0, app: entry.app, sink: fix.sink, accuracy: entry.accuracy, right: entry.right,
      isSimulated: entry.isSimulated, expires: fix.expires, mark: randomDigits())
    return (waiting, sealedBytes(fix.bytes, as: waiting.label))
  }
}

extension OutboxEntry {
  /// The scheme of the sink's address without the `s` for TLS, for example `mqtt` for an address with `mqtts:`.
  package var transport: String {
    let scheme = sink.prefix { $0 != ":" }
    return String(scheme.last == "s" ? scheme.dropLast() : scheme)
  }

  /// The additional authenticated data for the encryption of the fix, for example its app and its expiry.
  fileprivate var label: String {
    [
      "outbox", mark, app.name, sink, accuracy.rawValue, right.rawValue, isSimulated ? "simulated" : "live",
      "\(expires.nanosecondsSince1970)",
    ].joined(separator: "\n")
  }

  /// The values of the columns of the table `outbox` that the authentication code of the row covers.
  var columns: [SQLiteValue] {
    [
      .integer(number), .integer(disclosure), .text(mark), .text(app.name), .text(sink), .text(accuracy.rawValue),
      .text(right.rawValue), .boolean(isSimulated), .integer(expires.nanosecondsSince1970),
    ]
  }

  /// Returns a copy of the fix with the sequence number of a new log entry. A fix without an identifier gets this
  /// number as its identifier.
  func moved(to disclosure: Int64) -> OutboxEntry {
    OutboxEntry(
      number: number > 0 ? number : disclosure, disclosure: disclosure, app: app, sink: sink, accuracy: accuracy,
      right: right,
      isSimulated: isSimulated, expires: expires, mark: mark)
  }

  fileprivate init(reading row: borrowing SQLiteRow) throws(SQLiteFailure) {
    guard let app = AppID(row.text(3)), let accuracy = FixAccuracy(rawValue: row.text(5)),
      let right = Right(rawValue: row.text(6))
    else { throw SQLiteFailure(unreadable: "fix \(row.integer(0)) in the outbox has invalid fields") }
    self.init(
      number: row.integer(0), disclosure: row.integer(1), app: app, sink: row.text(4), accuracy: accuracy,
      right: right, isSimulated: row.boolean(7), expires: UTCTime(nanosecondsSince1970: row.integer(8)),
      mark: row.text(2))
  }
}
