import Framing
public import GNSS

/// Satellites in view: up to four of a group that several sentences make. (NMEA 0183 v4.11 GSV)
public struct GSV: Hashable, Sendable {
  // Small, since sentences are passed by value; -1 is nil.
  private var partsOrNone: Int32 = -1
  private var partOrNone: Int32 = -1
  private var inViewOrNone: Int32 = -1
  private var signalOrNone: Int8 = -1
  private var length: UInt8 = 0
  /// Whose numbers the satellites have; where it has none of its own, each number must tell by itself.
  var talker: Talker
  /// Without constellation and signal, which are the same for all or follow from the number.
  private var entries = InlineArray<4, UInt64>(repeating: Satellite.unknown)

  @inline(__always)
  init(talker: Talker) {
    self.talker = talker
  }

  @inline(never)
  init(_ fields: inout Fields, in bytes: Span<UInt8>, talker: Talker) throws(NMEAError) {
    self.init(talker: talker)
    try read(&fields, in: bytes)
  }

  /// Reads into a value that is empty. An initialiser that can fail would have the compiler build the value elsewhere
  /// and copy it.
  @inline(always)
  mutating func read(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    if readUsual(fields, in: bytes) { return }
    // A copy, so that the cursor needs no place in memory. What was read is read again.
    var other = fields
    try readAny(&other, in: bytes)
    fields = other
  }

  /// Reads a sentence in which all is written as nearly all receivers do. False where anything is not.
  @inline(__always)
  private mutating func readUsual(_ fields: Fields, in bytes: Span<UInt8>) -> Bool {
    var fields = fields
    guard fields.isOneBlock, let head = fields.usualHead(in: bytes) else { return false }
    var read = 0
    var place = fields.start
    var ends = fields.endsAhead
    // More than a signal id is left.
    while ends > 0b10 {
      guard read < 4, let (entry, size) = fields.usualSatellite(at: place, ends, in: bytes) else { return false }
      entries[read] = entry
      place &+= size
      ends &>>= UInt64(truncatingIfNeeded: size)
      read &+= 1
    }
    if ends == 0b10 {
      guard place < bytes.count, bytes[place] &- 0x30 < 10 else { return false }
      signalOrNone = Int8(truncatingIfNeeded: bytes[place] &- 0x30)
    }
    (partsOrNone, partOrNone, inViewOrNone) = head
    length = UInt8(truncatingIfNeeded: read)
    return true
  }

  @inline(never)
  private mutating func readAny(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    let count = fields.count
    guard count >= 3, count <= 20 else { throw .fieldCount(.gsv, count) }
    partsOrNone = try fields.smallInteger(in: bytes)
    partOrNone = try fields.smallInteger(in: bytes)
    inViewOrNone = try fields.smallInteger(in: bytes)
    entries = InlineArray(repeating: Satellite.unknown)
    // A group that is cut short has what it has; a signal id stands alone behind whole groups.
    for _ in 0..<(count &- 1) / 4 {
      let entry = try fields.anySatellite(in: bytes)
      if entry & 0xFFFF == 0 { continue }
      entries[Int(length)] = entry
      length &+= 1
    }
    if count % 4 == 0 { signalOrNone = try fields.systemID(in: bytes).map { Int8(truncatingIfNeeded: $0) } ?? -1 }
  }

