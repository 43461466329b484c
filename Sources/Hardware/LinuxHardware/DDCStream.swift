/// What a u-blox receiver sends over I2C: a count of bytes and a stream. (u-blox M10 integration manual §3.4.3, "I2C
/// interface"; the same from u-blox 5 on, where it is called DDC)
///
/// Registers 0xFD and 0xFE are the count, high byte first, and 0xFF is the stream, which reads 0xFF when it is empty.
/// The register counts up and stays at 0xFF, so that count and data are one transaction.
struct DDCStream: Sendable {
  /// The receiver's buffer, bytes: no count is larger.
  static let bufferSize = 4096
  /// Read at most that many bytes of the stream in one transaction: 13 ms at 100 kHz.
  private static let longestRead = 128

  private static let longestRunOfOnes = 16

  /// Reads the byte counter alone. Behind both its bytes the register pointer is at the stream again. (u-blox M8 R27
  /// §11.5)
  static let readCounter = I2CTransaction.readWord(register: 0xFD)

  private let chunk: Int
  private var filter = FillerFilter()
  /// How many bytes are there, as far as is known.
  private var available = 0
  /// Bytes read since the last poll that found nothing.
  private var drained = 0
  /// Counts that were none.
  private(set) var phantomCounts = 0

  init(capacity: Int) {
    chunk = max(1, min(DDCStream.longestRead, capacity - 2))
  }

  /// Whether there is more to read at once.
  var hasMore: Bool { available > 0 }

  /// The next transaction: reads the counter, and in the same transaction the data that the counter announced before.
  var read: I2CTransaction {
    available == 0 ? DDCStream.readCounter : .transfer(write: [0xFD], readCount: 2 + min(available, chunk))
  }

  mutating func received(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 2 else { return [] }
    let raw = Int(bytes[0]) << 8 | Int(bytes[1])
    // A floating bus reads ones; the top bit has been seen set beside a right count.
    let count = raw & 0x7FFF
    let isCount = raw != 0xFFFF && count <= DDCStream.bufferSize
    if !isCount || raw != count { phantomCounts += 1 }
    let data = bytes[2...]
    if data.isEmpty {
      // What is no count is tried: a receiver that has something to say is not left alone for it.
      available = isCount ? count : raw == 0xFFFF ? 0 : chunk
      drained = 0
      return []
    }
    var sure = isCount ? data.prefix(count) : DDCStream.withoutTrail(data)
    // No frame holds so many ones in a row: the count was none.
    if sure.count >= DDCStream.longestRunOfOnes, sure.allSatisfy({ $0 == 0xFF }) { sure = [] }
    let stream = filter.filtered(sure)
    drained += data.count
    if stream.isEmpty {
      if isCount, count > 0 { phantomCounts += 1 }
      available = 0
    } else {
      available = isCount ? max(0, count - data.count) : 0
    }
    // Nobody fills the buffer faster than it is read; a count that stays is none.
    if drained >= 4 * DDCStream.bufferSize {
      available = 0
      drained = 0
    }
    return stream
  }

  /// A transaction failed: where the stream is is not known any more.
  mutating func failed() {
    available = 0
    drained = 0
  }

  /// Without the ones behind the last byte that is none.
  private static func withoutTrail(_ data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    data.lastIndex { $0 != 0xFF }.map { data[...$0] } ?? []
  }
}

/// Drops what a receiver fills its stream with: 0xFF, and 0x7F as some do, everywhere but inside binary frames, where
/// they are content.
struct FillerFilter: Sendable {
  private enum Place {
    case outside
    /// Behind 0xB5.
    case ubxSync
    /// Behind 0xB5 0x62: bytes of class, id and length so far, and the length.
    case ubxHeader(Int, Int)
    /// Behind 0xD3.
    case rtcm3Sync
    /// Behind 0xD3 and the high bits of a length.
    case rtcm3Length(Int)
    /// Inside a frame, with so many bytes to come.
    case inside(Int)
  }

  private var place = Place.outside

  mutating func filtered(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    for byte in bytes where keeps(byte) { kept.append(byte) }
    return kept
  }

  private mutating func keeps(_ byte: UInt8) -> Bool {
    switch place {
    case .inside(let left):
      place = left > 1 ? .inside(left - 1) : .outside
      return true
    case .ubxHeader(let seen, let length):
      let length = seen < 2 ? 0 : length | Int(byte) << (8 * (seen - 2))
      if seen < 3 {
        place = .ubxHeader(seen + 1, length)
      } else {
        // Two bytes of checksum. Longer ones than the buffer holds are chance.
        place = length <= DDCStream.bufferSize ? .inside(length + 2) : .outside
      }
      return true
    case .rtcm3Length(let high):
      place = .inside((high << 8 | Int(byte)) + 3)
      return true
    case .ubxSync where byte == 0x62:
      place = .ubxHeader(0, 0)
      return true
    case .rtcm3Sync where byte & 0xFC == 0:
      place = .rtcm3Length(Int(byte))
      return true
    case .ubxSync, .rtcm3Sync, .outside:
      switch byte {
      case 0xFF, 0x7F:
        place = .outside
        return false
      case 0xB5: place = .ubxSync
      case 0xD3: place = .rtcm3Sync
      default: place = .outside
      }
      return true
    }
  }
}
