package import Authorization
package import Clocks
import Encoding

/// A fix that is to wait until a broker has acknowledged it.
package struct KeptFix: Hashable, Sendable {
  /// For which entry of the configuration.
  package var bridge: String
  package var expires: UTCTime
  /// What is published of it.
  package var bytes: [UInt8]

  package init(bridge: String, expires: UTCTime, bytes: [UInt8]) {
    self.bridge = bridge
    self.expires = expires
    self.bytes = bytes
  }
}

/// A fix in the outbox, without what is sealed of it.
package struct WaitingFix: Hashable, Sendable {
  /// Of the entry of the log that it was granted with: unique for ever.
  package let number: Int64
  /// The entry that is open for it.
  package let disclosure: Int64
  package let app: AppID
  package let bridge: String
  package let accuracy: Accuracy
  package let right: Right
  package let isSimulated: Bool
  package let expires: UTCTime
  fileprivate let mark: String
}

/// The outbox: each fix sealed with a key from the device's, and with it, so that nobody exchanges it, whose it is, how
/// precise, by which right, for whom and until when.
extension StateStore {
  /// What waits, oldest first.
  package func waitingFixes() throws(StoreError) -> [WaitingFix] {
    try perform("read the outbox in") { (opened) throws(SQLiteFailure) in
      try opened.selectWaiting.rows(read: WaitingFix.init(reading:))
    }
  }

  /// What is to be published.
  /// - Throws: `StoreError` of the kind `sealBroken` where it was changed, or sealed by another device.
  package func content(of fix: WaitingFix) throws(StoreError) -> [UInt8] {
    let operation = "open fix \(fix.number) in the outbox of"
    let rows = try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.selectSealed.rows(.integer(fix.number)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        row.blob(0)
      }
    }
    guard let sealed = rows.first else {
      throw StoreError(.sealBroken, operation, files.database, cause: "it is not there any more")
    }
    return try openedBytes(sealed, as: fix.label, operation)
  }

  /// Writes that a fix is about to be given later than the light told of it: the entry that it was granted with is
  /// closed, and another opened.
  /// - Returns: the fix as it waits now. Only from now on may bytes be sent.
  package func postpone(_ fix: WaitingFix, now: ClockReading) throws(StoreError) -> WaitingFix {
    try reserve.make()
    let chain = chain
    let entry = DisclosureEntry(
      app: fix.app, accuracy: fix.accuracy, right: fix.right, transport: WaitingFix.transport,
      isSimulated: fix.isSimulated, isLate: true)
    let sequence = try perform("write a late disclosure to") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        _ = try opened.close(fix.disclosure, as: .outcome(.postponed, of: fix.disclosure), at: now.utc, chain)
        let sequence = try opened.append(LogRow(.disclosure(entry), app: fix.app, at: now.utc), chain)
        try opened.insertOpen.run(.integer(sequence))
        try opened.moveWaiting.run(.integer(fix.number), .integer(sequence))
        return sequence
      }
    }
    return fix.moved(to: sequence)
  }

  /// Erases a fix and writes what became of it: both or nothing. One that is withdrawn is erased also where the disk is
  /// full.
  package func settle(_ fix: WaitingFix, _ outcome: DisclosureOutcome, now: ClockReading) throws(StoreError) {
    let chain = chain
    let body = { (opened: OpenedDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        try opened.removeWaiting.run(.integer(fix.number))
        _ = try opened.close(fix.disclosure, as: .outcome(outcome, of: fix.disclosure), at: now.utc, chain)
      }
    }
    let operation = "erase fix \(fix.number) from the outbox of"
    if outcome == .erased { try performRevocation(operation, body) } else { try perform(operation, body) }
  }

  /// A fix before it has a number, and its columns after that.
  func sealed(
    _ fix: KeptFix, _ entry: DisclosureEntry
  ) throws(StoreError) -> (fix: WaitingFix, columns: [SQLiteValue]) {
    let mark = randomDigits()
    let waiting = WaitingFix(
      number: 0, disclosure: 0, app: entry.app, bridge: fix.bridge, accuracy: entry.accuracy, right: entry.right,
      isSimulated: entry.isSimulated, expires: fix.expires, mark: mark)
    let columns: [SQLiteValue] = [
      .text(mark), .text(entry.app.name), .text(fix.bridge), .text(entry.accuracy.rawValue),
      .text(entry.right.rawValue), .boolean(entry.isSimulated), .integer(fix.expires.nanosecondsSince1970),
      .blob(try sealedBytes(fix.bytes, as: waiting.label)),
    ]
    return (waiting, columns)
  }
}

extension WaitingFix {
  /// As the log names it.
  fileprivate static let transport = "mqtt"

  /// What is authenticated with what is sealed.
  fileprivate var label: String {
    [
      "outbox", mark, app.name, bridge, accuracy.rawValue, right.rawValue, isSimulated ? "simulated" : "live",
      "\(expires.nanosecondsSince1970)",
    ].joined(separator: "\n")
  }

  /// Under an entry of the log; the first is its number, too.
  func moved(to disclosure: Int64) -> WaitingFix {
    WaitingFix(
      number: number > 0 ? number : disclosure, disclosure: disclosure, app: app, bridge: bridge, accuracy: accuracy,
      right: right,
      isSimulated: isSimulated, expires: expires, mark: mark)
  }

  fileprivate init(reading row: borrowing SQLiteRow) throws(SQLiteFailure) {
    guard let app = AppID(row.text(3)), let accuracy = Accuracy(rawValue: row.text(5)),
      let right = Right(rawValue: row.text(6))
    else { throw SQLiteFailure(unreadable: "fix \(row.integer(0)) of the outbox cannot be understood") }
    self.init(
      number: row.integer(0), disclosure: row.integer(1), app: app, bridge: row.text(4), accuracy: accuracy,
      right: right, isSimulated: row.boolean(7), expires: UTCTime(nanosecondsSince1970: row.integer(8)),
      mark: row.text(2))
  }
}
