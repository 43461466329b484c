import Framing

/// The content of a sentence, between `$` and `*`, with the positions of its commas.
package struct MarkedSentence: BitwiseCopyable, Sendable {
  package let start: Int
  /// The end of the content, before `*`. The content has at least one byte.
  package let end: Int
  /// The first six bytes of the content, with the first byte in the lowest byte. The upper two bytes, and bytes after
  /// the content, are undefined.
  let head: UInt64
  /// The positions of the commas. Bit `n` of byte `m` stands for byte `16n + m` of the content. A reader converts the
  /// grid to `commas` only when necessary.
  private let grid: SIMD16<UInt8>

  /// Bit masks of the commas in the first and the next 64 bytes of the content. Bits after the content are undefined.
  @inline(__always)
  package var commas: SIMD2<UInt64> { Sixteen.rows(grid) }

  package init(_ bytes: Span<UInt8>, content: Range<Int>) {
    start = content.lowerBound
    end = content.upperBound
    head = word(bytes, at: content.lowerBound)
    grid = commaGrid(bytes, from: content.lowerBound)
  }

  /// Finds a sentence in the most common format, in one pass, and moves `position` behind its carriage return.
  ///
  /// In this format, the sentence begins at `position`, or after a line feed at `position`. It has at most 124 bytes of
  /// content without spaces, and a correct checksum in capital letters before its line end. For any other format, and
  /// near the end of the chunk, the initialiser returns nil and does not move the position.
  @_transparent
  package init?(commonFormatIn bytes: Span<UInt8>, at position: inout Int) {
    // From every position before this limit, sixteen bytes are readable. If one of these bytes is `*`, the eight bytes
    // after the `*` are also readable.
    let last = bytes.count &- 20
    guard position >= 0, position < last else { return nil }
    let dollar = position &+ (bytes[position] == 0x0A ? 1 : 0)
    // Every address begins with a letter.
    let opening = word(bytes, unchecked: dollar)
    guard opening & 0xFF == 0x24, opening &>> 8 & 0xFF &- 0x41 < 26 else { return nil }
    let start = dollar &+ 1
    var number = 0
    var sums = SIMD16<UInt8>()
    var grid = SIMD16<UInt8>()
    var bit = SIMD16<UInt8>(repeating: 1)
    // The number of iterations is fixed, so that the compiler unrolls the loop.
    while number < 8 {
      let offset = start &+ number &* 16
      guard offset <= last else { return nil }
      let sixteen = Sixteen.load(bytes, unchecked: offset)
      grid |= Sixteen.commas(in: sixteen, as: bit)
      let stops = Sixteen.stops(in: sixteen)
      if stops[0] | stops[1] != 0 {
        // `low` has ones in the bytes before the first stop byte.
        let low = (stops[0] &- 1) & ~stops[0]
        // `isHigh` is all ones if the stop byte is not in the first eight bytes. It replaces a branch that the
        // processor could not predict.
        let isHigh = UInt64(bitPattern: Int64(bitPattern: low) &>> 63)
        let high = (stops[1] &- 1) & ~stops[1] & isHigh
        let size = stops[0].trailingZeroBitCount &+ stops[1].trailingZeroBitCount & Int(truncatingIfNeeded: isHigh)
        let stop = offset &+ size &>> 3
        let words = Sixteen.words(sixteen)
        let before = Sixteen.words(sums)
        let sum = foldedSum(before[0] ^ before[1] ^ words[0] & low ^ words[1] & high)
        let end = stop &- 3
        guard end > start else { return nil }
        // The code compares the checksum as text. A parser would need branches that the processor cannot predict.
        let close = UInt32(truncatingIfNeeded: word(bytes, unchecked: end))
        let digits = UInt8(truncatingIfNeeded: close >> 8) ^ UInt8(truncatingIfNeeded: close >> 16)
        guard close == sentenceEnding(sum ^ 0x2A ^ digits) else { return nil }
        position = stop &+ 1
        self.start = start
        self.end = end
        head = opening &>> 8
        self.grid = grid
        return
      }
      sums ^= sixteen
      bit = bit &+ bit
      number &+= 1
    }
    return nil
  }
}

