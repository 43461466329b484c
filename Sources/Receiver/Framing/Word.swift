/// Eight bytes at once: the first byte of the text is the lowest byte of the number.
///
/// Bytes beyond the end of the span read as 0, so a caller needs no padding.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
  // One comparison covers both ends: a negative number is a large one without sign.
  guard bytes.count >= 8, UInt(bitPattern: offset) <= UInt(bitPattern: bytes.count &- 8) else {
    return lastWord(bytes, at: offset)
  }
  return word(bytes, unchecked: offset)
}

/// The same where the caller has made sure that eight bytes are there.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, unchecked offset: Int) -> UInt64 {
  assert(offset >= 0 && offset <= bytes.count - 8)
  // Every pattern of bits is a UInt64: with the bounds made sure of, nothing is left to be unsafe.
  return UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
}

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
  /// The same byte eight times.
  @inlinable @inline(__always)
  package init(repeatingByte byte: UInt8) {
    self = UInt64(byte) &* 0x0101_0101_0101_0101
  }

  /// The top bit of the first byte that is zero, and perhaps of some after it; 0 where none is.
  @inlinable @inline(__always)
  package var firstZeroByte: UInt64 {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
  }
}
