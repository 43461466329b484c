/// Returns eight bytes as a number. The first byte is the lowest one. Bytes beyond the end of the span count as 0, so
/// the caller needs no padding.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
  // One comparison checks both bounds, because a negative number becomes a very large number when it is converted to an
  // unsigned number.
  guard bytes.count >= 8, UInt(bitPattern: offset) <= UInt(bitPattern: bytes.count &- 8) else {
    return lastWord(bytes, at: offset)
  }
  return word(bytes, unchecked: offset)
}

/// Returns eight bytes as a number. The caller guarantees that the bytes are in bounds.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, unchecked offset: Int) -> UInt64 {
  assert(offset >= 0 && offset <= bytes.count - 8)
  // Every bit pattern is a valid UInt64, and the caller checks the bounds, so the load is safe.
  return UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
}

/// The slow path of `word(_:at:)` for the last bytes of a span.
@usableFromInline
@inline(never)
package func lastWord(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
  var word: UInt64 = 0
  var index = bytes.count
  while index > offset {
    index -= 1
    word = word << 8 | UInt64(bytes[index])
  }
  return word
}

extension UInt64 {
  /// Creates a number whose eight bytes all have the same value.
  @inlinable @inline(__always)
  package init(repeatingByte byte: UInt8) {
    self = UInt64(byte) &* 0x0101_0101_0101_0101
  }

  /// A mask that shows the place of the first zero byte of this word. If the word has no zero byte, the mask is 0.
  /// Otherwise, the byte of the mask at the place of the first zero byte has the top bit 1. The bytes of the mask
  /// before that place are 0. The bytes of the mask after that place are undefined.
  @inlinable @inline(__always)
  package var firstZeroByte: UInt64 {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
  }
}
