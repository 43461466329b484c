package import Base

/// A sign that another program changed the disclosure log (the log of all releases of location data).
package enum LogFault: Hashable, Sendable {
  /// Another program changed or moved the entry with this sequence number.
  case changed(Int64)
  case missing(ClosedRange<Int64>)
  /// Another program added the entry with this sequence number after the end of the log.
  case added(Int64)
  /// Another program removed entries before the entry with this sequence number.
  case beginningChanged(Int64)
  /// The log differs from an anchor (an earlier copy of the end of the log). The values are the sequence number and the
  /// time of the anchor, and the sequence number of the log's last entry.
  case notAsAnchored(Int64, UTCTime, end: Int64)
  /// The log has entries, but the file with the anchors (copies of the end of the log) is missing.
  case anchorMissing
  /// The file with the anchors (copies of the end of the log) is invalid, or was written with another device key.
  case anchorChanged

  /// The sequence number of the first changed, missing or added entry; nil for a fault of the anchor file.
  package var entry: Int64? {
    switch self {
    case .changed(let entry), .added(let entry), .beginningChanged(let entry): entry
    case .missing(let entries): entries.lowerBound
    case .notAsAnchored(let anchored, _, let end): end < anchored ? end + 1 : anchored
    case .anchorMissing, .anchorChanged: nil
    }
  }

  /// The identifier of the fault for scripts, for example `beginning-changed`.
  package var name: String {
    switch self {
    case .changed: "changed"
    case .missing: "missing"
    case .added: "added"
    case .beginningChanged: "beginning-changed"
    case .notAsAnchored: "not-as-anchored"
    case .anchorMissing: "anchor-missing"
    case .anchorChanged: "anchor-changed"
    }
  }
}

extension LogFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .changed(let entry): "entry #\(entry) was changed or moved"
    case .missing(let entries):
      entries.count == 1
        ? "entry #\(entries.lowerBound) was removed"
        : "entries #\(entries.lowerBound) to #\(entries.upperBound) were removed"
    case .added(let entry): "entry #\(entry) was added after the end of the log"
    case .beginningChanged(let entry): "entries before #\(entry) were removed, but not by pruning"
    case .notAsAnchored(let anchored, let time, let end):
      end < anchored
        ? "the log ends with entry #\(end), but had \(anchored) entries at \(time.iso8601): "
          + "entry #\(end + 1) and later entries were removed"
        : "entry #\(anchored) differs from the anchor file, which was written at \(time.iso8601): the log was replaced"
    case .anchorMissing:
      "the anchor of the log is missing: removal of the last entries cannot be detected"
    case .anchorChanged: "the anchor of the log was changed, or was written with another device key"
    }
  }
}

/// The result of a verification of the disclosure log (the log of all releases of location data).
package struct LogVerification: Hashable, Sendable {
  package var count = 0
  /// The sequence numbers from the first to the last log entry; nil if the log is empty.
  package var range: ClosedRange<Int64>?
  /// The sequence number of the newest log entry that was removed because of its age; 0 if no entry was removed.
  package var pruned: Int64 = 0
  /// The newest valid anchor (a copy of the end of the log, outside the database); nil if there is none.
  package var anchor: LogAnchor?
  /// The faults that the verification found, at most `most`, in the order of the log entries.
  package var faults: [LogFault] = []

  package static let most = 100

  package var isGood: Bool { faults.isEmpty }
}

