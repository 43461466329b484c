import Base
import Framing
import GNSS

/// Readers of fields. A reader returns nil for an empty field.
///
/// The time, the position and its validity decide about a sentence: their readers throw an error for a malformed field.
/// Every other malformed field is unknown: its reader returns nil, and notes the field in `unreadable`.
extension Fields {
  /// Reads a number that has at most eight digits, no sign and no fraction.
  @inline(__always)
  mutating func integer(in bytes: Span<UInt8>) -> Int? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    guard field.length <= 8, let value = Digits.number(field.raw, count: field.length) else { return note(in: bytes) }
    return Int(truncatingIfNeeded: value)
  }

  /// Reads a number of up to three digits. The value is -1 for an empty field, and -2 for any other text.
  @inline(__always)
  mutating func small(in bytes: Span<UInt8>) -> (value: Int, field: Field) {
    let field = next(in: bytes)
    guard field.length <= 3 else { return (-2, field) }
    return (Digits.small(UInt32(truncatingIfNeeded: field.raw), count: field.length), field)
  }

  /// Reads a number with an optional sign and an optional fraction. Returns the nearest Double.
  @inline(__always)
  mutating func decimal(in bytes: Span<UInt8>) -> Double? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    if field.length == 4, let value = Fields.hundredths(field) { return value }
    if let value = Fields.commonDecimal(field) { return value }
    let other = field.length <= 8 ? Fields.shortDecimal(field) : Fields.longDecimal(field, in: bytes)
    guard let other else { return note(in: bytes) }
    return other
  }

  /// Returns a number in the format `1.23`, which is common for dilutions. Returns nil for other formats.
  @inline(__always)
  private static func hundredths(_ field: Field) -> Double? {
    let digits = UInt32(truncatingIfNeeded: field.raw) ^ 0x3030_2E30
    // In a field of another format, the top bit of at least one byte is set. The addition of 0x76 sets the top bit of a
    // byte that is not a digit. The addition of 0x7F sets the top bit of the dot's byte if that byte is not a dot.
    guard (digits | (digits &+ 0x7676_7F76)) & 0x8080_8080 == 0 else { return nil }
    let pair = (digits >> 16 & 0xFF) &* 10 &+ digits >> 24
    return Double(Int32(truncatingIfNeeded: (digits & 0xFF) &* 100 &+ pair)) / 100
  }

  /// Returns the number in a field of up to eight bytes with a dot and no sign; nil for other formats.
  @inline(__always)
  private static func commonDecimal(_ field: Field) -> Double? {
    guard field.length > 1, field.length <= 8 else { return nil }
    // The shift moves the last byte of the field to the highest byte of the word, so the low bytes are 0.
    let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* field.length)
    let aligned = field.raw &<< shift
    let dots = (aligned ^ UInt64(repeatingByte: 0x2E)).firstZeroByte
    guard dots != 0 else { return nil }
    // `dot` is the top bit of the dot's byte. `digits` is the field without the dot.
    let dot = dots & (0 &- dots)
    let digits = (aligned & ~((dot &<< 1) &- 1)) | ((aligned & ((dot &>> 7) &- 1)) &<< 8)
    guard let mantissa = Digits.number(aligned: digits, zeros: UInt64(repeatingByte: 0x30) &<< (shift &+ 8)) else {
      return nil
    }
    return Double(Int64(truncatingIfNeeded: mantissa)) / Digits.powers[dot.leadingZeroBitCount &>> 3]
  }

  /// Returns the number in a field of up to eight bytes in any format; nil if the field is not a number.
  @inline(never)
  static func shortDecimal(_ field: Field) -> Double? {
    var eight = field.word
    var count = field.length
    let isNegative = eight & 0xFF == 0x2D
    if isNegative || eight & 0xFF == 0x2B {
      eight >>= 8
      count &-= 1
    }
    var fraction = 0
    let dots = (eight ^ UInt64(repeatingByte: 0x2E)).firstZeroByte
    if dots != 0 {
      let dot = dots.trailingZeroBitCount >> 3
      let below = (1 &<< UInt64(truncatingIfNeeded: dot &* 8)) &- 1
      eight = eight & below | eight >> 8 & ~below
      count &-= 1
      fraction = count &- dot
    }
    guard count > 0, let mantissa = Digits.number(eight, count: count) else { return nil }
    let value = Double(mantissa) / Digits.powers[fraction]
    return isNegative ? 0 - value : value
  }

  /// Returns a number of up to 19 digits, with at most 18 digits after the dot; nil for any other field.
  @inline(never)
  private static func longDecimal(_ field: Field, in bytes: Span<UInt8>) -> Double? {
    var index = field.start
    let end = field.start + field.length
    let isNegative = bytes[index] == 0x2D
    if isNegative || bytes[index] == 0x2B { index += 1 }
    var mantissa: UInt64 = 0
    var digits = 0
    var fraction: Int?
    while index < end {
      if bytes[index] == 0x2E, fraction == nil {
        fraction = 0
      } else {
        let digit = bytes[index] &- 0x30
        guard digit < 10, digits < 19 else { return nil }
        mantissa = mantissa * 10 + UInt64(digit)
        if mantissa > 0 { digits += 1 }
        if let decimals = fraction {
          guard decimals < 18 else { return nil }
          fraction = decimals + 1
        }
      }
      index += 1
    }
    let value = Digits.quotient(mantissa, Digits.integerPowers[fraction ?? 0])
    return isNegative ? 0 - value : value
  }

  /// Reads one character of a field that decides about the sentence. The result is 0 if the field is empty.
  @inline(__always)
  mutating func letter(in bytes: Span<UInt8>) throws(NMEAError) -> UInt8 {
    let field = next(in: bytes)
    guard field.length <= 1 else { throw invalid(in: bytes) }
    return field.length == 0 ? 0 : UInt8(truncatingIfNeeded: field.raw)
  }

  /// Reads the letter of a value's unit, which may be missing. Returns the value; nil for another unit, because the
  /// value has another meaning then.
  @inline(__always)
  mutating func value(_ value: Double?, unit expected: UInt8, in bytes: Span<UInt8>) -> Double? {
    let field = next(in: bytes)
    if field.isEmpty { return value }
    guard field.length == 1, UInt8(truncatingIfNeeded: field.raw) == expected else { return note(in: bytes) }
    return value
  }

  /// Reads a time of day: `hhmmss`, `hhmmss.` or `hhmmss.s…` with up to nine decimals.
  @inline(__always)
  mutating func time(in bytes: Span<UInt8>) throws(NMEAError) -> TimeOfDay? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    guard field.length >= 6, let clock = Digits.pairs(field.raw) else { return try timeWithoutZeros(field, in: bytes) }
    var nanosecond = 0
    if field.length > 6 {
      let decimals = field.length &- 7
      guard field.raw >> 48 & 0xFF == 0x2E, decimals <= 9 else { throw invalid(in: bytes) }
      if decimals > 0 {
        guard let fraction = digits(at: field.start &+ 7, count: decimals, in: bytes) else { throw invalid(in: bytes) }
        nanosecond = Int(fraction &* Digits.integerPowers[9 &- decimals])
      }
    }
    guard let time = TimeOfDay(hour: clock.0, minute: clock.1, second: clock.2, nanosecond: nanosecond) else {
      throw invalid(in: bytes)
    }
    return time
  }

  /// Returns the time in a field without leading zeros, as some converters write it: `84507.00` for 08:45:07.
  @inline(never)
  private func timeWithoutZeros(_ field: Field, in bytes: Span<UInt8>) throws(NMEAError) -> TimeOfDay {
    let dots = (field.word ^ UInt64(repeatingByte: 0x2E)).firstZeroByte
    let whole = dots == 0 ? field.length : min(dots.trailingZeroBitCount >> 3, field.length)
    let decimals = field.length &- whole &- 1
    guard (1...5).contains(whole), decimals <= 9, let clock = Digits.number(field.raw, count: whole),
      let fraction = decimals > 0 ? digits(at: field.start &+ whole &+ 1, count: decimals, in: bytes) : 0,
      let time = TimeOfDay(
        hour: Int(clock / 10_000), minute: Int(clock / 100 % 100), second: Int(clock % 100),
        nanosecond: Int(fraction &* Digits.integerPowers[9 &- max(decimals, 0)]))
    else { throw invalid(in: bytes) }
    return time
  }

  /// Parses one to sixteen digits at any position in the content. Returns nil if a byte is not a digit.
  @inline(__always)
  func digits(at start: Int, count: Int, in bytes: Span<UInt8>) -> UInt64? {
    count <= 8
      ? Digits.number(word(at: start, in: bytes), count: count) : Fields.manyDigits(bytes, at: start, count: count)
  }

  // The function is static, because a method would need a copy of the cursor in memory.
  @inline(never)
  private static func manyDigits(_ bytes: Span<UInt8>, at start: Int, count: Int) -> UInt64? {
    guard count <= 16, let high = Digits.number(Framing.word(bytes, at: start), count: 8),
      let low = Digits.number(Framing.word(bytes, at: start &+ 8), count: count &- 8)
    else { return nil }
    return high &* Digits.integerPowers[count &- 8] &+ low
  }
}
