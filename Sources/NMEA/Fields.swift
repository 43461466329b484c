import Framing

/// A cursor over the fields of one sentence. It copies nothing: where the commas are is known as bits.
struct Fields: ~Escapable, BitwiseCopyable {
  let bytes: Span<UInt8>
  /// Fields after the address.
  let count: Int
  /// Of the sentence, for errors.
  let type: SentenceType

  /// Where the next field begins.
  private(set) var start: Int
  private let origin: Int
  /// Where the content ends.
  private let end: Int
  /// Where the current block of 64 bytes begins.
  private var base: Int
  /// Ends of fields not yet read, in the current block.
  private var ends: UInt64
  /// The last place from which eight bytes can be read.
  private let lastWord: Int

  /// The content of a sentence, between `$` and `*`: printable characters. The cursor begins behind the address and
  /// its comma.
  @_lifetime(copy bytes)
  @inline(__always)
  init(_ bytes: Span<UInt8>, content: Range<Int>, _ address: Address) {
    self.bytes = bytes
    type = address.type
    origin = content.lowerBound
    end = content.upperBound
    let first = origin &+ address.length &+ 1
    start = first
    base = first
    lastWord = bytes.count &- 8
    // The last field ends with the content and not with a comma. Where no comma follows the address, there is none.
    ends = first <= end ? Fields.ends(bytes, from: first, to: end) : 0
    var count = ends.nonzeroBitCount
    var block = first &+ 64
    while block <= end {
      count &+= Fields.laterEnds(bytes, from: block, to: end).nonzeroBitCount
      block &+= 64
    }
    self.count = count
  }

  /// Where fields end in the 64 bytes from a place on, a bit for each: at commas and at the end of the content.
  @inline(__always)
  private static func ends(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> UInt64 {
    let size = end &- start
    // A bit for each byte of eight words: bit `place` of byte `offset` says that byte `offset` of word `place` is a
    // comma. Shifting by one for each word is cheaper than a multiplication that would put the bits in order.
    var grid: UInt64 = 0
    if start &+ 64 <= bytes.count {
      for place in 0..<8 {
        grid = grid &>> 1 | Fields.commas(in: Framing.word(bytes, unchecked: start &+ place &* 8))
      }
    } else {
      for place in 0..<8 {
        let offset = place &* 8
        grid = grid &>> 1 | (offset < size ? Fields.commas(in: Framing.word(bytes, at: start &+ offset)) : 0)
      }
    }
    let commas = Fields.transposed(grid)
    guard size < 64 else { return commas }
    let last: UInt64 = 1 &<< UInt64(truncatingIfNeeded: size)
    return commas & (last &- 1) | last
  }

  /// Where commas are in eight bytes, the top bit of each.
  @inline(__always)
  private static func commas(in eight: UInt64) -> UInt64 {
    // Content is below 0x7F, so nothing is borrowed from the next byte. What bytes beyond it give is cut off.
    (UInt64(repeatingByte: 0x80) &- (eight ^ UInt64(repeatingByte: 0x2C))) & UInt64(repeatingByte: 0x80)
  }

  /// Eight rows of eight bits with rows and columns exchanged: in 2 × 2 squares, then squares of those.
  @inline(__always)
  private static func transposed(_ grid: UInt64) -> UInt64 {
    var grid = grid
    var moved = (grid ^ grid &>> 7) & 0x00AA_00AA_00AA_00AA
    grid ^= moved ^ moved &<< 7
    moved = (grid ^ grid &>> 14) & 0x0000_CCCC_0000_CCCC
    grid ^= moved ^ moved &<< 14
    moved = (grid ^ grid &>> 28) & 0x0000_0000_F0F0_F0F0
    return grid ^ moved ^ moved &<< 28
  }

  @inline(never)
  private static func laterEnds(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> UInt64 {
    start <= end ? ends(bytes, from: start, to: end) : 0
  }

  /// The next field; an empty one behind the last.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func next() -> Field {
    while ends == 0 {
      guard base <= end else { return Field(word: 0, start: start, length: 0) }
      base &+= 64
      ends = Fields.laterEnds(bytes, from: base, to: end)
    }
    let fieldEnd = base &+ ends.trailingZeroBitCount
    ends &= ends &- 1
    let field = Field(word: word(at: start), start: start, length: fieldEnd &- start)
    start = fieldEnd &+ 1
    return field
  }

  /// Eight bytes from a place within the content on.
  @inline(__always)
  func word(at place: Int) -> UInt64 {
    guard place <= lastWord else { return Framing.lastWord(bytes, at: place) }
    return Framing.word(bytes, unchecked: place)
  }

  /// The lengths of the next fields as bits: where, from the next field on, fields end within this block.
  @inline(__always)
  var endsAhead: UInt64 { ends &>> UInt64(truncatingIfNeeded: start &- base) }

  /// Skips fields of this block, up to a place behind one of their ends.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func skip(bytes length: Int) {
    start &+= length
    // A shift by 64 would be one by 0.
    let passed = UInt64(truncatingIfNeeded: start &- base &- 1)
    ends &= ~1 &<< passed
  }

  @_lifetime(self: copy self)
  mutating func skip() {
    _ = next()
  }

  /// Everything behind the field just read, commas and all.
  var rest: Range<Int> { start..<max(start, end) }

  /// That the field just read is malformed or out of its range.
  var invalid: NMEAError { Fields.invalid(bytes, origin, start, type) }

  // Not a method: the cursor would be copied for it.
  @inline(never)
  private static func invalid(_ bytes: Span<UInt8>, _ origin: Int, _ start: Int, _ type: SentenceType) -> NMEAError {
    var commas = 0
    for index in origin..<max(origin, start - 1) where bytes[index] == 0x2C { commas += 1 }
    return .invalidField(type, field: commas)
  }

  @inline(__always)
  func require(_ range: ClosedRange<Int>) throws(NMEAError) {
    guard count >= range.lowerBound, count <= range.upperBound else { throw .fieldCount(type, count) }
  }
}

/// One field: where it is, and its first eight bytes.
struct Field {
  /// The eight bytes from its beginning on, whether they are its own or not.
  let raw: UInt64
  let start: Int
  let length: Int

  @inline(__always)
  init(word: UInt64, start: Int, length: Int) {
    raw = word
    self.start = start
    self.length = length
  }

  /// Its first eight bytes; those beyond its end are 0.
  @inline(__always)
  var word: UInt64 {
    length < 8 ? raw & ((1 &<< UInt64(truncatingIfNeeded: length &* 8)) &- 1) : raw
  }

  @inline(__always)
  var isEmpty: Bool { length == 0 }
}
