package import Clocks

/// What is wrong with the log.
package enum LogFault: Hashable, Sendable {
  /// An entry is not what was written in its place.
  case changed(Int64)
  /// Entries are not there.
  case missing(ClosedRange<Int64>)
  /// There are entries behind the last one that was written.
  case added(Int64)
  /// Something before this entry was removed, and not by pruning.
  case beginningChanged(Int64)
  /// The log does not reach as far, or not through the same entries, as an anchor says.
  case notAsAnchored(Int64, UTCTime, end: Int64)
  /// There are entries, and no anchor.
  case anchorMissing
  /// The file of the anchors was not written by this device.
  case anchorChanged

  /// The entry it is about; nil where it is about no single one.
  package var entry: Int64? {
    switch self {
    case .changed(let entry), .added(let entry), .beginningChanged(let entry): entry
    case .missing(let entries): entries.lowerBound
    case .notAsAnchored(let anchored, _, let end): end < anchored ? end + 1 : anchored
    case .anchorMissing, .anchorChanged: nil
    }
  }

  /// One word.
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
    case .changed(let entry): "entry #\(entry) was changed, or stands in another's place"
    case .missing(let entries):
      entries.count == 1
        ? "entry #\(entries.lowerBound) was removed"
        : "entries #\(entries.lowerBound) to #\(entries.upperBound) were removed"
    case .added(let entry): "entry #\(entry) was added behind the log's end"
    case .beginningChanged(let entry): "entries before #\(entry) were removed, and not by pruning"
    case .notAsAnchored(let anchored, let time, let end):
      end < anchored
        ? "the log ends with entry #\(end), but had \(anchored) at \(time.iso8601): entry #\(end + 1) and later were removed"
        : "entry #\(anchored) is another than the anchor of \(time.iso8601) says: the log was put in another's place"
    case .anchorMissing:
      "the anchor of the log is missing: whether its last entries were removed cannot be told"
    case .anchorChanged: "the anchor of the log was changed, or written with another device key"
    }
  }
}

/// What a look through the whole log found.
package struct LogVerification: Hashable, Sendable {
  /// Entries that were looked at.
  package var count = 0
  /// The first and the last entry; nil where there are none.
  package var range: ClosedRange<Int64>?
  /// The last entry that was pruned; 0 where none was.
  package var pruned: Int64 = 0
  package var anchor: LogAnchor?
  /// In the order of the entries; at most `most`.
  package var faults: [LogFault] = []

  /// More are not told one by one.
  package static let most = 100

  package var isGood: Bool { faults.isEmpty }
}

/// Goes through the log, some entries at a time, so that whoever waits for the store need not wait for the whole.
package struct LogVerifier: Sendable {
  package private(set) var result = LogVerification()
  /// The last entry that was looked at, and its code; nil where that is not known, since it is missing.
  private var last: (sequence: Int64, code: [UInt8]?)
  private let beginning: LogBeginning?

  init(_ beginning: LogBeginning?, _ chain: LogChain, code: [UInt8]?) {
    self.beginning = beginning
    guard let beginning else {
      last = (0, LogChain.origin)
      return
    }
    result.pruned = beginning.sequence
    last = (beginning.sequence, beginning.code)
    if code != chain.code(of: beginning) {
      report(.beginningChanged(beginning.sequence + 1))
      last.code = nil
    }
  }

  /// The entry to go on after.
  var position: Int64 { last.sequence }

  /// Whether the log was pruned since the beginning was looked at.
  func isOutdated(by beginning: LogBeginning?) -> Bool { beginning != self.beginning }

  mutating func take(_ row: LogRow, sequence: Int64, code: [UInt8], _ chain: LogChain) {
    if sequence > last.sequence + 1 {
      report(.missing(last.sequence + 1...sequence - 1))
      last.code = nil
    }
    // After a gap nothing can be said of the first entry; it is the base of those after it.
    if let previous = last.code, chain.code(of: row, sequence: sequence, after: previous) != code {
      report(.changed(sequence))
    }
    last = (sequence, code)
    result.count += 1
    result.range = (result.range?.lowerBound ?? sequence)...sequence
  }

  /// All entries have been looked at.
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
  /// Looks through the whole log.
  package func verifyLog() throws(StoreError) -> LogVerification {
    var verifier = try beginVerification()
    while try continueVerification(&verifier, entries: 10_000) {}
    return verifier.result
  }

  package func beginVerification() throws(StoreError) -> LogVerifier {
    let chain = chain
    return try perform("read the log in") { (opened) throws(SQLiteFailure) in try opened.verifier(chain) }
  }

  /// Looks at some more entries.
  /// - Returns: false where all have been looked at. Entries may be added, and the log be pruned, meanwhile.
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

extension OpenedDatabase {
  func verifier(_ chain: LogChain) throws(SQLiteFailure) -> LogVerifier {
    LogVerifier(try beginning(), chain, code: try selectBeginning.rows(read: { row in row.blob(3) }).first)
  }

  /// Looks at the next entries up to one.
  func verify(
    _ verifier: inout LogVerifier, through last: Int64, limit: Int, _ chain: LogChain
  ) throws(SQLiteFailure) {
    var next = verifier
    _ = try selectCodes.rows(.integer(next.position), .integer(last), .integer(Int64(limit))) {
      (row: borrowing SQLiteRow) throws(SQLiteFailure) in
      next.take(LogRow(reading: row, from: 2), sequence: row.integer(0), code: row.blob(1), chain)
    }
    verifier = next
  }
}
