/// Returns the eight bytes from an index as a little-endian number. Bytes beyond the end of the span count as 0.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
  // One comparison checks both bounds, because a negative number becomes a very large unsigned number.
  guard bytes.count >= 8, UInt(bitPattern: offset) <= UInt(bitPattern: bytes.count &- 8) else {
    return lastWord(bytes, at: offset)
  }
  return word(bytes, unchecked: offset)
}

/// Returns the eight bytes from an index as a little-endian number, without a check of the bounds. The caller
/// guarantees that all eight bytes are in the span.
@inlinable @inline(__always)
package func word(_ bytes: Span<UInt8>, unchecked offset: Int) -> UInt64 {
  assert(offset >= 0 && offset <= bytes.count - 8)
  // Every bit pattern is a valid UInt64, and the caller checks the bounds, so the load is safe.
  return UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
}

/// Returns the bytes from an index as a little-endian number, if fewer than eight bytes follow. The missing bytes count
/// as 0.
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
  /// Creates a 64-bit number whose eight bytes are all equal to `byte`.
  @inlinable @inline(__always)
  package init(repeatingByte byte: UInt8) {
    self = UInt64(byte) &* 0x0101_0101_0101_0101
  }

  /// A mask. Its lowest set bit is the top bit of the first (lowest) zero byte of this number. The mask is 0 if no byte
  /// is zero.
  @inlinable @inline(__always)
  package var firstZeroByte: UInt64 {
    (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
  }
}
