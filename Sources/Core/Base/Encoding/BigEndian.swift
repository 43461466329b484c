extension [UInt8] {
  // Without specialization in the calling target, each shift would call a function through a table.
  @inlinable
  package mutating func appendBigEndian(_ number: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: number.bigEndian) { bytes in unsafe append(contentsOf: bytes) }
  }

  /// Appends the length of a list of bytes as a big-endian integer, and then the bytes.
  ///
  /// - Parameter count: The integer type of the length. The list must not have more bytes than the maximum of this
  ///   type.
  @inlinable
  package mutating func append<Count: FixedWidthInteger>(_ list: some Collection<UInt8>, countedBy count: Count.Type) {
    appendBigEndian(Count(list.count))
    append(contentsOf: list)
  }
}

/// A parser of untrusted bytes with big-endian integers. The length of a list or a text precedes its content.
package struct BigEndianReader {
  package private(set) var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Reads a big-endian integer. Returns nil if bytes are missing.
  package mutating func number<Number: FixedWidthInteger>() -> Number? {
    let count = Number.bitWidth / 8
    guard bytes.count >= count else { return nil }
    var number: Number = 0
    // For an 8-bit number, `<<` by 8 moves all bits out, and the result is zero.
    for byte in bytes.prefix(count) { number = number << 8 | Number(truncatingIfNeeded: byte) }
    bytes.removeFirst(count)
    return number
  }

  /// Reads a floating-point number from its IEEE 754 bits. Returns nil if bytes are missing.
  package mutating func decimal() -> Double? { (number() as UInt64?).map { Double(bitPattern: $0) } }

  /// Reads the length of a list, and then the bytes of the list. Returns nil if bytes are missing.
  package mutating func list<Count: FixedWidthInteger & UnsignedInteger>(
    countedBy count: Count.Type
  ) -> ArraySlice<UInt8>? {
    guard let count: Count = number(), count <= bytes.count else { return nil }
    defer { bytes.removeFirst(Int(count)) }
    return bytes.prefix(Int(count))
  }

  /// Reads the length of a text in bytes, and then the text. Returns nil if bytes are missing or are not UTF-8.
  package mutating func text<Count: FixedWidthInteger & UnsignedInteger>(countedBy count: Count.Type) -> String? {
    list(countedBy: count).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
