package import Base
import Glibc
import OperatingSystem

/// A copy of the end of the disclosure log (the log of all releases of location data), outside the database. A
/// comparison with this copy reveals the removal of entries at the end of the log.
package struct LogAnchor: Hashable, Sendable {
  /// The sequence number of the log entry that was the last one at `time`.
  package let sequence: Int64
  let code: [UInt8]
  package let time: UTCTime
  /// The count of all changes of protected database rows until `time`; nil if the rows had no authentication codes at
  /// that time.
  let rightsRevision: Int64?

  /// Returns the anchor (copy of the end of the disclosure log) as one text line: the version, `sequence`, `code`,
  /// `rightsRevision` (only in version 2), `time`, and the authentication code of all these fields.
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

  /// Decodes an anchor (copy of the end of the disclosure log) that `line(_:)` encoded. Returns nil if the text line is
  /// invalid, or was encoded with the key of a different device.
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
  /// The maximum count of anchors (copies of the end of the disclosure log) in the file. The times of the anchors show
  /// when another program removed entries.
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

  /// Returns the highest count of changes (`rightsRevision`) of all valid anchors in the file; nil if no anchor has a
  /// count.
  func rightsRevision(_ chain: LogChain) throws(StoreError) -> Int64? {
    try lines()?.compactMap { LogAnchor(line: $0, chain)?.rightsRevision }.max()
  }

  /// Throws an error if the file has content of another program: not one of its lines begins with a version number and a
  /// sequence number. Damaged anchors count as content of this program.
  func checkContent() throws(StoreError) {
    guard let lines = try lines(), !lines.isEmpty else { return }
    let isAnchor = lines.contains { line in
      let words = line.split(separator: " ")
      return words.count > 1 && ["1", "2"].contains(words[0]) && Int64(words[1]) != nil
    }
    guard !isAnchor else { return }
    throw StoreError(
      .unsuitable, "write the anchor of the log", path, cause: "the file has other content",
      remedy: "choose another file with --anchor, or remove this one")
  }

  /// Replaces the content of the file by the last `maximumCount` text lines of `lines`.
  func write(_ lines: [String]) throws(StoreError) {
    let text = lines.suffix(AnchorFile.maximumCount).map { "\($0)\n" }.joined()
    do {
      try AtomicFile(path: path).write(Array(text.utf8), mode: 0o600, isDurable: true)
    } catch {
      throw StoreError(
        "write the anchor of the log", path, errno: error.number,
        remedy: "make \(parent(of: path)) a folder that this user can write, or choose another file with --anchor")
    }
  }
}

extension StateStore {
  /// Copies the present end of the disclosure log to the anchor file, outside the database. If an earlier copy in the
  /// file shows a change of the log by another program, the file stays unchanged as evidence.
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

  /// Replaces all anchors (copies of the end of the disclosure log) by a new one, for example after an owner restored a
  /// backup. After this call, `verifyLog` still detects changes inside the log, but no longer detects that the database
  /// is an older copy.
  ///
  /// - Throws: `StoreError` if the file with the anchors is a file of another program, or cannot be written.
  package func renewAnchor(now: ClockReading) throws(StoreError) {
    try anchorFile?.checkContent()
    try perform("read the log in") { (opened) throws(SQLiteFailure) in opened.rows.anchored = 0 }
    try anchorFile?.write([try currentAnchor(at: now).line(chain)])
    stateFaults.removeAll { $0 == .rolledBack }
    unsettledFaults.remove(.rolledBack)
  }

  private func currentAnchor(at now: ClockReading) throws(StoreError) -> LogAnchor {
    try perform("read the log in") { (opened) throws(SQLiteFailure) in
      // Until `settleFaults` corrects an older copy of the database, no new anchor may hide that the copy is older.
      LogAnchor(
        try opened.head(), rightsRevision: max(opened.rows.revision, opened.rows.anchored), time: now.utc)
    }
  }

  /// Returns the newest valid anchor (a copy of the end of the disclosure log, outside the database); nil if there is
  /// none.
  package func lastAnchor() throws(StoreError) -> LogAnchor? {
    try anchorFile?.lines()?.reversed().lazy.compactMap { [chain] in LogAnchor(line: $0, chain) }.first
  }

  /// Returns the latest time of all valid anchors (copies of the end of the disclosure log); nil if there is none. The
  /// newest anchor can have an earlier time, because the clock of the machine may have been wrong.
  package func latestAnchorTime() throws(StoreError) -> UTCTime? {
    try anchorFile?.lines()?.compactMap { [chain] in LogAnchor(line: $0, chain)?.time }.max()
  }

  /// Compares the anchors (copies of the end of the disclosure log) with the log.
  ///
  /// - Returns: The first fault, or nil if there is none; and the text lines of the anchor file.
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
      let beginning = try opened.beginning()
      for line in lines {
        guard let anchor = LogAnchor(line: line, chain) else { return (.anchorChanged, lines) }
        // The entry of this anchor was pruned, so a comparison is impossible.
        if let beginning, anchor.sequence < beginning.sequence { continue }
        guard try opened.code(of: anchor.sequence) == anchor.code else {
          return (.notAsAnchored(anchor.sequence, anchor.time, end: head.sequence), lines)
        }
      }
      return (nil, lines)
    }
  }
}
