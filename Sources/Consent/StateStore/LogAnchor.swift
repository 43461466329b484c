package import Clocks
import Glibc
import Encoding

/// How far the log reached at a time, kept apart from it: who cuts the log's end off leaves the anchor behind.
package struct LogAnchor: Hashable, Sendable {
  /// How many entries there had been.
  package let sequence: Int64
  /// The last one's code.
  let code: [UInt8]
  /// When it was written.
  package let time: UTCTime
  /// How often the rights in the database had been changed; nil if they were not authenticated yet.
  let rightsRevision: Int64?

  /// One line: version, number of entries, code of the last one, in version 2 the revision of the rights, time, and the
  /// line's own code.
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

  /// Nil unless the line was written with this chain's key.
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

/// The file with the anchors of the last hours, newest last. It is replaced as a whole: a power cut leaves the old one
/// or the new one.
struct AnchorFile {
  /// How many are kept: those before tell between which hours a log was cut.
  static let most = 24

  let path: String

  /// Nil where there is no file.
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

  /// The latest revision of the rights that an anchor of this device has; nil if none has one.
  func rightsRevision(_ chain: LogChain) throws(StoreError) -> Int64? {
    try lines()?.compactMap { LogAnchor(line: $0, chain)?.rightsRevision }.max()
  }

  func write(_ lines: [String]) throws(StoreError) {
    let text = lines.suffix(AnchorFile.most).map { "\($0)\n" }.joined()
    try replaceFile(
      path, with: Array(text.utf8), "write the anchor of the log",
      remedy: "make \(parent(of: path)) writable for this user, or name another place with --anchor")
  }
}

extension StateStore {
  /// Writes an anchor, unless the log does not reach as far as those before it say: then they stay as they are.
  /// - Returns: what is wrong with the log's end; nil where it is anchored now, or no anchor is kept.
  @discardableResult
  package func anchor(now: ClockReading) throws(StoreError) -> LogFault? {
    guard let anchorFile else { return nil }
    let (fault, lines) = try anchorState()
    if let fault { return fault }
    try anchorFile.write(lines + [try present(at: now).line(chain)])
    return nil
  }

  /// Anchors the log as it is, whatever was said of it before. What was changed inside it stays found. An older state
  /// counts as the present one.
  package func renewAnchor(now: ClockReading) throws(StoreError) {
    try anchorFile?.write([try present(at: now).line(chain)])
    rightsFaults.removeAll { $0 == .rolledBack }
    unsettledFaults.removeAll { $0 == .rolledBack }
  }

  private func present(at now: ClockReading) throws(StoreError) -> LogAnchor {
    try perform("read the log in") { (opened) throws(SQLiteFailure) in
      LogAnchor(try opened.head(), rightsRevision: opened.rights.revision, time: now.utc)
    }
  }

  /// The newest anchor that this device wrote.
  package func lastAnchor() throws(StoreError) -> LogAnchor? {
    try anchorFile?.lines()?.reversed().lazy.compactMap { [chain] in LogAnchor(line: $0, chain) }.first
  }

  /// What the anchors say against the log, and their lines.
  func anchorState() throws(StoreError) -> (fault: LogFault?, lines: [String]) {
    guard let anchorFile else { return (nil, []) }
    let found = try anchorFile.lines()
    let chain = chain
    return try perform("read the log in") { (opened) throws(SQLiteFailure) in
      let head = try opened.head()
      // The first anchor is durable before the first entry is written.
      guard let lines = found else { return (head.sequence == 0 ? nil : .anchorMissing, []) }
      if lines.isEmpty { return (.anchorChanged, []) }
      let pruned = try opened.beginning()?.sequence ?? 0
      for line in lines {
        guard let anchor = LogAnchor(line: line, chain) else { return (.anchorChanged, lines) }
        // What was pruned since cannot be looked at any more.
        if anchor.sequence < pruned { continue }
        guard try opened.code(of: anchor.sequence) == anchor.code else {
          return (.notAsAnchored(anchor.sequence, anchor.time, end: head.sequence), lines)
        }
      }
      return (nil, lines)
    }
  }
}
