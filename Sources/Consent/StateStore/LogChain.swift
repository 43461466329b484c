internal import Crypto

/// What binds each entry of the log to all before it: HMAC-SHA-256 (RFC 2104) over the entry before's and the entry
/// itself, with a key that only this device can make. Who has the database, but not the device's key, can change,
/// take away, add or move no entry without its being found.
struct LogChain: Sendable {
  /// Bytes of an authentication code.
  static let byteCount = 32
  /// What stands before the first entry.
  static let origin = [UInt8](repeating: 0, count: byteCount)

  private let entryKey: SymmetricKey
  private let pruningKey: SymmetricKey
  private let anchorKey: SymmetricKey

  init(_ key: DeviceKey) {
    entryKey = key.derive("disclosure log: entries")
    pruningKey = key.derive("disclosure log: pruning")
    anchorKey = key.derive("disclosure log: anchor")
  }

  /// The code of an entry that follows the one with the code `previous`.
  func code(of row: LogRow, sequence: Int64, after previous: [UInt8]) -> [UInt8] {
    LogChain.code(previous + row.canonical(sequence: sequence), entryKey)
  }

  /// The code of a log's beginning: all before it was pruned.
  func code(of beginning: LogBeginning) -> [UInt8] {
    var bytes = beginning.code
    bytes.appendBigEndian(UInt64(bitPattern: beginning.sequence))
    bytes += Array(beginning.time.utf8)
    return LogChain.code(bytes, pruningKey)
  }

  /// The code of the text of an anchor.
  func code(ofAnchor text: some StringProtocol) -> [UInt8] { LogChain.code(Array(text.utf8), anchorKey) }

  private static func code(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
  }
}

/// How far the log reaches.
struct LogHead: Hashable, Sendable {
  /// The last entry's; 0 while there was none. Entries are numbered without gaps, so it counts all there ever were.
  var sequence: Int64 = 0
  /// The last entry's code.
  var code = LogChain.origin
}

/// Where a pruned log begins.
struct LogBeginning: Hashable, Sendable {
  /// The last entry that was pruned.
  var sequence: Int64
  /// Its code.
  var code: [UInt8]
  /// When it was pruned, as the table has it.
  var time: String
}

/// An entry as the table has it, without its sequence number and its code.
struct LogRow: Hashable, Sendable {
  /// The columns in the order in which they are authenticated. New ones come at the end and are null in old entries.
  static let columns = [
    "time", "event", "app", "accuracy", "right", "transport", "simulated", "late", "outcome", "disclosure", "fixes",
  ]

  /// One for each column.
  let values: [SQLiteValue]

  /// What is authenticated: the sequence number, then each value that is not null, with its column and type before it
  /// and, where it has no fixed size, its length. No two rows have the same.
  func canonical(sequence: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8)
    bytes.appendBigEndian(UInt64(bitPattern: sequence))
    return bytes + values.canonical
  }

  /// From a row that has the columns from a place on.
  init(reading row: borrowing SQLiteRow, from first: Int32) {
    values = row.values(LogRow.columns.count, from: first)
  }

  init(values: [SQLiteValue]) {
    self.values = values
  }
}

extension [SQLiteValue] {
  /// The values as bytes. No two lists have the same bytes, except for nulls at the end.
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
