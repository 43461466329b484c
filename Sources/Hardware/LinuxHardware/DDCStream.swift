/// The I2C protocol of u-blox receivers, which u-blox calls DDC. (u-blox M10 integration manual §3.4.3, "I2C
/// interface"; u-blox 5 and later)
///
/// The registers 0xFD and 0xFE contain the count of available bytes, high byte first. The register 0xFF contains the
/// data stream, and reads as 0xFF if the stream is empty. The register address increments up to 0xFF and stays there.
/// So one transaction can read both the count and the data.
struct DDCStream: Sendable {
  /// The size of the receiver's output buffer in bytes.
  static let bufferSize = 4096
  /// The maximum count of bytes of the data stream in one transaction. A transaction of this size takes 13 ms at 100
  /// kHz.
  private static let longestRead = 128

  private static let longestRunOfOnes = 16

  /// The transaction that reads only the count of available bytes. Afterwards, the register address is 0xFF, the
  /// address of the data stream. (u-blox M8 R27 §11.5)
  static let readCounter = I2CTransaction.readWord(register: 0xFD)

  private let chunk: Int
  private var filter = FillerFilter()
  /// The count of bytes that the receiver has available, as the receiver reported in the latest transaction.
  private var available = 0
  /// The count of bytes that were read since the latest transaction that read no data, but only the count of available
  /// bytes.
  private var drained = 0
  private(set) var phantomCounts = 0

  init(capacity: Int) {
    chunk = max(1, min(DDCStream.longestRead, capacity - 2))
  }

  var hasMore: Bool { available > 0 }

  /// The next transaction. The transaction reads the count of available bytes. If the previous count was above 0, the
  /// transaction also reads the bytes.
  var read: I2CTransaction {
    available == 0 ? DDCStream.readCounter : .transfer(write: [0xFD], readCount: 2 + min(available, chunk))
  }

  mutating func received(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 2 else { return [] }
    let raw = Int(bytes[0]) << 8 | Int(bytes[1])
    // If all bits are ones, no device drives the bus. Some receivers set the top bit of a correct count.
    let count = raw & 0x7FFF
    let isCount = raw != 0xFFFF && count <= DDCStream.bufferSize
    if !isCount || raw != count { phantomCounts += 1 }
    let data = bytes[2...]
    if data.isEmpty {
      // The stream is read even after an invalid count, so that wrong counts lose no data.
      available = isCount ? count : raw == 0xFFFF ? 0 : chunk
      drained = 0
      return []
    }
    var valid = isCount ? data.prefix(count) : DDCStream.withoutTrailingOnes(data)
    // An empty stream reads as 0xFF, and no frame contains `longestRunOfOnes` bytes 0xFF in a row. So if all these
    // bytes are 0xFF, the stream was empty and the count was wrong.
    if valid.count >= DDCStream.longestRunOfOnes, valid.allSatisfy({ $0 == 0xFF }) { valid = [] }
    let stream = filter.filtered(valid)
    drained += data.count
    if stream.isEmpty {
      if isCount, count > 0 { phantomCounts += 1 }
      available = 0
    } else {
      available = isCount ? max(0, count - data.count) : 0
    }
    // The gateway reads faster than the receiver fills its buffer. So the buffer must be empty after four times its
    // size was read, and a count above zero is invalid.
    if drained >= 4 * DDCStream.bufferSize {
      available = 0
      drained = 0
    }
    return stream
  }

  /// Sets the count of available bytes to 0 after a failed transaction, because the count is then unknown.
  mutating func failed() {
    available = 0
    drained = 0
  }

  private static func withoutTrailingOnes(_ data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    data.lastIndex { $0 != 0xFF }.map { data[...$0] } ?? []
  }
}

/// A filter that drops filler bytes: 0xFF, and on some receivers 0x7F. A receiver without data sends filler bytes.
/// Inside a binary frame, the same bytes are data, so the filter keeps the bytes.
struct FillerFilter: Sendable {
  private enum State {
    case outside
    /// The byte 0xB5, the first byte of a UBX frame, has arrived.
    case ubxSync
    /// The bytes 0xB5 0x62 of a UBX frame have arrived. The first number is the count of header bytes that followed
    /// (class, id and length). The second number is the length field, as far as its two bytes have arrived.
    case ubxHeader(Int, Int)
    /// The byte 0xD3, the first byte of an RTCM 3 frame, has arrived.
    case rtcm3Sync
    /// The byte 0xD3 and the high bits of the length of an RTCM 3 frame have arrived. The number contains the high
    /// bits.
    case rtcm3Length(Int)
    /// The latest byte was inside a frame. The number is the count of bytes until the end of the frame.
    case inside(Int)
  }

  private var state = State.outside

  mutating func filtered(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    for byte in bytes where keeps(byte) { kept.append(byte) }
    return kept
  }

  private mutating func keeps(_ byte: UInt8) -> Bool {
    switch state {
    case .inside(let left):
      state = left > 1 ? .inside(left - 1) : .outside
      return true
    case .ubxHeader(let seen, let length):
      let length = seen < 2 ? 0 : length | Int(byte) << (8 * (seen - 2))
      if seen < 3 {
        state = .ubxHeader(seen + 1, length)
      } else {
        // A checksum of two bytes follows the payload. A length above the size of the receiver's buffer means noise.
        state = length <= DDCStream.bufferSize ? .inside(length + 2) : .outside
      }
      return true
    case .rtcm3Length(let high):
      state = .inside((high << 8 | Int(byte)) + 3)
      return true
    case .ubxSync where byte == 0x62:
      state = .ubxHeader(0, 0)
      return true
    case .rtcm3Sync where byte & 0xFC == 0:
      state = .rtcm3Length(Int(byte))
      return true
    case .ubxSync, .rtcm3Sync, .outside:
      switch byte {
      case 0xFF, 0x7F:
        state = .outside
        return false
      case 0xB5: state = .ubxSync
      case 0xD3: state = .rtcm3Sync
      default: state = .outside
      }
      return true
    }
  }
}