/// The state of a verification of the disclosure log. The verification has many short steps, so that other callers of
/// the store do not wait long.
package struct LogVerifier: Sendable {
  package private(set) var result = LogVerification()
  /// The last verified log entry: its sequence number, and its authentication code. The code is nil if the entry is
  /// missing.
  private var last: (sequence: Int64, code: [UInt8]?)
  private let beginning: LogBeginning?

  init(_ beginning: LogBeginning?, _ chain: LogChain, code: [UInt8]?) {
    self.beginning = beginning
    guard let beginning else {
      last = (0, LogChain.initialCode)
      return
    }
    result.pruned = beginning.sequence
    last = (beginning.sequence, beginning.code)
    if code != chain.code(of: beginning) {
      report(.beginningChanged(beginning.sequence + 1))
      last.code = nil
    }
  }

  var position: Int64 { last.sequence }

  func isOutdated(by beginning: LogBeginning?) -> Bool { beginning != self.beginning }

  /// Returns the authentication code of the log entry before `sequence`; nil if that entry is missing. The code of a
  /// log entry also covers the code of the previous entry.
  func code(before sequence: Int64) -> [UInt8]? { sequence > last.sequence + 1 ? nil : last.code }

  /// Adds a log entry to the result: its fault, if its authentication code is wrong, and the fault of missing entries
  /// before it.
  ///
  /// - Parameters:
  ///   - code: The authentication code of the entry in the database.
  ///   - expected: The correct authentication code; nil if unknown, because the previous entry is missing.
  mutating func note(_ sequence: Int64, code: [UInt8], expected: [UInt8]?) {
    if sequence > last.sequence + 1 { report(.missing(last.sequence + 1...sequence - 1)) }
    if let expected, expected != code { report(.changed(sequence)) }
    last = (sequence, code)
    result.count += 1
    result.range = (result.range?.lowerBound ?? sequence)...sequence
  }

  /// Compares the last verified entry with the recorded end of the log (`head`), and adds the fault of the anchor file
  /// to the result.
  mutating func finish(_ head: LogHead, anchor: LogAnchor?, _ anchorFault: LogFault?) {
    if head.sequence > last.sequence {
      report(.missing(last.sequence + 1...head.sequence))
    } else if head.sequence < last.sequence {
      report(.added(head.sequence + 1))
    } else if let code = last.code, code != head.code {
      report(.changed(head.sequence))
    }
    result.anchor = anchor
    if let anchorFault { report(anchorFault) }
  }

  private mutating func report(_ fault: LogFault) {
    if result.faults.count < LogVerification.most, result.faults.last != fault { result.faults.append(fault) }
  }
}

extension StateStore {
  package func verifyLog() throws(StoreError) -> LogVerification {
    var verifier = try beginVerification()
    while try continueVerification(&verifier, entries: 10_000) {}
    return verifier.result
  }

  package func beginVerification() throws(StoreError) -> LogVerifier {
    let chain = chain
    return try perform("read the log in") { (opened) throws(SQLiteFailure) in try opened.verifier(chain) }
  }

  /// Verifies at most `entries` further entries of the disclosure log. Entries may be added and removed between two
  /// calls. Returns whether another call is necessary.
  package func continueVerification(_ verifier: inout LogVerifier, entries: Int) throws(StoreError) -> Bool {
    let chain = chain
    let copy = verifier
    let (next, isOver) = try perform("read the log in") { (opened) throws(SQLiteFailure) in
      var next = copy
      if next.isOutdated(by: try opened.beginning()) { next = try opened.verifier(chain) }
      let before = next.position
      try opened.verify(&next, through: .max, limit: entries, chain)
      return (next, next.position == before)
    }
    verifier = next
    guard isOver else { return true }
    let fault = try anchorState().fault
    let anchor = try lastAnchor()
    let head = try perform("read the log in") { (opened) throws(SQLiteFailure) in try opened.head() }
    verifier.finish(head, anchor: anchor, fault)
    return false
  }
}

extension StateDatabase {
  func verifier(_ chain: LogChain) throws(SQLiteFailure) -> LogVerifier {
    LogVerifier(try beginning(), chain, code: try selectBeginning.rows(read: { row in row.blob(3) }).first)
  }

  /// Verifies at most `limit` further log entries, up to the sequence number `last`.
  func verify(
    _ verifier: inout LogVerifier, through last: Int64, limit: Int, _ chain: LogChain
  ) throws(SQLiteFailure) {
    var next = verifier
    var bytes: [UInt8] = []
    _ = try selectCodes.rows(.integer(next.position), .integer(last), .integer(Int64(limit))) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      let sequence = row.integer(0)
      var expected: [UInt8]?
      if let previous = next.code(before: sequence) {
        bytes.removeAll(keepingCapacity: true)
        bytes.beginEntry(sequence, after: previous)
        row.appendCanonical(LogRow.columns.count, from: 2, to: &bytes)
        expected = chain.code(ofEntry: bytes)
      }
      next.note(sequence, code: row.blob(1), expected: expected)
    }
    verifier = next
  }
}
