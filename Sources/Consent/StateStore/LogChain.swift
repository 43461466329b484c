internal import Crypto

/// The authentication codes of the log. The code of an entry is HMAC-SHA-256 (RFC 2104) over the previous code and the
/// entry, with a key derived from the device key. An attacker who has the database but not the device key cannot
/// change, remove, add or move an entry without detection.
struct LogChain: Sendable {
  /// The length of a code, in bytes.
  static let byteCount = 32
  /// The code before the first entry.
  static let initialCode = [UInt8](repeating: 0, count: byteCount)

  private let entryKey: SymmetricKey
  private let pruningKey: SymmetricKey
  private let anchorKey: SymmetricKey

  init(_ key: DeviceKey) {
    entryKey = key.derive("disclosure log: entries")
    pruningKey = key.derive("disclosure log: pruning")
    anchorKey = key.derive("disclosure log: anchor")
  }

  /// Returns the code of an entry that follows an entry with the code `previous`.
  func code(of row: LogRow, sequence: Int64, after previous: [UInt8]) -> [UInt8] {
    LogChain.code(previous + row.canonical(sequence: sequence), entryKey)
  }

  /// Returns the code of the beginning of a pruned log.
  func code(of beginning: LogBeginning) -> [UInt8] {
    var bytes = beginning.code
    bytes.appendBigEndian(UInt64(bitPattern: beginning.sequence))
    bytes += Array(beginning.time.utf8)
    return LogChain.code(bytes, pruningKey)
  }

  /// Returns the code of an anchor's text.
  func code(ofAnchor text: some StringProtocol) -> [UInt8] { LogChain.code(Array(text.utf8), anchorKey) }

  private static func code(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }
}

/// The end of the log.
struct LogHead: Hashable, Sendable {
  /// The number of the last entry, 0 if there was none. Numbers have no gaps, so it is the number of all entries ever.
  var sequence: Int64 = 0
  /// The code of the last entry.
  var code = LogChain.initialCode
}

/// The beginning of a pruned log.
struct LogBeginning: Hashable, Sendable {
  /// The number of the last pruned entry.
  var sequence: Int64
  /// The code of the last pruned entry.
  var code: [UInt8]
  /// The time of pruning, as in the table.
  var time: String
}

/// An entry as a row of the table, without its sequence number and its code.
struct LogRow: Hashable, Sendable {
  /// The columns in the order of authentication. New columns are added at the end and are null in old entries.
  static let columns = [
    "time", "event", "app", "accuracy", "right", "transport", "simulated", "late", "outcome", "disclosure", "fixes",
  ]

  /// One value for each column.
  let values: [SQLiteValue]

  /// Returns the bytes to authenticate: the sequence number, then each value that is not null, after its column and
  /// type, and after its length if that varies. Two different rows never have the same bytes.
  func canonical(sequence: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8)
    bytes.appendBigEndian(UInt64(bitPattern: sequence))
    return bytes + values.canonical
  }

  /// Reads a row whose columns begin at an index.
  init(reading row: borrowing SQLiteRow, from first: Int32) {
    values = row.values(LogRow.columns.count, from: first)
  }

  init(values: [SQLiteValue]) {
    self.values = values
  }
}

extension [SQLiteValue] {
  /// The values as bytes. Two different lists have different bytes, except for nulls at the end.
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

extension [UInt8] {
  mutating func appendBigEndian(_ number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }
}
