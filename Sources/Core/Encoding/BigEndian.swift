extension [UInt8] {
  package mutating func appendBigEndian(_ number: some FixedWidthInteger) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

/// A parser of untrusted bytes.
package struct BigEndianReader {
  package var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Reads an integer, most significant byte first. Returns nil if bytes are missing.
  package mutating func number<Number: FixedWidthInteger>() -> Number? {
    let count = Number.bitWidth / 8
    guard bytes.count >= count else { return nil }
    var number: Number = 0
    // For an 8-bit number, `<<` by 8 moves all bits out, and the result is zero.
    for byte in bytes.prefix(count) { number = number << 8 | Number(truncatingIfNeeded: byte) }
    bytes.removeFirst(count)
    return number
  }
}
