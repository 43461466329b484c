import Base
import GNSS

/// A cursor that reads the comma-separated fields of one NMEA sentence. For an empty field, a function returns nil.
///
/// A malformed time, position or validity makes the sentence useless, so the function throws an error. For other
/// malformed fields, the function returns nil and records the field in `unreadable`.
struct Fields: ~Escapable {
  static let comma = UInt8(ascii: ",")

  /// The index of the next field's first byte. After the last field, the index is greater than `end`.
  var index: Int
  /// The malformed fields as a bit mask: bit n for field n. The highest bit stands for all later fields.
  private(set) var unreadable: UInt32 = 0
  private let bytes: Span<UInt8>
  private let content: Range<Int>
  private let role: SentenceRole

  /// Creates a cursor at the first field of an NMEA sentence. `content` is the range between `$` and `*`.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, content: Range<Int>, _ role: SentenceRole) {
    (self.bytes, self.content, self.role) = (bytes, content, role)
    index = content.lowerBound + role.addressLength
  }

  private var end: Int { content.upperBound }

  var hasMore: Bool { index <= end }

  /// Whether the next field is the last field and has at most one character.
  var isLastCharacter: Bool { index >= end || index == end - 1 && bytes[index] != Fields.comma }

  var beginsWithDigit: Bool { index < end && bytes[index] &- 0x30 < 10 }

  /// The count of fields in the NMEA sentence. The address (the text before the first comma) does not count.
  var count: Int { commas(content) }

  /// The count of fields after the cursor.
  var remaining: Int { hasMore ? commas(index..<end) + 1 : 0 }

  @inline(never)
  mutating func skip() {
    while index < end, bytes[index] != Fields.comma { index += 1 }
    index += 1
  }

  mutating func skipAll() { index = end + 1 }

  /// Moves the cursor to the next field. Returns false if the present field contained characters that were not read.
  @inline(__always)
  private mutating func close() -> Bool {
    if index >= end || bytes[index] == Fields.comma {
      index += 1
      return true
    }
    skip()
    return false
  }

  /// Moves the cursor to the next field if the present field is empty. Returns whether the present field was empty.
  @inline(__always)
  private mutating func closeIfEmpty() -> Bool {
    guard index >= end || bytes[index] == Fields.comma else { return false }
    index &+= 1
    return true
  }

  private func commas(_ range: Range<Int>) -> Int {
    var count = 0
    for index in range where bytes[index] == Fields.comma { count += 1 }
    return count
  }

  // MARK: Unknown fields and errors

  /// Records that the previous field is malformed.
  @inline(never)
  mutating func note() {
    unreadable |= 1 << UInt32(min(commas(content.lowerBound..<min(index - 1, end)), 31))
  }

  /// Records that the previous field is malformed, and returns nil as its value.
  mutating func note<Value>() -> Value? {
    note()
    return nil
  }

  /// Records the first unexpected field as malformed, if the NMEA sentence has more fields than its type allows.
  mutating func noteRest() {
    guard hasMore else { return }
    skip()
    note()
  }

  /// Returns the error for the previous field: malformed, out of range, or too few fields in the sentence.
  func invalid() -> NMEAError {
    guard count >= role.leastFields else { return .fieldCount(role.type, count) }
    return .invalidField(role.type, field: commas(content.lowerBound..<min(index - 1, end)))
  }

  // MARK: Numbers

  /// The powers of ten from 1 to 10^18. Swift's `Double` represents each of them exactly.
  private static let powers: InlineArray<19, UInt64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
  ]

  /// The value of a sequence of digits, and the count of its digits. The value is undefined for more than 19 digits.
  private typealias Digits = (value: UInt64, count: Int)

  /// Reads a sequence of digits, eight at a time. A loop over single digits takes twice as long, because the processor
  /// cannot predict its end. The cursor must be before the end of the content.
  @inline(__always)
  private mutating func digits() -> Digits {
    assert(index <= end)
    let figures = word(bytes, at: index) ^ UInt64(repeatingByte: 0x30)
    // The top bit is set in the first byte that is not a digit.
    let stops = (figures | figures &+ UInt64(repeatingByte: 0x76)) & UInt64(repeatingByte: 0x80)
    let count = stops.trailingZeroBitCount >> 3
    if count == 8 { return manyDigits() }
    index &+= count
    // The shift has two steps, because one shift by 64 bits would have no effect.
    return (Fields.number((figures &<< UInt64(truncatingIfNeeded: 56 &- 8 &* count)) &<< 8), count)
  }

  @inline(never)
  private mutating func manyDigits() -> Digits {
    let start = index
    var value: UInt64 = 0
    while index < end, bytes[index] &- 0x30 < 10 {
      value = value &* 10 &+ UInt64(bytes[index] &- 0x30)
      index += 1
    }
    return (value, index - start)
  }

  /// Converts eight digits (bytes of 0...9) to the decimal number that they form. The first digit is the lowest byte.
  @inline(__always)
  private static func number(_ figures: UInt64) -> UInt64 {
    let pairs = figures &* 10 &+ figures >> 8
    let fours = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let eights = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (fours &+ eights) >> 32
  }

  /// Reads the digits before and after a decimal point. Without a decimal point, `fraction` has no digits.
  @inline(__always)
  private mutating func parts() -> (whole: Digits, fraction: Digits) {
    let whole = digits()
    guard index < end, bytes[index] == UInt8(ascii: ".") else { return (whole, (0, 0)) }
    index += 1
    return (whole, digits())
  }

  /// Reads a whole number of at most eight digits without a sign. Returns nil for an empty or malformed field.
  /// - Parameter notes: whether the function records a malformed field in `unreadable`.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func integer(notes: Bool = true) -> Int? {
    if closeIfEmpty() { return nil }
    let (value, count) = digits()
    let isWhole = close()
    if isWhole, count <= 8 { return Int(truncatingIfNeeded: value) }
    if notes { note() }
    return nil
  }

  /// Reads a number with an optional sign and fraction, to the nearest `Double`; nil for an empty or malformed field.
  @inline(__always)
  mutating func decimal() -> Double? {
    if closeIfEmpty() { return nil }
    return shortDecimal() ?? anyDecimal()
  }

  @inline(never)
  private mutating func anyDecimal() -> Double? {
    let start = index
    let sign = bytes[index]
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
    let (whole, fraction) = parts()
    let (count, decimals) = (whole.count + fraction.count, min(fraction.count, 18))
    guard close(), count > 0, count <= 19, fraction.count == decimals else { return note() }
    let mantissa = whole.value &* Fields.powers[decimals] &+ fraction.value
    guard mantissa <= 1 << 53 else {
      return Double(String(decoding: (start..<index - 1).map { bytes[$0] }, as: UTF8.self)) ?? note()
    }
    // A Double represents both numbers exactly, so one division rounds correctly. (IEEE 754)
    let value = Double(Int64(truncatingIfNeeded: mantissa)) / Double(Int64(truncatingIfNeeded: Fields.powers[decimals]))
    return sign == UInt8(ascii: "-") ? 0 - value : value
  }

  /// Reads a number in the most common format: up to seven characters with a decimal point and without a sign. For any
  /// other format, the function returns nil and does not move the cursor.
  @inline(__always)
  private mutating func shortDecimal() -> Double? {
    let eight = word(bytes, at: index)
    let length = min((eight ^ UInt64(repeatingByte: Fields.comma)).firstZeroByte.trailingZeroBitCount >> 3, end - index)
    let dot = (eight ^ UInt64(repeatingByte: UInt8(ascii: "."))).firstZeroByte.trailingZeroBitCount >> 3
    guard dot < length, length > 1, length < 8 else { return nil }
    // The digits before the dot move one byte forward, over the dot.
    let before = UInt64(1) &<< UInt64(truncatingIfNeeded: dot * 8) &- 1
    let digits = (eight & before) &<< 8 | eight & ~(before &<< 8 | 0xFF)
    let figures = (digits &>> 8 ^ UInt64(repeatingByte: 0x30)) &<< UInt64(truncatingIfNeeded: 72 - 8 * length)
    guard (figures | figures &+ UInt64(repeatingByte: 0x76)) & UInt64(repeatingByte: 0x80) == 0 else { return nil }
    index += length + 1
    return Double(Int64(truncatingIfNeeded: Fields.number(figures)))
      / Double(Int64(truncatingIfNeeded: Fields.powers[length - dot - 1]))
  }

  /// Reads a number and rounds the value to a whole number. Returns nil for an empty or malformed field.
  @inline(__always)
  mutating func whole() -> Int? {
    let start = index
    if let value = integer(notes: false) { return value }
    return index == start &+ 1 ? nil : rounded(from: start)
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func rounded(from start: Int) -> Int? {
    index = start
    return decimal().flatMap { Int(exactly: $0.rounded()) }
  }

  /// One satellite in view: satellite number, elevation in degrees, azimuth in degrees, and signal strength in dB-Hz.
  /// An unknown value is `Int16.min`, and an unknown satellite number is 0.
  typealias InView = SIMD4<Int16>

  @inline(never)
  mutating func satellite() -> InView {
    InView(
      Int16(clamping: satelliteNumber() ?? 0), Int16(clamping: whole() ?? .min), Int16(clamping: whole() ?? .min),
      Int16(clamping: whole() ?? .min))
  }

  /// Reads the four fields of a satellite in the most common format, `02,17,308,41`, or without the signal strength.
  /// For any other format, the function returns nil and does not move the cursor.
  ///
  /// Most of the data consists of satellites, and separate reading of the fields takes three times as long.
  @inline(__always)
  mutating func commonSatellite() -> InView? {
    guard index &+ 16 <= bytes.count else { return nil }
    // Digits become their values, and commas become 0. The top bit of each other byte is set.
    let first = word(bytes, unchecked: index) ^ 0x3030_2C30_302C_3030
    let second = word(bytes, unchecked: index &+ 8) ^ 0x3030_2C30
    guard (first | first &+ 0x7676_7F76_767F_7676) & 0x8080_8080_8080_8080 == 0,
      (second & 0xFFFF | second & 0xFFFF &+ 0x7F76) & 0x8080 == 0
    else { return nil }
    let pairs = first &* 10 &+ first >> 8
    var strength = Int16.min
    var length = 10
    if (second & 0xFFFF_0000 | second & 0xFFFF_0000 &+ 0x7676_0000) & 0x8080_0000 == 0 {
      strength = Int16(truncatingIfNeeded: (second >> 16 & 0xFF) &* 10 &+ (second >> 24 & 0xFF))
      length = 12
    }
    guard index &+ length == end || index &+ length < end && bytes[index &+ length] == Fields.comma else { return nil }
    index &+= length &+ 1
    return InView(
      Int16(truncatingIfNeeded: pairs & 0xFF), Int16(truncatingIfNeeded: pairs >> 24 & 0xFF),
      Int16(truncatingIfNeeded: (pairs >> 48 & 0xFF) &* 10 &+ (second & 0xFF)), strength)
  }

  /// Reads a satellite number of up to four digits; nil if the number is 0, missing or malformed.
  @inline(__always)
  mutating func satelliteNumber() -> Int? {
    guard let number = integer() else { return nil }
    return number == 0 ? nil : number < 10_000 ? number : note()
  }

  /// Reads one hexadecimal digit, such as the identifier of a signal; nil for an empty or malformed field.
  mutating func hexadecimal() -> Int? {
    switch letter() {
    case 0: nil
    case let digit? where (0x30...0x39).contains(digit): Int(digit) - 0x30
    case let letter? where (0x41...0x46).contains(letter & 0xDF): Int(letter & 0xDF) - 0x37
    default: note()
    }
  }

  // MARK: Letters

  /// Reads a field of one character. Returns 0 for an empty field, and nil for a field with more characters.
  @inline(__always)
  mutating func letter() -> UInt8? {
    guard index < end, bytes[index] != Fields.comma else {
      index += 1
      return 0
    }
    let letter = bytes[index]
    index += 1
    return close() ? letter : nil
  }

  mutating func text() -> String {
    let start = index
    skip()
    return String(decoding: (start..<index - 1).map { bytes[$0] }, as: UTF8.self)
  }

  /// Reads the validity of the position: true for `A` (valid) and `D` (valid, with corrections), false for `V` or `N`
  /// (invalid) and for an empty field.
  /// - Throws: an error for any other field.
  mutating func status() throws(NMEAError) -> Bool {
    switch letter() {
    case UInt8(ascii: "A"), UInt8(ascii: "D"): return true
    case UInt8(ascii: "V"), UInt8(ascii: "N"), 0: return false
    default: throw invalid()
    }
  }

  // MARK: Time

  /// Reads a time of day: `hhmmss`, `hhmmss.` or `hhmmss.s…` with up to nine decimals. Returns nil for an empty
  /// field. Leading zeros may be missing: `84507.00` is 08:45:07.
  /// - Throws: an error for a malformed time.
  mutating func time() throws(NMEAError) -> TimeOfDay? {
    let start = index
    let (whole, fraction) = parts()
    let isWhole = close()
    if isWhole, index == start + 1 { return nil }
    guard isWhole, (1...6).contains(whole.count), fraction.count <= 9 else { throw invalid() }
    let clock = Int(whole.value)
    let nanosecond = Int(fraction.value &* Fields.powers[9 - fraction.count])
    guard
      let time = TimeOfDay(
        hour: clock / 10_000, minute: clock / 100 % 100, second: clock % 100, nanosecond: nanosecond),
      // A leap second is 23:59:60 in UTC.
      time.second < 60 || clock == 235_960
    else { throw invalid() }
    return time
  }

  /// Reads a date `ddmmyy`. The years 80…99 are 1980…1999, because GPS time begins in 1980. Other years are
  /// 2000…2079. Returns nil for an empty or malformed field, and for zeros or a year of `-1`, which mean an unknown
  /// date.
  mutating func date() -> UTCDate? {
    let (value, count) = digits()
    if count == 4, index < end, bytes[index] == UInt8(ascii: "-") {
      skip()
      return nil
    }
    let isWhole = close()
    if isWhole, count == 0 { return nil }
    guard isWhole, count == 6 else { return note() }
    let year = Int(value % 100)
    return existing(
      year: year < 80 ? 2000 + year : 1900 + year, month: Int(value / 100 % 100), day: Int(value / 10_000))
  }

  /// Reads a date from three fields: day, month, and four-digit year. Returns nil if the date is missing or malformed.
  mutating func dayMonthYear() -> UTCDate? {
    let (day, month) = (integer(), integer())
    guard let year = decimal(), year >= 1, let day, let month else { return nil }
    return existing(year: Int(exactly: year) ?? 0, month: month, day: day)
  }

  @_lifetime(self: copy self)
  private mutating func existing(year: Int, month: Int, day: Int) -> UTCDate? {
    day == 0 || month == 0 ? nil : UTCDate(year: year, month: month, day: day) ?? note()
  }

  // MARK: Position

  /// Reads a latitude and a longitude from four fields. Returns nil if all fields are empty, or contain 360 degrees,
  /// which some receivers write without a fix.
  /// - Throws: an error if latitude or longitude is missing, a number has a sign, the minutes are 60 or more, or a
  ///   letter is missing.
  mutating func coordinate() throws(NMEAError) -> Coordinate? {
    let latitude = try angle(positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"))
    guard hasMore else { throw invalid() }
    let longitude = try angle(positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"))
    if latitude == nil, longitude == nil { return nil }
    guard let latitude, let longitude, let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw invalid()
    }
    return coordinate
  }

  @_lifetime(self: copy self)
  private mutating func angle(positive: UInt8, negative: UInt8) throws(NMEAError) -> Double? {
    let start = index
    let (whole, fraction) = parts()
    let isWhole = close()
    let isEmpty = isWhole && index == start + 1
    let (degrees, minutes) = whole.value.quotientAndRemainder(dividingBy: 100)
    // The two digits before the dot are minutes, and the digits before them are degrees. Some senders omit the leading
    // zeros of the degrees, and the dot if there are no decimals.
    let isAngle = isWhole && (1...5).contains(whole.count) && fraction.count <= 11 && minutes < 60
    guard isEmpty || isAngle, let letter = letter() else { throw invalid() }
    // Some receivers write the letter even if the number is missing, and 360 degrees without a fix.
    if isEmpty, letter == 0 || letter == positive || letter == negative { return nil }
    if whole.value == 36_000, fraction.value == 0 { return nil }
    guard !isEmpty, letter == positive || letter == negative else { throw invalid() }
    // Numerator and denominator are integers below 2^53, so only the division rounds.
    let power = Fields.powers[fraction.count]
    let numerator = (degrees &* 60 &+ minutes) &* power &+ fraction.value
    let value = Double(Int64(truncatingIfNeeded: numerator)) / Double(Int64(truncatingIfNeeded: 60 &* power))
    return letter == positive ? value : 0 - value
  }
}
