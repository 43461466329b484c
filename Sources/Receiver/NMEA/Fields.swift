import Framing

/// A cursor over the fields of one sentence. Bit masks contain the positions of the commas, so no text is copied.
///
/// Each function receives the sentence's bytes as an argument. With a stored span, the compiler would keep the cursor
/// in memory and not in registers.
struct Fields: BitwiseCopyable {
  let count: Int
  /// The sentence's type, for errors.
  let type: SentenceType

  private(set) var start: Int
  private let origin: Int
  let end: Int
  /// The position of the current block of 64 bytes.
  private var base: Int
  /// The ends of the unread fields in the current and in the next block. Bit `n` stands for byte `n` of the block.
  private var ends: UInt64
  private var laterEnds: UInt64
  /// The fields that cannot be read and that do not decide about the sentence. Bit `n` stands for the field with the
  /// number `n`, and the highest bit also for all later fields.
  private(set) var unreadable: UInt32 = 0
  /// Whether a dilution was read that means unknown.
  var deniesDilution = false

  /// Creates a cursor at the first field. The address and the characters of the content were already checked.
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

  /// Returns the ends of the fields in a block of 64 bytes: the commas, and the end of the content.
  @inline(__always)
  private static func ends(_ commas: UInt64, size: Int) -> UInt64 {
    guard size < 64 else { return commas }
    let last: UInt64 = 1 &<< UInt64(truncatingIfNeeded: size)
    return commas & (last &- 1) | last
  }

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

  /// Consumes and returns the next field. After the last field, the result is an empty field.
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

  @inline(__always)
  func word(at offset: Int, in bytes: Span<UInt8>) -> UInt64 {
    guard offset <= bytes.count &- 8 else { return Framing.lastWord(bytes, at: offset) }
    return Framing.word(bytes, unchecked: offset)
  }

  /// The ends of the unread fields in the current block. Bit 0 stands for the byte at the cursor's position.
  @inline(__always)
  var endsAhead: UInt64 { ends &>> UInt64(truncatingIfNeeded: start &- base) }

  /// Skips `length` bytes within the current block. The new position must be directly after the end of a field.
  @inline(__always)
  mutating func skip(bytes length: Int) {
    start &+= length
    // The code clears the bits 0 to `passed`. A mask of ones would need a shift by `passed + 1`, which can be 64, and
    // `&<<` treats 64 as 0. For this reason, the code shifts `~1` by `passed`.
    let passed = UInt64(truncatingIfNeeded: start &- base &- 1)
    ends &= ~1 &<< passed
  }

  mutating func skip(in bytes: Span<UInt8>) {
    _ = next(in: bytes)
  }

  /// The rest of the content after the last read field, including commas.
  var rest: Range<Int> { start..<max(start, end) }

  @inline(__always)
  var hasMore: Bool { start <= end }

  /// Whether a reader has read a field after the last one, so that a field is missing. A count of the fields before the
  /// reading would be slower.
  @inline(__always)
  var isOverrun: Bool { start > end &+ 1 }

  /// Notes that the field that was read last cannot be read. Returns nil, because the value of the field is unknown.
  @inline(__always)
  mutating func note<Value>(in bytes: Span<UInt8>) -> Value? {
    unreadable |= 1 &<< UInt32(truncatingIfNeeded: min(Fields.commas(bytes, from: origin, to: start &- 1), 31))
    return nil
  }

  /// Notes the first of the fields that a sentence of this type does not have.
  @inline(__always)
  mutating func noteRest(in bytes: Span<UInt8>) {
    guard hasMore else { return }
    skip(in: bytes)
    let _: Never? = note(in: bytes)
  }

  /// Returns an error for the field that was read last. The error means that the field is malformed or out of range.
  func invalid(in bytes: Span<UInt8>) -> NMEAError { Fields.error(bytes, origin, start, end, type) }

  // The function is static, because a method would need a copy of the cursor in memory.
  @inline(never)
  private static func error(
    _ bytes: Span<UInt8>, _ origin: Int, _ start: Int, _ end: Int, _ type: SentenceType
  ) -> NMEAError {
    let count = commas(bytes, from: origin, to: end)
    guard count >= type.leastFields else { return .fieldCount(type, count) }
    return .invalidField(type, field: commas(bytes, from: origin, to: start &- 1))
  }

  @inline(never)
  private static func commas(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var count = 0
    for index in start..<min(end, bytes.count) where bytes[index] == 0x2C { count &+= 1 }
    return count
  }

  /// Throws an error if a field is missing without which a sentence of this type has no meaning.
  @inline(__always)
  func requireLeast() throws(NMEAError) {
    guard count >= type.leastFields else { throw .fieldCount(type, count) }
  }
}

extension SentenceType {
  /// The smallest number of fields with which a sentence of this type has a meaning. Senders omit fields at the end of
  /// a sentence, and add others.
  fileprivate var leastFields: Int {
    switch self {
    case .gga, .rmc, .gns, .positionError: 6
    case .gll, .zda, .txt: 4
    case .gsv, .pubxTime: 3
    case .gsa, .gst, .vtg, .gbs: 2
    case .hdt, .dtm: 1
    case .pubxPosition: 8
    }
  }
}

/// The position, the length and the first eight bytes of a field.
struct Field {
  /// Eight bytes from the beginning of the field. Bytes after the end of the field are undefined.
  let raw: UInt64
  let start: Int
  let length: Int

  @inline(__always)
  init(word: UInt64, start: Int, length: Int) {
    raw = word
    self.start = start
    self.length = length
  }

  /// The first eight bytes of the field. Bytes after the end of the field are 0.
  @inline(__always)
  var word: UInt64 {
    length < 8 ? raw & ((1 &<< UInt64(truncatingIfNeeded: length &* 8)) &- 1) : raw
  }

  @inline(__always)
  var isEmpty: Bool { length == 0 }
}
