/// The I2C protocol of MediaTek receivers, such as the MT3333 in the module PA1010D. The receiver offers a buffer of
/// 255 bytes, and fills the unused bytes with line feeds. (GlobalTop, "Application note: I2C interface"; CDtop PA1010D
/// datasheet §2.5)
struct PaddedBuffer: Sendable {
  static let size = 255
  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  private var last: UInt8 = 0
  /// Whether the latest read contained data. More data may then follow.
  private(set) var hasMore = false

  /// Returns the data in the bytes of one read. A line feed is data only after a carriage return, which may be the last
  /// byte of the previous read.
  mutating func received(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    hasMore = false
    for byte in bytes {
      if byte != PaddedBuffer.lineFeed {
        kept.append(byte)
        hasMore = true
      } else if last == PaddedBuffer.carriageReturn {
        kept.append(byte)
      }
      last = byte
    }
    return kept
  }

  mutating func failed() {
    hasMore = false
  }
}
