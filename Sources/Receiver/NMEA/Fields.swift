import Framing

/// A cursor over the fields of one sentence. It copies nothing: where the commas are is known as bits.
///
/// The bytes are handed to each reader and not held: a value with a span in it is kept in memory, where this one stays
/// in registers.
struct Fields: BitwiseCopyable {
  /// Fields after the address.
  let count: Int
  /// Of the sentence, for errors.
  let type: SentenceType

  /// Where the next field begins.
  private(set) var start: Int
  private let origin: Int
  /// Where the content ends.
  let end: Int
  /// Where the current block of 64 bytes begins.
  private var base: Int
  /// Ends of fields not yet read, in the current block and in the next.
  private var ends: UInt64
  private var laterEnds: UInt64

  /// The content of a sentence: printable characters. The cursor begins behind the address and its comma, which are
  /// there.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ sentence: MarkedSentence, _ type: SentenceType, addressLength: Int = 5) {
    self.type = type
    origin = sentence.start
    end = sentence.end
    let behind = addressLength &+ 1
    let first = origin &+ behind
    start = first
    base = first
    let shift = UInt64(truncatingIfNeeded: behind)
    let rows = sentence.commas
    let commas = rows[0] &>> shift | rows[1] &<< (64 &- shift)
    let size = end &- first
    ends = Fields.ends(commas, size: size)
    var count = ends.nonzeroBitCount
    laterEnds = 0
    if size >= 64 {
      if size <= 128 &- behind {
        laterEnds = Fields.ends(rows[1] &>> shift, size: size &- 64)
        count &+= laterEnds.nonzeroBitCount
      } else {
        laterEnds = Fields.ends(bytes, from: first &+ 64, to: end)
        count &+= Fields.count(bytes, from: first &+ 64, to: end)
      }
    }
    self.count = count
  }

  /// Where fields end in a block: at commas and, where the content ends in it, there.
  @inline(__always)
  private static func ends(_ commas: UInt64, size: Int) -> UInt64 {
    guard size < 64 else { return commas }
    let last: UInt64 = 1 &<< UInt64(truncatingIfNeeded: size)
    return commas & (last &- 1) | last
  }

  /// The same for the block from a place on.
  @inline(never)
  private static func ends(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> UInt64 {
    start <= end ? ends(Sixteen.rows(commaGrid(bytes, from: start))[0], size: end &- start) : 0
  }

  @inline(never)
  private static func count(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var count = 0
    for block in stride(from: start, through: end, by: 64) {
      count &+= ends(bytes, from: block, to: end).nonzeroBitCount
    }
    return count
  }

  /// The next field; an empty one behind the last.
  @inline(__always)
  mutating func next(in bytes: Span<UInt8>) -> Field {
    while ends == 0 {
      guard base <= end else {
        start = end &+ 2
        return Field(word: 0, start: start, length: 0)
      }
      base &+= 64
      ends = laterEnds
      laterEnds = Fields.ends(bytes, from: base &+ 64, to: end)
    }
    let fieldEnd = base &+ ends.trailingZeroBitCount
    ends &= ends &- 1
    let field = Field(word: word(at: start, in: bytes), start: start, length: fieldEnd &- start)
    start = fieldEnd &+ 1
    return field
  }

  /// Eight bytes from a place within the content on.
  @inline(__always)
  func word(at place: Int, in bytes: Span<UInt8>) -> UInt64 {
    guard place <= bytes.count &- 8 else { return Framing.lastWord(bytes, at: place) }
    return Framing.word(bytes, unchecked: place)
  }

  /// The lengths of the next fields as bits: where, from the next field on, fields end within this block.
  @inline(__always)
  var endsAhead: UInt64 { ends &>> UInt64(truncatingIfNeeded: start &- base) }

  /// Whether a field ends so many bytes, less than 64, behind the place, and in this block.
  @inline(__always)
  func isEnd(behind length: Int) -> Bool {
    let place = start &- base &+ length
    return place < 64 && ends &>> UInt64(truncatingIfNeeded: place) & 1 != 0
  }

  /// Skips fields of this block, up to a place behind one of their ends.
  @inline(__always)
  mutating func skip(bytes length: Int) {
    start &+= length
    // A shift by 64 would be one by 0.
    let passed = UInt64(truncatingIfNeeded: start &- base &- 1)
    ends &= ~1 &<< passed
  }

  mutating func skip(in bytes: Span<UInt8>) {
    _ = next(in: bytes)
  }

  /// Everything behind the field just read, commas and all.
  var rest: Range<Int> { start..<max(start, end) }

  /// Whether a field is left.
  @inline(__always)
  var hasMore: Bool { start <= end }

  /// Whether all fields were read, and none was asked for behind the last. Sentences that come often ask this at their
  /// end and not at their beginning how many fields there are, since to count them takes long.
  @inline(__always)
  var isAtEnd: Bool { start == end &+ 1 }

  /// That the field just read is malformed or out of its range.
  func invalid(in bytes: Span<UInt8>) -> NMEAError { Fields.error(bytes, origin, start, end, type) }

  // Not a method: the cursor would be copied for it.
  @inline(never)
  private static func error(
    _ bytes: Span<UInt8>, _ origin: Int, _ start: Int, _ end: Int, _ type: SentenceType
  ) -> NMEAError {
    var (commas, fields) = (0, 0)
    for index in origin..<end where bytes[index] == 0x2C {
      if index < start - 1 { commas += 1 }
      fields += 1
    }
    return type.allows(fields: fields) ? .invalidField(type, field: commas) : .fieldCount(type, fields)
  }

  @inline(__always)
  func require(_ range: ClosedRange<Int>) throws(NMEAError) {
    guard count >= range.lowerBound, count <= range.upperBound else { throw .fieldCount(type, count) }
  }
}

extension SentenceType {
  /// Whether a sentence may have so many fields after its address, as far as it is not asked before they are read.
  fileprivate func allows(fields: Int) -> Bool {
    switch self {
    case .gga: fields == 14
    case .rmc: (11...13).contains(fields)
    case .gll: fields == 4 || fields == 6 || fields == 7
    case .gsa, .gsv, .vtg, .gns, .zda, .hdt, .dtm, .gst, .txt, .gbs, .pubxPosition, .pubxTime, .acknowledgement: true
    }
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
