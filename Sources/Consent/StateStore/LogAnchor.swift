package import Clocks
import Glibc
import Encoding

/// The position of the log's end at a time, stored outside the database. It reveals that entries at the end were
/// removed.
package struct LogAnchor: Hashable, Sendable {
  /// The number of entries at that time.
  package let sequence: Int64
  /// The code of the last entry.
  let code: [UInt8]
  /// The time of writing.
  package let time: UTCTime
  /// The number of changes of rights in the database; nil if the rights were not authenticated yet.
  let rightsRevision: Int64?

  /// Returns the anchor as one line: version, number of entries, code of the last entry, in version 2 the revision of
  /// the rights, time, and the code of the line.
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

  /// Reads a line; returns nil unless it was written with this chain's key.
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

/// The file of the latest anchors, the newest last. It is replaced atomically: after a power loss either the old or the
/// new file exists.
struct AnchorFile {
  /// The number of anchors in the file. Older anchors show the hours between which entries were removed.
  static let maximumCount = 24

  let path: String

  /// Returns the lines of the file; nil if it does not exist.
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

  /// Returns the highest revision of rights in the anchors of this device; nil if no anchor has one.
  func rightsRevision(_ chain: LogChain) throws(StoreError) -> Int64? {
    try lines()?.compactMap { LogAnchor(line: $0, chain)?.rightsRevision }.max()
  }

  /// Replaces the file by the last `maximumCount` of these lines.
  func write(_ lines: [String]) throws(StoreError) {
    let text = lines.suffix(AnchorFile.maximumCount).map { "\($0)\n" }.joined()
    try replaceFile(
      path, with: Array(text.utf8), "write the anchor of the log",
      remedy: "make \(parent(of: path)) writable for this user, or choose another file with --anchor")
  }
}

extension StateStore {
  /// Writes an anchor for the present end of the log, unless an earlier anchor shows that the log was changed. The
  /// anchors then stay unchanged.
  ///
  /// - Returns: The fault of the log's end; nil if the anchor was written, or if the store has no anchor file.
  @discardableResult
  package func anchor(now: ClockReading) throws(StoreError) -> LogFault? {
    guard let anchorFile else { return nil }
    let (fault, lines) = try anchorState()
    if let fault { return fault }
    try anchorFile.write(lines + [try currentAnchor(at: now).line(chain)])
    return nil
  }

  /// Anchors the present log without regard to earlier anchors. Changes inside the log are still detected, but an older
  /// copy of the state counts as the present one.
  package func renewAnchor(now: ClockReading) throws(StoreError) {
    try anchorFile?.write([try currentAnchor(at: now).line(chain)])
    rightsFaults.removeAll { $0 == .rolledBack }
    unsettledFaults.removeAll { $0 == .rolledBack }
  }

  private func currentAnchor(at now: ClockReading) throws(StoreError) -> LogAnchor {
    try perform("read the log in") { (opened) throws(SQLiteFailure) in
      LogAnchor(try opened.head(), rightsRevision: opened.rights.revision, time: now.utc)
    }
  }

  /// Returns the newest anchor that this device wrote; nil if there is none.
  package func lastAnchor() throws(StoreError) -> LogAnchor? {
    try anchorFile?.lines()?.reversed().lazy.compactMap { [chain] in LogAnchor(line: $0, chain) }.first
  }

  /// Compares the anchors with the log. Returns the first fault, and the lines of the file.
  func anchorState() throws(StoreError) -> (fault: LogFault?, lines: [String]) {
    guard let anchorFile else { return (nil, []) }
    let found = try anchorFile.lines()
    let chain = chain
    return try perform("read the log in") { (opened) throws(SQLiteFailure) in
      let head = try opened.head()
      // A log with entries always has an anchor: the first anchor is durable before the first entry is written.
      guard let lines = found else { return (head.sequence == 0 ? nil : .anchorMissing, []) }
      if lines.isEmpty { return (.anchorChanged, []) }
      let pruned = try opened.beginning()?.sequence ?? 0
      for line in lines {
        guard let anchor = LogAnchor(line: line, chain) else { return (.anchorChanged, lines) }
        // An anchor of a pruned entry can no longer be checked.
        if anchor.sequence < pruned { continue }
        guard try opened.code(of: anchor.sequence) == anchor.code else {
          return (.notAsAnchored(anchor.sequence, anchor.time, end: head.sequence), lines)
        }
      }
      return (nil, lines)
    }
  }
}
