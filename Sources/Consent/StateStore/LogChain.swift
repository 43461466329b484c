internal import Base

/// Functions that compute the authentication codes of the disclosure log. The code of an entry is the HMAC-SHA-256 (RFC
/// 2104) over the code of the previous entry and the content of this entry. Without the device key, an attacker cannot
/// change, remove, add or move an entry undetected.
struct LogChain: Sendable {
  static let byteCount = 32
  /// The code that the first log entry uses as the code of the previous entry.
  static let initialCode = [UInt8](repeating: 0, count: byteCount)

  private let entryKey: Authenticator
  private let pruningKey: Authenticator
  private let anchorKey: Authenticator

  init(_ key: DeviceKey) {
    entryKey = Authenticator(key.derive("disclosure log: entries"))
    pruningKey = Authenticator(key.derive("disclosure log: pruning"))
    anchorKey = Authenticator(key.derive("disclosure log: anchor"))
  }

  func code(of row: LogRow, sequence: Int64, after previous: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes.beginEntry(sequence, after: previous)
    row.values.appendCanonical(to: &bytes)
    return code(ofEntry: bytes)
  }

  /// Returns the authentication code of a log entry.
  ///
  /// - Parameter bytes: The code of the previous entry, the sequence number and the values of this entry, as bytes.
  ///   Different entries have different bytes.
  func code(ofEntry bytes: [UInt8]) -> [UInt8] { entryKey.code(of: bytes) }

  func code(of beginning: LogBeginning) -> [UInt8] {
    var bytes = beginning.code
    bytes.appendBigEndian(UInt64(bitPattern: beginning.sequence))
    bytes += Array(beginning.time.utf8)
    return pruningKey.code(of: bytes)
  }

  func code(ofAnchor text: some StringProtocol) -> [UInt8] { anchorKey.code(of: Array(text.utf8)) }
}

/// The end of the disclosure log: the sequence number and the authentication code of the last entry.
struct LogHead: Hashable, Sendable {
  /// The sequence number of the last entry; 0 if the log never had an entry. The number is also the count of all
  /// entries that were ever added.
  var sequence: Int64 = 0
  var code = LogChain.initialCode
}

/// The last entry that was removed (*pruned*) from the disclosure log because of its age.
struct LogBeginning: Hashable, Sendable {
  var sequence: Int64
  var code: [UInt8]
  /// The time of the removal in ISO 8601.
  var time: String
}

/// A log entry as a row of the table `disclosure_log`, without its sequence number and its authentication code.
struct LogRow: Hashable, Sendable {
  /// The columns in the order in which the message authentication code covers their values. A later version may only
  /// add columns at the end, which are null in old entries.
  static let columns = [
    "time", "event", "app", "accuracy", "right", "transport", "simulated", "late", "outcome", "disclosure", "fixes",
    "prompt", "choice", "purpose", "language", "way", "user",
  ]

  let values: [SQLiteValue]
}

extension [SQLiteValue] {
  /// The values as bytes, for an authentication code. Each value that is not null is written as the index of its
  /// column, its type, its byte count and the value. An integer has no byte count. Different lists have different
  /// bytes, except for nulls at the end.
  var canonical: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    appendCanonical(to: &bytes)
    return bytes
  }

  func appendCanonical(to bytes: inout [UInt8]) {
    for (column, value) in enumerated() {
      switch value {
      case .null: continue
      case .integer(let number): bytes.appendCanonical(column, number)
      case .text(var text): text.withUTF8 { unsafe bytes.appendCanonical(column, isText: true, .init($0)) }
      case .blob(let blob): unsafe blob.withUnsafeBytes { unsafe bytes.appendCanonical(column, isText: false, $0) }
      }
    }
  }
}

extension [UInt8] {
  mutating func beginEntry(_ sequence: Int64, after previous: [UInt8]) {
    self += previous
    appendBigEndian(UInt64(bitPattern: sequence))
  }

  mutating func appendCanonical(_ column: Int, _ number: Int64) {
    append(UInt8(truncatingIfNeeded: column))
    append(1)
    appendBigEndian(UInt64(bitPattern: number))
  }

  mutating func appendCanonical(_ column: Int, isText: Bool, _ content: UnsafeRawBufferPointer) {
    append(UInt8(truncatingIfNeeded: column))
    append(isText ? 2 : 3)
    appendBigEndian(UInt64(content.count))
    unsafe append(contentsOf: content)
  }
}
