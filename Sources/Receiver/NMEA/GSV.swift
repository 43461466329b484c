import Framing
public import GNSS

/// Satellites in view, up to four in a sentence. Several sentences form a group. (NMEA 0183 v4.11 GSV)
public struct GSV: Hashable, Sendable {
  // Small integers make the sentence cheap to copy. The value -1 stands for nil.
  private var partsOrNone: Int32 = -1
  private var partOrNone: Int32 = -1
  private var inViewOrNone: Int32 = -1
  private var signalOrNone: Int8 = -1
  private var length: UInt8 = 0
  /// Whether all satellite numbers are in the range 1...32.
  private var hasLowNumbers = false
  /// The talker, which determines the system of the satellites. For the talker `GN`, the satellite number determines
  /// the system.
  var talker: Talker
  /// The encoded satellites, without constellation and signal.
  private var entries = SIMD4<UInt64>(repeating: Satellite.unknown)

  @inline(__always)
  init(talker: Talker) {
    self.talker = talker
  }

  @inline(never)
  init(_ fields: inout Fields, in bytes: Span<UInt8>, talker: Talker) throws(NMEAError) {
    self.init(talker: talker)
    if readCommon(from: fields.start, to: fields.end, in: bytes) { return }
    try readAny(&fields, in: bytes)
  }

  /// Reads the fields into an empty value. An initialiser would create the value in temporary memory and copy it.
  /// - Returns: The fields that cannot be read, as in `Fields.unreadable`.
  @inline(__always)
  mutating func read(_ sentence: MarkedSentence, in bytes: Span<UInt8>) throws(NMEAError) -> UInt32 {
    if readCommon(from: sentence.start &+ 6, to: sentence.end, in: bytes) { return 0 }
    return try readUncommon(sentence, in: bytes)
  }

  @inline(never)
  private mutating func readUncommon(_ sentence: MarkedSentence, in bytes: Span<UInt8>) throws(NMEAError) -> UInt32 {
    var fields = Fields(bytes, sentence, .gsv)
    try readAny(&fields, in: bytes)
    return fields.unreadable
  }

  /// Reads a sentence in the common format. Returns false if a part of the sentence has another format.
  ///
  /// The function checks commas and digits together, without the positions of the commas. The byte after the content is
  /// neither a digit nor a comma, so this check also finds the end.
  // The function is not inlined, so that its variables stay in registers.
  @inline(never)
  private mutating func readCommon(from start: Int, to end: Int, in bytes: Span<UInt8>) -> Bool {
    guard start >= 0, start &+ 8 <= bytes.count, start &+ 7 <= end else { return false }
    guard let head = CommonGSV.head(word(bytes, unchecked: start)) else { return false }
    // From every position before this limit, sixteen bytes are readable. These bytes contain a complete satellite, and
    // not only a signal id.
    let limit = min(end &- 1, bytes.count &- 15)
    var offset = start &+ 7
    var length: UInt8 = 0
    // The four calls replace a loop, because the compiler would keep the variables of a loop in memory.
    let one = CommonGSV.satellite(at: &offset, limit, end, &length, in: bytes)
    let two = CommonGSV.satellite(at: &offset, limit, end, &length, in: bytes)
    let three = CommonGSV.satellite(at: &offset, limit, end, &length, in: bytes)
    let four = CommonGSV.satellite(at: &offset, limit, end, &length, in: bytes)
    if offset &+ 1 == end {
      let digit = UInt64(bytes[offset]) &- 0x30
      guard digit < 10 else { return false }
      signalOrNone = Int8(truncatingIfNeeded: digit)
    }
    (partsOrNone, partOrNone, inViewOrNone) = head
    guard offset &+ 1 >= end,
      let all = CommonGSV.read(
        SIMD4(one.first, two.first, three.first, four.first), SIMD4(one.second, two.second, three.second, four.second))
    else { return false }
    (entries, hasLowNumbers) = all
    self.length = length
    return true
  }

