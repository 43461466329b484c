/// A converter from UTF-16 to ASCII. Some programs save recordings of NMEA sentences in UTF-16.
struct TextEncoding: Sendable {
  private(set) var isWide = false
  private var seen = 0
  private var first: UInt8 = 0

  /// Determines the encoding from the first two bytes of the input: UTF-16 for a byte order mark, or for `$` with a
  /// zero byte before or after it.
  @inline(__always)
  mutating func examine(_ bytes: Span<UInt8>) {
    if seen < 2 { examineBeginning(bytes) }
  }

  private mutating func examineBeginning(_ bytes: Span<UInt8>) {
    for index in 0..<min(bytes.count, 2 - seen) {
      let byte = bytes[index]
      if seen == 0 {
        first = byte
      } else {
        switch (first, byte) {
        case (0xFF, 0xFE), (0xFE, 0xFF), (0x24, 0x00), (0x00, 0x24): isWide = true
        default: break
        }
      }
      seen += 1
    }
  }

  func narrow(_ bytes: Span<UInt8>) -> [UInt8] {
    var narrowed: [UInt8] = []
    narrowed.reserveCapacity(bytes.count / 2 + 1)
    for index in bytes.indices where bytes[index] != 0 { narrowed.append(bytes[index]) }
    return narrowed
  }
}
