/// The reading of little-endian numbers from the payload of a UBX message. (u-blox interface descriptions, "UBX payload
/// data types")
extension Span<UInt8> {
  func u2(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  func u4(at offset: Int) -> UInt32 {
    UInt32(u2(at: offset)) | UInt32(u2(at: offset + 2)) << 16
  }

  func i1(at offset: Int) -> Int8 { Int8(bitPattern: self[offset]) }

  func i2(at offset: Int) -> Int16 { Int16(bitPattern: u2(at: offset)) }

  func i4(at offset: Int) -> Int32 { Int32(bitPattern: u4(at: offset)) }

  /// Returns the text in a range, up to the first zero byte.
  func text(_ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    for index in range {
      if self[index] == 0 { break }
      bytes.append(self[index])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  mutating func appendU2(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  mutating func appendU4(_ value: UInt32) {
    appendU2(UInt16(truncatingIfNeeded: value))
    appendU2(UInt16(truncatingIfNeeded: value >> 16))
  }
}