  @inline(never)
  private mutating func readAny(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    self = GSV(talker: talker)
    try fields.requireLeast()
    let count = fields.count
    partsOrNone = fields.smallInteger(in: bytes)
    partOrNone = fields.smallInteger(in: bytes)
    inViewOrNone = fields.smallInteger(in: bytes)
    // The loop reads complete satellites only. A further field after the satellites is the signal id.
    for _ in 0..<min((count &- 1) / 4, 4) {
      let entry = fields.anySatellite(in: bytes)
      if entry & 0xFFFF == 0 { continue }
      entries[Int(length)] = entry
      length &+= 1
    }
    if count % 4 == 0, count <= 20 {
      signalOrNone = fields.systemID(in: bytes).map { Int8(truncatingIfNeeded: $0) } ?? -1
    }
    fields.noteRest(in: bytes)
  }

  /// The number of sentences in the group; nil if the receiver leaves the field empty. (field 1)
  public var parts: Int? {
    get { partsOrNone < 0 ? nil : Int(partsOrNone) }
    set { partsOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  /// The position of the sentence in its group, counted from 1. (field 2)
  public var part: Int? {
    get { partOrNone < 0 ? nil : Int(partOrNone) }
    set { partOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  /// The number of visible satellites of the talker's system. (field 3)
  public var satellitesInView: Int? {
    get { inViewOrNone < 0 ? nil : Int(inViewOrNone) }
    set { inViewOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  /// The signal id within the system, 0...15. (NMEA 0183 v4.11 table 19)
  public var signal: Int? {
    get { signalOrNone < 0 ? nil : Int(signalOrNone) }
    set { signalOrNone = newValue.flatMap { Int8(exactly: $0) } ?? -1 }
  }

  /// The number of satellites in this sentence.
  public var count: Int { Int(length) }

  @inline(__always)
  var endsGroup: Bool { partOrNone >= 0 && partOrNone == partsOrNone }

  /// Returns the encoded satellites. The elements at the index `count` and above are undefined.
  /// - Parameter low: The mask from `bits(of:talker:signal:)` for the numbers 1...32. All these numbers belong to one
  ///   system.
  @inline(__always)
  func words(lowBits low: UInt64) -> SIMD4<UInt64> {
    hasLowNumbers ? entries & SIMD4(repeating: low) : anyWords()
  }

  @inline(never)
  private func anyWords() -> SIMD4<UInt64> {
    var words = entries
    for index in 0..<4 { words[index] &= bits(of: words[index] & 0xFFFF) }
    return words
  }

  /// Returns the satellite at an index below `count`.
  @inline(__always)
  public func satellite(at index: Int) -> Satellite {
    Satellite(word: entries[index] & bits(of: entries[index] & 0xFFFF))
  }

  @inline(__always)
  private func bits(of number: UInt64) -> UInt64 {
    GSV.bits(of: number, talker: talker, signal: signal)
  }

  /// Returns a mask with the constellation and the signal of a satellite.
  ///
  /// Both fields of an encoded satellite are all ones (unknown) at first. A bitwise "and" with the mask copies the
  /// fields of the mask. A missing signal (-1) is all ones in the mask, so the signal stays unknown.
  @inline(never)
  static func bits(of number: UInt64, talker: Talker, signal: Int?) -> UInt64 {
    let system = SatelliteNumber.constellation(of: Int(truncatingIfNeeded: number), talker: talker)?.index ?? 7
    let signal = UInt8(truncatingIfNeeded: signal ?? -1)
    return UInt64(truncatingIfNeeded: system) << 56 | UInt64(signal) << 48 | 0xFFFF_FFFF_FFFF
  }

  /// The satellites of this sentence, up to four.
  public var satellites: [Satellite] { (0..<count).map(satellite(at:)) }

  public static func == (left: GSV, right: GSV) -> Bool {
    left.parts == right.parts && left.part == right.part && left.satellitesInView == right.satellitesInView
      && left.signal == right.signal && left.talker == right.talker && left.satellites == right.satellites
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(part)
    hasher.combine(satellites)
  }
}

/// A reader for the most common format of GSV. It examines eight bytes at a time.
///
/// The XOR with `0` or a comma changes a digit to its value and a comma to 0. Then `x | x + 0x76` sets the top bit of
/// each byte that is not a digit, and `x | x + 0x7F` of each byte that is not a comma.
private enum CommonGSV {
  /// Reads the number of parts, the part and the satellites in view, as in `3,1,09,`. Returns nil for other formats.
  @inline(__always)
  static func head(_ eight: UInt64) -> (parts: Int32, part: Int32, inView: Int32)? {
    let digits = (eight ^ 0x2C_3030_2C30_2C30) & 0xFF_FFFF_FFFF_FFFF
    guard (digits | (digits &+ 0x7F_7676_7F76_7F76)) & 0x80_8080_8080_8080 == 0 else { return nil }
    let inView = (digits >> 32 & 0xFF) &* 10 &+ (digits >> 40 & 0xFF)
    return (
      Int32(truncatingIfNeeded: digits & 0xFF), Int32(truncatingIfNeeded: digits >> 16 & 0xFF),
      Int32(truncatingIfNeeded: inView)
    )
  }

  /// Returns the sixteen bytes of the next satellite, and moves `offset` behind its comma. If `offset` has reached the
  /// limit, the function returns the text of a valid dummy satellite.
  @inline(__always)
  static func satellite(
    at offset: inout Int, _ limit: Int, _ end: Int, _ count: inout UInt8, in bytes: Span<UInt8>
  ) -> (first: UInt64, second: UInt64) {
    guard offset < limit else { return (0x3030_2C30_302C_3130, 0x2C_3030_2C30) }
    let first = word(bytes, unchecked: offset)
    let second = word(bytes, unchecked: offset &+ 8)
    // If the strength is missing, a comma replaces its first digit.
    let length = 10 &+ Int(truncatingIfNeeded: second >> 20 & 1) &* 2
    let isLast = offset &+ length == end
    offset &+= length &+ 1
    count &+= 1
    return (first, isLast ? followed(second, at: length &- 8) : second)
  }

  /// Reads four satellites at once. Each satellite has a number, an elevation, an azimuth, a signal strength that may
  /// be missing, and a comma.
  ///
  ///     02,17,308,41,
  ///     02,17,308,,
  ///
  /// - Returns: The entries of `GSV`, and whether all numbers are 1...32; nil if a satellite has another format or a
  ///   value out of range.
  // A bit mask removes the bytes of a missing strength, because the processor could not predict a branch.
  @inline(__always)
  static func read(_ first: SIMD4<UInt64>, _ second: SIMD4<UInt64>) -> (entries: SIMD4<UInt64>, areLow: Bool)? {
    typealias Four = SIMD4<UInt64>
    // `first` contains `02,17,30`. `second` contains `8,41,` or `8,,`.
    let low = first ^ Four(repeating: 0x3030_2C30_302C_3030)
    let missing = (second &>> 20 & Four(repeating: 1)) &- Four(repeating: 1)
    let comma = missing & Four(repeating: 0x1C_0000)
    let high =
      (second ^ Four(repeating: 0x2C_3030_2C30) ^ comma) & Four(repeating: 0xFF_FFFF_FFFF)
      & ~(missing & Four(repeating: 0xFF_FF00_0000))
    let noDigits = (low &+ Four(repeating: 0x7676_7F76_767F_7676)) | low
    let noCommas = (high &+ Four(repeating: 0x7F_7676_7F76) &+ missing & Four(repeating: 0x09_0000)) | high
    let pairs = CommonGSV.tenfold(low) &+ low &>> 8
    // `ones` contains the last digits of azimuth and strength in 16 bits each. `tens` contains the digits before them.
    let ones = high & Four(repeating: 0xFF) | high &>> 8 & Four(repeating: 0xFF_0000)
    let tens = pairs &>> 48 & Four(repeating: 0xFF) | high & Four(repeating: 0xFF_0000)
    let both = CommonGSV.tenfold(tens) &+ ones
    let known =
      pairs & Four(repeating: 0xFF) | pairs &<< 8 & Four(repeating: 0xFF_0000_0000) | both &<< 16
      & Four(repeating: 0xFFFF_0000)
    // After the addition, three top bits mean: elevation above 90, azimuth above 359, number at least 1.
    let limits = (known &+ Four(repeating: 0x25_7E98_7FFF)) ^ Four(repeating: 0x8000)
    let wrong =
      (noDigits | noCommas) & Four(repeating: 0x8080_8080_8080_8080) | limits & Four(repeating: 0x80_8000_8000)
    let above = (known &+ Four(repeating: 0x7FDF)) & Four(repeating: 0x8000)
    guard wrong[0] | wrong[1] | wrong[2] | wrong[3] == 0 else { return nil }
    let strength = both &>> 16
    // Some receivers write 0 dB-Hz for a satellite that is not tracked.
    let unknown = (strength &- Four(repeating: 1)) & Four(repeating: 0xFF00_0000_0000)
    let entries = known | strength &<< 40 | unknown | Four(repeating: 0x07FF_0000_0000_0000)
    return (entries, above[0] | above[1] | above[2] | above[3] == 0)
  }

  /// Returns the bytes with a comma at `index`, the position after the end of the content.
  @inline(never)
  private static func followed(_ second: UInt64, at index: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: index &* 8)
    return second & ~(0xFF &<< shift) | 0x2C &<< shift
  }

  @inline(__always)
  private static func tenfold(_ values: SIMD4<UInt64>) -> SIMD4<UInt64> {
    values &<< 3 &+ values &<< 1
  }
}

extension Fields {
  @inline(never)
  fileprivate mutating func anySatellite(in bytes: Span<UInt8>) -> UInt64 {
    let number = satelliteNumber(in: bytes)
    let elevation = whole(in: bytes)
    let azimuth = whole(in: bytes)
    let strength = whole(in: bytes)
    var satellite = Satellite(constellation: nil, number: number)
    satellite.elevation = elevation
    satellite.azimuth = azimuth == 360 ? 0 : azimuth
    satellite.signalStrength = strength == 0 ? nil : strength
    return satellite.word
  }

  /// Reads a number of up to eight digits. The result is -1 if the field is empty.
  @inline(never)
  fileprivate mutating func smallInteger(in bytes: Span<UInt8>) -> Int32 {
    let value = integer(in: bytes) ?? -1
    return Int32(truncatingIfNeeded: value)
  }

  /// Reads a satellite number. The result is 0 if the field is empty.
  @inline(__always)
  mutating func satelliteNumber(in bytes: Span<UInt8>) -> Int {
    // Nearly all fields are empty or contain two digits.
    let ends = endsAhead
    if ends & 1 != 0 {
      skip(bytes: 1)
      return 0
    }
    if ends & 0b111 == 0b100 {
      let digits = word(at: start, in: bytes)
      let tens = (digits & 0xFF) &- 0x30
      let ones = (digits >> 8 & 0xFF) &- 0x30
      if tens < 10, ones < 10 {
        skip(bytes: 3)
        return Int(truncatingIfNeeded: tens &* 10 &+ ones)
      }
    }
    return uncommonNumber(in: bytes)
  }

  @inline(never)
  private mutating func uncommonNumber(in bytes: Span<UInt8>) -> Int {
    let (value, field) = small(in: bytes)
    if value >= 0 { return value }
    if value == -1 { return 0 }
    guard field.length == 4, let number = Digits.number(field.raw, count: 4) else { return note(in: bytes) ?? 0 }
    return Int(truncatingIfNeeded: number)
  }

  /// Reads a decimal number and rounds it to an integer. The result is `Int.min` if the field is empty.
  @inline(__always)
  mutating func whole(in bytes: Span<UInt8>) -> Int {
    let (value, field) = small(in: bytes)
    if value >= 0 { return value }
    return value == -1 ? .min : Fields.uncommonWhole(field) ?? note(in: bytes) ?? .min
  }

  @inline(never)
  private static func uncommonWhole(_ field: Field) -> Int? {
    guard field.length <= 8 else { return nil }
    if let digits = Digits.number(field.raw, count: field.length) { return Int(truncatingIfNeeded: digits) }
    return shortDecimal(field).map { Int($0 < 0 ? $0 - 0.5 : $0 + 0.5) }
  }
}
