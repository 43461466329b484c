package import Base
import Glibc
import OperatingSystem

/// A copy of the sequence number and the authentication code of the last entry of the disclosure log, outside the
/// database. A comparison with this copy reveals the removal of entries at the end of the log.
package struct LogAnchor: Hashable, Sendable {
  /// The sequence number of the last log entry at `time`.
  package let sequence: Int64
  /// The authentication code of the last log entry at `time`.
  let code: [UInt8]
  package let time: UTCTime
  /// The count of changes of authenticated rows in the database before `time` (`StoredRows.revision`); nil if the
  /// authorizations were not authenticated yet.
  let rightsRevision: Int64?

  /// Returns the anchor as one text line: the version, `sequence`, `code`, `rightsRevision` (only in version 2),
  /// `time`, and the authentication code of all these fields.
  func line(_ chain: LogChain) -> String {
    let version = rightsRevision == nil ? 1 : 2
    let revision = rightsRevision.map { " \($0)" } ?? ""
    let text = "\(version) \(sequence) \(code.hexadecimal)\(revision) \(time.iso8601)"
    return "\(text) \(chain.code(ofAnchor: text).hexadecimal)"
  }

  init(_ head: LogHead, rightsRevision: Int64?, time: UTCTime) {
    self.sequence = head.sequence
    self.code = head.code
    self.time = time
    self.rightsRevision = rightsRevision
  }

  /// Decodes a text line of the anchor file. Returns nil if the text line is invalid, or was written with the key of a
  /// different device.
  init?(line: some StringProtocol, _ chain: LogChain) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let hasRevision = words.first == "2"
    guard words.first == "1" || hasRevision, words.count == (hasRevision ? 6 : 5),
      let sequence = Int64(words[1]), sequence >= 0,
      let code = [UInt8](hexadecimal: words[2]), code.count == LogChain.byteCount,
      let time = UTCTime(iso8601: String(words[words.count - 2])),
      [UInt8](hexadecimal: words[words.count - 1]) == chain.code(ofAnchor: words.dropLast().joined(separator: " "))
    else { return nil }
    self.sequence = sequence
    self.code = code
    self.time = time
    rightsRevision = hasRevision ? Int64(words[3]) : nil
  }
}

/// The file with the latest anchors (copies of the end of the disclosure log), one in each text line, the newest last.
struct AnchorFile {
  /// The maximum count of anchors. The times of several anchors show when entries were removed.
  static let maximumCount = 24

  let path: String

  func lines() throws(StoreError) -> [String]? {
    let file: FileDescriptor
    do {
      file = try FileDescriptor("read the anchor of the log", path, O_RDONLY | O_NONBLOCK)
    } catch  where error.kind == .absent {
      return nil
    }
    let bytes = try file.read(atMost: 65_536, of: path)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Returns the highest `LogAnchor.rightsRevision` of the valid anchors; nil if there is none.
  func rightsRevision(_ chain: LogChain) throws(StoreError) -> Int64? {
    try lines()?.compactMap { LogAnchor(line: $0, chain)?.rightsRevision }.max()
  }

  /// Replaces the content of the file by the last `maximumCount` of these text lines.
  func write(_ lines: [String]) throws(StoreError) {
    let text = lines.suffix(AnchorFile.maximumCount).map { "\($0)\n" }.joined()
    do {
      try AtomicFile(path: path).write(Array(text.utf8), mode: 0o600, isDurable: true)
    } catch {
      throw StoreError(
        "write the anchor of the log", path, errno: error.number,
        remedy: "make \(parent(of: path)) writable for this user, or choose another file with --anchor")
    }
  }
}

extension StateStore {
  /// Copies the present end of the disclosure log to the anchor file, outside the database. If an earlier copy shows
  /// that the log was changed, the file stays unchanged, so that the evidence stays.
  ///
  /// - Returns: The change that an earlier copy shows; nil if there is none.
  @discardableResult
  package func anchor(now: ClockReading) throws(StoreError) -> LogFault? {
    guard let anchorFile else { return nil }
    let (fault, lines) = try anchorState()
    if let fault { return fault }
    try anchorFile.write(lines + [try currentAnchor(at: now).line(chain)])
    return nil
  }

  /// Replaces all anchors (copies of the end of the disclosure log) by a new one, for example after the owner restored
  /// the state from a backup. `verifyLog` still detects changes inside the log, but no longer detects that the state is
  /// an older copy.
  package func renewAnchor(now: ClockReading) throws(StoreError) {
    try anchorFile?.write([try currentAnchor(at: now).line(chain)])
    stateFaults.removeAll { $0 == .rolledBack }
    unsettledFaults.remove(.rolledBack)
  }

  private func currentAnchor(at now: ClockReading) throws(StoreError) -> LogAnchor {
    try perform("read the log in") { (opened) throws(SQLiteFailure) in
      LogAnchor(try opened.head(), rightsRevision: opened.rows.revision, time: now.utc)
    }
  }

  /// Returns the newest valid anchor (a copy of the end of the disclosure log, outside the database); nil if there is
  /// none.
  package func lastAnchor() throws(StoreError) -> LogAnchor? {
    try anchorFile?.lines()?.reversed().lazy.compactMap { [chain] in LogAnchor(line: $0, chain) }.first
  }

  /// Returns the latest time of all valid anchors (copies of the end of the disclosure log); nil if there is none. The
  /// newest anchor can have an earlier time if the clock of the machine was wrong.
  package func latestAnchorTime() throws(StoreError) -> UTCTime? {
    try anchorFile?.lines()?.compactMap { [chain] in LogAnchor(line: $0, chain)?.time }.max()
  }

  /// Compares the anchors (copies of the end of the disclosure log) with the log. Returns the first fault, or nil if
  /// there is none, and the text lines of the anchor file.
  func anchorState() throws(StoreError) -> (fault: LogFault?, lines: [String]) {
    guard let anchorFile else { return (nil, []) }
    let found = try anchorFile.lines()
    let chain = chain
    return try perform("read the log in") { (opened) throws(SQLiteFailure) in
      let head = try opened.head()
      // The first anchor is durable before the first entry. If a log has entries but no anchor file, another program
      // removed the file.
      guard let lines = found else { return (head.sequence == 0 ? nil : .anchorMissing, []) }
      if lines.isEmpty { return (.anchorChanged, []) }
      let pruned = try opened.beginning()?.sequence ?? 0
      for line in lines {
        guard let anchor = LogAnchor(line: line, chain) else { return (.anchorChanged, lines) }
        // The entry of this anchor was pruned, so a comparison is impossible.
        if anchor.sequence < pruned { continue }
        guard try opened.code(of: anchor.sequence) == anchor.code else {
          return (.notAsAnchored(anchor.sequence, anchor.time, end: head.sequence), lines)
        }
      }
      return (nil, lines)
    }
  }
}
