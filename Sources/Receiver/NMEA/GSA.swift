import Framing
public import GNSS

/// The satellites in the solution, and its dilution of precision. (NMEA 0183 v4.11 GSA)
///
/// A sentence has 12 satellite slots. Some receivers send 24 slots. Since version 4.11, a sentence also has a system
/// id. Without a fix, some receivers send only the first two fields.
public struct GSA: Hashable, Sendable {
  /// Whether the receiver itself chooses between two and three dimensions (`A`); nil if the field is empty. (field 1)
  public var choosesModeItself: Bool?
  /// The dimensions of the fix; nil without a fix. (field 2)
  public var mode: FixMode?
  /// The satellite numbers. Only the first `slotCount` elements are valid.
  private var slots = InlineArray<24, UInt16>(repeating: 0)
  private var slotCount = 0
  /// The satellite numbers 1...32 as a bit mask, so that the satellite table needs no loop over the slots.
  private(set) var lowNumbers: UInt64 = 0
  private(set) var hasHighNumbers = false
  /// The dilutions of the whole solution. (the three fields after the satellites)
  public var dilutionOfPrecision = DilutionOfPrecision()
  /// The system: 1 GPS, 2 GLONASS, 3 Galileo, 4 BeiDou, 5 QZSS, 6 NavIC. (NMEA 0183 v4.11 table 20)
  public var systemID: Int?

  init() {}

  @inline(never)
  init(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try read(&fields, in: bytes)
  }

  /// Reads the fields into an empty value. An initialiser would create the value in temporary memory and copy it.
  @_transparent
  mutating func read(_ fields: inout Fields, in bytes: Span<UInt8>) throws(NMEAError) {
    try fields.requireLeast()
    let count = fields.count
    if let head = fields.commonModes(in: bytes) {
      choosesModeItself = head.isAutomatic
      mode = head.mode
    } else {
      choosesModeItself = fields.choice(in: bytes)
      mode = fields.fixMode(in: bytes)
    }
    let slots = count < 29 ? 12 : 24
    guard count == slots + 5 || count == slots + 6 else {
      // In a sentence of another length, the positions of the dilutions are unknown.
      if mode != nil || count >= 17 { fields.noteRest(in: bytes) }
      return
    }
    var left = slots
    while left > 0 {
      left &-= readCommonSlots(&fields, in: bytes, left)
      if left > 0 {
        let (number, rest) = fields.oneSlot(in: bytes)
        add(number)
        fields = rest
        left &-= 1
      }
    }
    dilutionOfPrecision.position = fields.dilution(in: bytes)
    dilutionOfPrecision.horizontal = fields.dilution(in: bytes)
    dilutionOfPrecision.vertical = fields.dilution(in: bytes)
    if count == slots + 6 { systemID = fields.systemID(in: bytes) }
  }

  /// Reads slots that are empty or contain two digits, up to the first slot in another format. Returns the number of
  /// slots. Local variables keep the position of the cursor in registers.
  @inline(__always)
  private mutating func readCommonSlots(_ fields: inout Fields, in bytes: Span<UInt8>, _ count: Int) -> Int {
    var offset = fields.start
    var ends = fields.endsAhead
    var read = 0
    var (filled, low, hasHigh) = (slotCount, lowNumbers, hasHighNumbers)
    // This loop reads two slots at a time.
    while read &+ 2 <= count, ends & 0b111_111 == 0b100_100, offset &+ 8 <= bytes.count {
      let digits = (word(bytes, unchecked: offset) &- 0x30_3000_3030) & 0xFF_FF00_FFFF
      guard (digits | (digits &+ 0x76_7600_7676)) & 0x80_8000_8080 == 0 else { break }
      let pairs = digits &* 10 &+ digits >> 8
      let (one, two) = (pairs & 0xFF, pairs >> 24 & 0xFF)
      // The loop continues only if both numbers are 1...32. After the loop, the code reads one number at a time.
      guard (one &- 1) | (two &- 1) < 32, filled < 23 else { break }
      slots[filled] = UInt16(truncatingIfNeeded: one)
      slots[filled &+ 1] = UInt16(truncatingIfNeeded: two)
      filled &+= 2
      low |= 1 &<< one | 1 &<< two
      offset &+= 6
      ends &>>= 6
      read &+= 2
    }
    while read < count, ends & 0b111 == 0b100, offset &+ 8 <= bytes.count {
      let digits = word(bytes, unchecked: offset)
      let tens = (digits & 0xFF) &- 0x30
      let ones = (digits &>> 8 & 0xFF) &- 0x30
      guard tens < 10, ones < 10 else { break }
      let number = tens &* 10 &+ ones
      guard number != 0, filled < 24 else { break }
      slots[filled] = UInt16(truncatingIfNeeded: number)
      filled &+= 1
      low |= GSA.lowBit(number)
      hasHigh = hasHigh || number > 32
      offset &+= 3
      ends &>>= 3
      read &+= 1
    }
    (slotCount, lowNumbers, hasHighNumbers) = (filled, low, hasHigh)
    // In `ends`, two consecutive bits with the value 1 stand for an empty slot.
    let empty = min((~ends).trailingZeroBitCount, count &- read)
    fields.skip(bytes: offset &+ empty &- fields.start)
    return read &+ empty
  }

