import Framing

/// The content of a sentence, between `$` and `*`, with its commas.
package struct MarkedSentence: BitwiseCopyable, Sendable {
  /// Where the content begins, behind `$`.
  package let start: Int
  /// Where it ends, before `*`. It has a byte at least.
  package let end: Int
  /// Its first six bytes, the first in the lowest byte. Those above, and those beyond its end, mean nothing.
  let head: UInt64
  /// Bit `n` of byte `m` says that byte `16n + m` of the content is a comma. Not every reader asks where they are.
  private let grid: SIMD16<UInt8>

  /// Where commas are in the first 64 bytes of the content, and in the next 64, a bit for each. Bits beyond its end
  /// mean nothing.
  @inline(__always)
  package var commas: SIMD2<UInt64> { Sixteen.rows(grid) }

  /// A sentence that a frame has found.
  package init(_ bytes: Span<UInt8>, content: Range<Int>) {
    start = content.lowerBound
    end = content.upperBound
    head = word(bytes, at: content.lowerBound)
    grid = commaGrid(bytes, from: content.lowerBound)
  }

  /// A sentence as nearly all are: right at the place or behind a line feed, whole, with the right checksum in capitals
  /// before its line end, its content no longer than 124 bytes and without spaces. One pass over its bytes, sixteen at
  /// a time, finds its end, its checksum and its commas. The place is then behind the carriage return.
  ///
  /// Nil, and the place is as it was, where anything is otherwise, and where it ends with the last bytes of a chunk:
  /// all that is for `FrameScanner`.
  // Within the module that calls it: elsewhere the compiler does not inline it.
  @inline(always)
  package init?(usualIn bytes: Span<UInt8>, at position: inout Int) {
    // From up to there on, sixteen bytes can be read, and eight behind each `*` in them.
    let last = bytes.count &- 20
    guard position >= 0, position < last else { return nil }
    let dollar = position &+ (bytes[position] == 0x0A ? 1 : 0)
    // `$` and a letter: every address begins with one.
    let opening = word(bytes, unchecked: dollar)
    guard opening & 0xFF == 0x24, opening &>> 8 & 0xFF &- 0x41 < 26 else { return nil }
    let start = dollar &+ 1
    var number = 0
    var sums = SIMD16<UInt8>()
    var grid = SIMD16<UInt8>()
    var bit = SIMD16<UInt8>(repeating: 1)
    // Eight times, so that the compiler writes it out.
    while number < 8 {
      let place = start &+ number &* 16
      guard place <= last else { return nil }
      let sixteen = Sixteen.load(bytes, unchecked: place)
      grid |= Sixteen.commas(in: sixteen, as: bit)
      let stops = Sixteen.stops(in: sixteen)
      if stops[0] | stops[1] != 0 {
        // Ones in the bytes before the first stop.
        let low = (stops[0] &- 1) & ~stops[0]
        // All ones where it is not in the first eight, and found without a branch, which nobody could foresee.
        let isHigh = UInt64(bitPattern: Int64(bitPattern: low) &>> 63)
        let high = (stops[1] &- 1) & ~stops[1] & isHigh
        let size = stops[0].trailingZeroBitCount &+ stops[1].trailingZeroBitCount & Int(truncatingIfNeeded: isHigh)
        let stop = place &+ size &>> 3
        let words = Sixteen.words(sixteen)
        let before = Sixteen.words(sums)
        let sum = foldedSum(before[0] ^ before[1] ^ words[0] & low ^ words[1] & high)
        let end = stop &- 3
        guard end > start else { return nil }
        // What a right checksum looks like is compared at once: to read it would be guesswork for the processor, since
        // one never knows whether a digit or a letter comes.
        let close = UInt32(truncatingIfNeeded: word(bytes, unchecked: end))
        let digits = UInt8(truncatingIfNeeded: close >> 8) ^ UInt8(truncatingIfNeeded: close >> 16)
        guard close == usualClose(sum ^ 0x2A ^ digits) else { return nil }
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

/// Where commas are in 128 bytes, as a `MarkedSentence` has them. Bytes beyond the end of the span are none.
func commaGrid(_ bytes: Span<UInt8>, from start: Int) -> SIMD16<UInt8> {
  var grid = SIMD16<UInt8>()
  var bit = SIMD16<UInt8>(repeating: 1)
  for number in 0..<8 {
    let place = start &+ number &* 16
    guard place < bytes.count else { break }
    let sixteen = Sixteen.bytes(SIMD2(word(bytes, at: place), word(bytes, at: place &+ 8)))
    grid |= Sixteen.commas(in: sixteen, as: bit)
    bit = bit &+ bit
  }
  return grid
}

/// Sixteen bytes at once, as every 64-bit processor takes them.
///
/// Comparisons are only of vectors with vectors and masks only chosen by: the standard library has other forms as loops
/// over the elements.
enum Sixteen {
  /// The caller has made sure that sixteen bytes are there.
  @inline(__always)
  static func load(_ bytes: Span<UInt8>, unchecked place: Int) -> SIMD16<UInt8> {
    assert(place >= 0 && place <= bytes.count - 16)
    // Every pattern of bits is such a vector: with the bounds made sure of, nothing is left to be unsafe.
    return unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: SIMD16<UInt8>.self)
  }

  /// The first eight bytes and the last, the first byte of each the lowest.
  @inline(__always)
  static func words(_ sixteen: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // Both are 128 bits, and every pattern of them is a value.
    let words = unsafe unsafeBitCast(sixteen, to: SIMD2<UInt64>.self)
    return SIMD2(UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }

  @inline(__always)
  static func bytes(_ words: SIMD2<UInt64>) -> SIMD16<UInt8> {
    unsafe unsafeBitCast(SIMD2(words[0].littleEndian, words[1].littleEndian), to: SIMD16<UInt8>.self)
  }

  /// Ones where commas are, and nothing elsewhere.
  @inline(__always)
  static func commas(in sixteen: SIMD16<UInt8>, as ones: SIMD16<UInt8>) -> SIMD16<UInt8> {
    SIMD16<UInt8>().replacing(with: ones, where: sixteen .== SIMD16<UInt8>(repeating: 0x2C))
  }

  /// All ones in the bytes that no sentence contains: control characters, `$`, and what is beyond ASCII. Space, `!`,
  /// `"` and `#` count as such here, since then it is one comparison; sentences have them so seldom that they may take
  /// longer.
  @inline(__always)
  static func stops(in sixteen: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // `%` becomes the least of all signed numbers.
    let shifted = SIMD16<Int8>(truncatingIfNeeded: sixteen &- SIMD16<UInt8>(repeating: 0xA5))
    let isStop = shifted .> SIMD16<Int8>(repeating: -0x80 + 0x7E - 0x25)
    return words(SIMD16<UInt8>().replacing(with: SIMD16<UInt8>(repeating: 0xFF), where: isStop))
  }

  /// Columns of a grid with eight rows of sixteen bits as rows: the bits of `words` in order.
  @inline(__always)
  static func rows(_ columns: SIMD16<UInt8>) -> SIMD2<UInt64> {
    // Both halves at once: rows and columns change in 2 × 2 squares, then in squares of those.
    var grid = words(columns)
    var moved = (grid ^ grid &>> 7) & SIMD2<UInt64>(repeating: 0x00AA_00AA_00AA_00AA)
    grid ^= moved ^ moved &<< 7
    moved = (grid ^ grid &>> 14) & SIMD2<UInt64>(repeating: 0x0000_CCCC_0000_CCCC)
    grid ^= moved ^ moved &<< 14
    moved = (grid ^ grid &>> 28) & SIMD2<UInt64>(repeating: 0x0000_0000_F0F0_F0F0)
    grid ^= moved ^ moved &<< 28
    // A row's bytes stand in both halves.
    let halves = bytes(grid)
    var rows = SIMD16<UInt8>()
    rows.evenHalf = halves.lowHalf
    rows.oddHalf = halves.highHalf
    return words(rows)
  }
}