  /// Sentences in the group, and which of them this is, from 1. Nil where the receiver leaves them out.
  public var parts: Int? {
    get { partsOrNone < 0 ? nil : Int(partsOrNone) }
    set { partsOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  public var part: Int? {
    get { partOrNone < 0 ? nil : Int(partOrNone) }
    set { partOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  /// Satellites in view of the talker's system.
  public var satellitesInView: Int? {
    get { inViewOrNone < 0 ? nil : Int(inViewOrNone) }
    set { inViewOrNone = newValue.flatMap { Int32(exactly: $0) } ?? -1 }
  }

  /// Signal id within the system, 0...15. (NMEA 0183 v4.11 table 19)
  public var signal: Int? {
    get { signalOrNone < 0 ? nil : Int(signalOrNone) }
    set { signalOrNone = newValue.flatMap { Int8(exactly: $0) } ?? -1 }
  }

  /// Satellites in this sentence.
  public var count: Int { Int(length) }

  /// Whether the group is complete with it.
  @inline(__always)
  var endsGroup: Bool { partOrNone >= 0 && partOrNone == partsOrNone }

  /// Writes the satellites, and anything behind them up to four. `lowBits` are those of the numbers 1...32, which are all
  /// of the same system.
  @inline(__always)
  func write(to list: inout MutableSpan<Satellite>, at start: Int, lowBits low: UInt64) {
    for index in 0..<4 {
      let entry = entries[index]
      // What is not read has the number 0.
      list[start &+ index] = Satellite(word: entry & (entry & 0xFFFF <= 32 ? low : bits(of: entry & 0xFFFF)))
    }
  }

  /// One of the `count` satellites.
  @inline(__always)
  public func satellite(at index: Int) -> Satellite {
    Satellite(word: entries[index] & bits(of: entries[index] & 0xFFFF))
  }

  /// What makes a satellite's word complete by "and": in it unknown figures are all ones, and here those that it has.
  /// No signal is -1, which is all ones too.
  @inline(never)
  func bits(of number: UInt64) -> UInt64 {
    let number = Int(truncatingIfNeeded: number)
    let place = SatelliteNumber.constellation(of: number, talker: talker)?.place ?? 7
    return UInt64(truncatingIfNeeded: place) << 56 | UInt64(UInt8(bitPattern: signalOrNone)) << 48 | 0xFFFF_FFFF_FFFF
  }

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

extension Fields {
  /// Parts, part and satellites in view as nearly all receivers write them: `3,1,09,`.
  @inline(__always)
  fileprivate mutating func usualHead(in bytes: Span<UInt8>) -> (Int32, Int32, Int32)? {
    guard endsAhead & 0x7F == 0b100_1010 else { return nil }
    let digits = word(at: start, in: bytes) & 0xFFFF_00FF_00FF &- 0x3030_0030_0030
    guard (digits | (digits &+ 0x7676_0076_0076)) & 0x8080_0080_0080 == 0 else { return nil }
    skip(bytes: 7)
    let inView = (digits >> 32 & 0xFF) &* 10 &+ digits >> 40
    return (
      Int32(truncatingIfNeeded: digits & 0xFF), Int32(truncatingIfNeeded: digits >> 16 & 0xFF),
      Int32(truncatingIfNeeded: inView)
    )
  }

  /// A satellite as nearly all receivers write it: number and elevation of two digits, azimuth of three, signal strength
  /// of two or none. Nil where it is written otherwise. With it how many bytes it has.
  ///
  ///     02,17,308,41,
  @inline(__always)
  fileprivate func usualSatellite(at place: Int, _ ends: UInt64, in bytes: Span<UInt8>) -> (entry: UInt64, size: Int)? {
    // All ones where the strength is left out. What depends on it is masked and not chosen by branches: nobody could
    // foresee them.
    let missing = 0 &- (ends &>> 10 & 1)
    let shape = ends & (0x1FFF &- missing & 0x1800)
    guard shape == 0b1_0010_0010_0100 &- missing & (0b1_0010_0010_0100 - 0b110_0010_0100), place &+ 16 <= bytes.count
    else { return nil }
    // Two digits, a comma, two digits, a comma, two digits of three; then the third, a comma, two digits.
    let low = (Framing.word(bytes, unchecked: place) &- 0x3030_0030_3000_3030) & 0xFFFF_00FF_FF00_FFFF
    let digits = 0x0000_0000_FFFF_00FF & ~(missing & 0xFFFF_0000)
    let high = (Framing.word(bytes, unchecked: place &+ 8) &- 0x0000_0000_3030_0030) & digits
    guard ((low | (low &+ 0x7676_0076_7600_7676)) | (high | (high &+ 0x7676_0076))) & 0x8080_8080_8080_8080 == 0 else {
      return nil
    }
    let pairs = low &* 10 &+ low >> 8
    let number = pairs & 0xFF
    let elevation = pairs >> 24 & 0xFF
    let azimuth = (pairs >> 48 & 0xFF) &* 10 &+ high & 0xFF
    // Figures that mean nothing are for who reads any satellite.
    guard Int64(bitPattern: (number &- 1) | (90 &- elevation) | (359 &- azimuth)) >= 0 else { return nil }
    let strength = (high >> 16 & 0xFF) &* 10 &+ high >> 24
    // 0 dB-Hz is what some receivers write for a satellite that is not tracked.
    let shown = strength | (strength &- 1) >> 8 & 0xFF
    let known = shown << 40 | elevation << 32 | azimuth << 16 | number
    return (known | 0x07FF_0000_0000_0000, 13 &+ 2 &* Int(truncatingIfNeeded: missing))
  }

  @inline(never)
  fileprivate mutating func anySatellite(in bytes: Span<UInt8>) throws(NMEAError) -> UInt64 {
    let number = try satelliteNumber(in: bytes)
    let elevation = try whole(in: bytes)
    let azimuth = try whole(in: bytes)
    let strength = try whole(in: bytes)
    var satellite = Satellite(constellation: nil, number: number)
    satellite.elevation = elevation
    satellite.azimuth = azimuth == 360 ? 0 : azimuth
    // 0 dB-Hz is what some receivers write for a satellite that is not tracked.
    satellite.signalStrength = strength == 0 ? nil : strength
    return satellite.word
  }

  /// A number of up to eight digits, -1 where there is none.
  @inline(never)
  fileprivate mutating func smallInteger(in bytes: Span<UInt8>) throws(NMEAError) -> Int32 {
    let value = try integer(in: bytes) ?? -1
    return Int32(truncatingIfNeeded: value)
  }

  /// A satellite's number, 0 where there is none.
  @inline(__always)
  mutating func satelliteNumber(in bytes: Span<UInt8>) throws(NMEAError) -> Int {
    // Nothing, or two digits: the usual.
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
    return try unusualNumber(in: bytes)
  }

  @inline(never)
  private mutating func unusualNumber(in bytes: Span<UInt8>) throws(NMEAError) -> Int {
    let (value, field) = small(in: bytes)
    if value >= 0 { return value }
    if value == -1 { return 0 }
    guard field.length == 4, let number = Digits.number(field.raw, count: 4) else { throw invalid(in: bytes) }
    return Int(truncatingIfNeeded: number)
  }

  /// A whole number, rounded where a receiver writes a fraction; `Int.min` where empty.
  @inline(__always)
  mutating func whole(in bytes: Span<UInt8>) throws(NMEAError) -> Int {
    let (value, field) = small(in: bytes)
    if value >= 0 { return value }
    return value == -1 ? .min : try unusualWhole(field, in: bytes)
  }

  @inline(never)
  private func unusualWhole(_ field: Field, in bytes: Span<UInt8>) throws(NMEAError) -> Int {
    guard field.length <= 8 else { throw invalid(in: bytes) }
    if let digits = Digits.number(field.raw, count: field.length) { return Int(truncatingIfNeeded: digits) }
    guard let decimal = Fields.shortDecimal(field) else { throw invalid(in: bytes) }
    return Int(decimal < 0 ? decimal - 0.5 : decimal + 0.5)
  }
}
