internal import Crypto
import Encoding

/// The authentication codes of the log. Each entry has a code: the HMAC-SHA-256 (RFC 2104) over the code of the
/// previous entry and the content of this entry, with a key that is derived from the device key. An attacker who has
/// the database but not the device key cannot change, remove, add or move an entry without detection.
struct LogChain: Sendable {
  /// The length of a code, in bytes.
  static let byteCount = 32
  /// The first log entry has no previous entry. This value replaces the code of the previous entry.
  static let initialCode = [UInt8](repeating: 0, count: byteCount)

  private let entryKey: SymmetricKey
  private let pruningKey: SymmetricKey
  private let anchorKey: SymmetricKey

  init(_ key: DeviceKey) {
    entryKey = key.derive("disclosure log: entries")
    pruningKey = key.derive("disclosure log: pruning")
    anchorKey = key.derive("disclosure log: anchor")
  }

  /// Returns the code of an entry that follows the entry with the code `previous`.
  func code(of row: LogRow, sequence: Int64, after previous: [UInt8]) -> [UInt8] {
    LogChain.code(previous + row.canonical(sequence: sequence), entryKey)
  }

  /// Returns the code that authenticates the beginning of a pruned log.
  func code(of beginning: LogBeginning) -> [UInt8] {
    var bytes = beginning.code
    bytes.appendBigEndian(UInt64(bitPattern: beginning.sequence))
    bytes += Array(beginning.time.utf8)
    return LogChain.code(bytes, pruningKey)
  }

  /// Returns the code that authenticates the text of an anchor.
  func code(ofAnchor text: some StringProtocol) -> [UInt8] { LogChain.code(Array(text.utf8), anchorKey) }

  private static func code(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }
}

/// The end of the log: the number and the code of the last entry.
struct LogHead: Hashable, Sendable {
  /// The number of the last entry; 0 if the log never had an entry. The numbers have no gaps, so this is also the count
  /// of all entries, including the pruned entries.
  var sequence: Int64 = 0
  /// The authentication code of the last entry.
  var code = LogChain.initialCode
}

/// The beginning of a pruned log, which is a log whose oldest entries were removed.
struct LogBeginning: Hashable, Sendable {
  /// The number of the last pruned entry.
  var sequence: Int64
  /// The authentication code of the last pruned entry.
  var code: [UInt8]
  /// The time at which the store pruned the log, in the form in which the database stores it.
  var time: String
}

/// A log entry as a row of the database table, without its sequence number and its code.
struct LogRow: Hashable, Sendable {
  /// The columns in the order in which they are authenticated. A later version may only add columns at the end, which
  /// are null in old entries.
  static let columns = [
    "time", "event", "app", "accuracy", "right", "transport", "simulated", "late", "outcome", "disclosure", "fixes",
  ]

  /// The values of the row, one for each of `columns`.
  let values: [SQLiteValue]

  /// Returns the bytes to authenticate: the sequence number, and then the values of the row. Two different rows never
  /// have the same bytes.
  func canonical(sequence: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8)
    bytes.appendBigEndian(UInt64(bitPattern: sequence))
    return bytes + values.canonical
  }

  /// Creates a log entry from the columns of a query result.
  init(reading row: borrowing SQLiteRow, from first: Int32) {
    values = row.values(LogRow.columns.count, from: first)
  }

  init(values: [SQLiteValue]) {
    self.values = values
  }
}

extension [SQLiteValue] {
  /// The values as bytes. For each value that is not null, the bytes contain the number of its column, its type, its
  /// length if the type has no fixed length, and the value. Two different lists have different bytes, except for nulls
  /// at the end.
  var canonical: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    for (column, value) in enumerated() {
      switch value {
      case .null: continue
      case .integer(let number):
        bytes += [UInt8(truncatingIfNeeded: column), 1]
        bytes.appendBigEndian(UInt64(bitPattern: number))
      case .text(let text):
        bytes += [UInt8(truncatingIfNeeded: column), 2]
        bytes.appendBigEndian(UInt64(text.utf8.count))
        bytes += [UInt8](text.utf8)
      case .blob(let blob):
        bytes += [UInt8(truncatingIfNeeded: column), 3]
        bytes.appendBigEndian(UInt64(blob.count))
        bytes += blob
      }
    }
    return bytes
  }
}
