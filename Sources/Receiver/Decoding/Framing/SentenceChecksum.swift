/// Returns the XOR of the eight bytes of a 64-bit number.
@inlinable @inline(__always)
package func foldedSum(_ sums: UInt64) -> UInt8 {
  let half = sums ^ sums >> 32
  let quarter = half ^ half >> 16
  return UInt8(truncatingIfNeeded: quarter ^ quarter >> 8)
}

/// Returns the last four characters of an NMEA sentence with the given checksum: `*`, two capital hexadecimal digits,
/// and a carriage return. The first character is in the lowest byte.
@inlinable @inline(__always)
package func sentenceEnding(_ sum: UInt8) -> UInt32 {
  // Two shifted copies of the sum put each nibble in a separate byte.
  let nibbles = (UInt32(sum) &* 0x1001) >> 4 & 0x0F0F
  // Nibbles above 9 are letters. In ASCII, seven other characters are between `9` and `A`.
  let letters = (nibbles &+ 0x0606) >> 4 & 0x0101
  return (nibbles &+ letters &* 7) << 8 &+ 0x0D30_302A
}