  @inline(__always)
  private static func lowBit(_ number: UInt64) -> UInt64 {
    number <= 32 ? 1 &<< number : 0
  }

  private mutating func add(_ number: Int) {
    if number == 0 { return }
    slots[slotCount] = UInt16(truncatingIfNeeded: number)
    slotCount &+= 1
    lowNumbers |= GSA.lowBit(UInt64(number))
    if number > 32 { hasHighNumbers = true }
  }

  /// The numbers of the satellites used, as the receiver wrote them.
  public var satellites: [Int] { (0..<slotCount).map { Int(slots[$0]) } }

  func forEachSatellite(_ body: (Int) -> Void) {
    for index in 0..<slotCount { body(Int(slots[index])) }
  }

  public static func == (left: GSA, right: GSA) -> Bool {
    left.choosesModeItself == right.choosesModeItself && left.mode == right.mode
      && left.satellites == right.satellites && left.dilutionOfPrecision == right.dilutionOfPrecision
      && left.systemID == right.systemID
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(satellites)
    hasher.combine(systemID)
  }
}

extension Fields {
  /// Reads both mode fields in the format of receivers with a fix, as in `A,3,`. Returns nil for other formats.
  @inline(__always)
  fileprivate mutating func commonModes(in bytes: Span<UInt8>) -> (isAutomatic: Bool, mode: FixMode)? {
    guard endsAhead & 0b1111 == 0b1010 else { return nil }
    let letters = word(at: start, in: bytes)
    let choice = letters & 0xFF
    let mode = letters >> 16 & 0xFF
    guard choice == 0x41 || choice == 0x4D, mode == 0x32 || mode == 0x33 else { return nil }
    skip(bytes: 4)
    return (choice == 0x41, mode == 0x32 ? .twoDimensional : .threeDimensional)
  }

  /// Returns the satellite number in the next slot, and a cursor after this slot. The number of an empty slot is 0.
  // The function is not mutating, so that the cursor stays in registers.
  @inline(never)
  fileprivate func oneSlot(in bytes: Span<UInt8>) -> (number: Int, rest: Fields) {
    var rest = self
    let number = rest.satelliteNumber(in: bytes)
    return (number, rest)
  }

  /// Reads whether the receiver itself chooses the dimensions: `A`, or `M` for the user's choice.
  @inline(__always)
  fileprivate mutating func choice(in bytes: Span<UInt8>) -> Bool? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    let letter = UInt8(truncatingIfNeeded: field.raw)
    guard field.length == 1, letter == 0x41 || letter == 0x4D else { return note(in: bytes) }
    return letter == 0x41
  }

  /// Reads the dimensions of the fix. Returns nil without a fix.
  @inline(__always)
  fileprivate mutating func fixMode(in bytes: Span<UInt8>) -> FixMode? {
    guard let mode = integer(in: bytes), mode != 1 else { return nil }
    return FixMode(rawValue: mode) ?? note(in: bytes)
  }

  /// Reads one hexadecimal digit, such as a system id or a signal id. Returns nil if the field is empty.
  @inline(__always)
  mutating func systemID(in bytes: Span<UInt8>) -> Int? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    let digit = Int(truncatingIfNeeded: field.raw & 0xFF) &- 0x30
    if field.length == 1, digit >= 0, digit < 10 { return digit }
    guard field.length == 1, let value = Unicode.Scalar(UInt8(truncatingIfNeeded: field.raw)).hexadecimalValue else {
      return note(in: bytes)
    }
    return value
  }
}

extension Unicode.Scalar {
  @inline(never)
  fileprivate var hexadecimalValue: Int? {
    switch value {
    case 0x30...0x39: Int(value) - 0x30
    case 0x41...0x46: Int(value) - 0x37
    case 0x61...0x66: Int(value) - 0x57
    default: nil
    }
  }
}