/// Returns the positions of the commas in 128 bytes, in the encoding of `MarkedSentence.grid`.
func commaGrid(_ bytes: Span<UInt8>, from start: Int) -> SIMD16<UInt8> {
  var grid = SIMD16<UInt8>()
  var bit = SIMD16<UInt8>(repeating: 1)
  for number in 0..<8 {
    let offset = start &+ number &* 16
    guard offset < bytes.count else { break }
    let sixteen = Sixteen.bytes(SIMD2(word(bytes, at: offset), word(bytes, at: offset &+ 8)))
    grid |= Sixteen.commas(in: sixteen, as: bit)
    bit = bit &+ bit
  }
  return grid
}

/// Operations on sixteen bytes at once, which every 64-bit processor supports.
///
/// The code compares only vectors with vectors, and uses masks only for selection. For other operations, the standard
/// library uses slow loops over the elements.
enum Sixteen {
  /// Loads sixteen bytes. The caller guarantees that the bytes are within the bounds.
  @inline(__always)
  static func load(_ bytes: Span<UInt8>, unchecked offset: Int) -> SIMD16<UInt8> {
    assert(offset >= 0 && offset <= bytes.count - 16)
    // Every bit pattern is a valid vector, and the bounds are checked, so the load is safe.
    return unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: SIMD16<UInt8>.self)
  }

  /// Returns the first and the last eight bytes as words. The first byte is the lowest byte of a word.
  @inline(__always)
  static func words(_ sixteen: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // Both types have 128 bits, and every bit pattern is a valid value.
    let words = unsafe unsafeBitCast(sixteen, to: SIMD2<UInt64>.self)
    return SIMD2(UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }

  @inline(__always)
  static func bytes(_ words: SIMD2<UInt64>) -> SIMD16<UInt8> {
    unsafe unsafeBitCast(SIMD2(words[0].littleEndian, words[1].littleEndian), to: SIMD16<UInt8>.self)
  }

  /// Returns a vector that has the byte of `ones` at the position of each comma, and 0 at all other positions.
  @inline(__always)
  static func commas(in sixteen: SIMD16<UInt8>, as ones: SIMD16<UInt8>) -> SIMD16<UInt8> {
    SIMD16<UInt8>().replacing(with: ones, where: sixteen .== SIMD16<UInt8>(repeating: 0x2C))
  }

  /// Returns all ones in each byte that cannot be part of a sentence: control characters, `$`, and bytes beyond ASCII.
  /// Space, `!`, `"` and `#` are included too, because this saves a comparison. They are rare, so a slower path handles
  /// them.
  @inline(__always)
  static func stops(in sixteen: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // After the subtraction, `%` is the smallest signed number. For this reason, one comparison finds all bytes that
    // are not between `%` and `~`.
    let shifted = SIMD16<Int8>(truncatingIfNeeded: sixteen &- SIMD16<UInt8>(repeating: 0xA5))
    let isStop = shifted .> SIMD16<Int8>(repeating: -0x80 + 0x7E - 0x25)
    return words(SIMD16<UInt8>().replacing(with: SIMD16<UInt8>(repeating: 0xFF), where: isStop))
  }

  /// Transposes a grid of bits. The input has sixteen columns of eight bits. The result has eight rows of sixteen bits.
  @inline(__always)
  static func rows(_ columns: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // The code swaps rows and columns in squares of 2, 4 and 8 bits, in both halves of the grid at once.
    var grid = words(columns)
    var moved = (grid ^ grid &>> 7) & SIMD2<UInt64>(repeating: 0x00AA_00AA_00AA_00AA)
    grid ^= moved ^ moved &<< 7
    moved = (grid ^ grid &>> 14) & SIMD2<UInt64>(repeating: 0x0000_CCCC_0000_CCCC)
    grid ^= moved ^ moved &<< 14
    moved = (grid ^ grid &>> 28) & SIMD2<UInt64>(repeating: 0x0000_0000_F0F0_F0F0)
    grid ^= moved ^ moved &<< 28
    // Each row of the result has one byte in each half of the grid.
    let halves = bytes(grid)
    var rows = SIMD16<UInt8>()
    rows.evenHalf = halves.lowHalf
    rows.oddHalf = halves.highHalf
    return words(rows)
  }
}
