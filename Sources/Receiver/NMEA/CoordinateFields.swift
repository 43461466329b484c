import Framing
import GNSS

/// Readers for latitude and longitude: `ddmm.mmmm,N,dddmm.mmmm,E`.
extension Fields {
  /// Reads a coordinate from four fields. Returns nil if all fields are empty, or contain 360 degrees, which some
  /// receivers write without a fix.
  /// - Throws: `invalidField` if latitude or longitude is missing, a number has a sign, the minutes are 60 or more, or
  ///   a letter is missing.
  @inline(__always)
  mutating func coordinate(in bytes: Span<UInt8>) throws(NMEAError) -> Coordinate? {
    var ahead = self
    let latitude = ahead.commonAngle(degreeDigits: 2, positive: 0x4E, negative: 0x53, in: bytes)
    let longitude = ahead.commonAngle(degreeDigits: 3, positive: 0x45, negative: 0x57, in: bytes)
    if let latitude, let longitude, let coordinate = Coordinate(latitude: latitude, longitude: longitude) {
      self = ahead
      return coordinate
    }
    // The function for other formats changes a copy of the cursor, so that the compiler can keep the original cursor in
    // registers.
    var other = self
    let coordinate = try other.anyCoordinate(in: bytes)
    self = other
    return coordinate
  }

  /// Reads a coordinate of a sentence that may report no fix. A receiver without a fix may write any placeholder, such as
  /// 720 degrees.
  /// - Returns: The error, which the caller throws if the sentence reports a fix; nil if the coordinate was read.
  @inline(__always)
  mutating func readCoordinate(_ coordinate: inout Coordinate?, in bytes: Span<UInt8>) -> NMEAError? {
    do throws(NMEAError) {
      coordinate = try self.coordinate(in: bytes)
      return nil
    } catch {
      for _ in 0..<4 { skip(in: bytes) }
      coordinate = note(in: bytes)
      return error
    }
  }

  /// Reads an angle with one to eight decimals and the letter of the hemisphere. Returns nil for other formats.
  @inline(__always)
  private mutating func commonAngle(degreeDigits: Int, positive: UInt8, negative: UInt8, in bytes: Span<UInt8>)
    -> Double?
  {
    let field = next(in: bytes)
    let side = next(in: bytes)
    let whole = degreeDigits &+ 2
    let decimals = field.length &- whole &- 1
    let letter = UInt8(truncatingIfNeeded: side.raw)
    guard decimals > 0, decimals <= 8, side.length == 1, letter == positive || letter == negative else { return nil }
    // `digits` contains the values of the digits before the dot, and 0 in place of the dot. Zeros are added on the
    // left, so that there are three pairs of digits: hundreds of degrees, degrees, and minutes.
    let added = UInt64(truncatingIfNeeded: (6 &- whole) &* 8)
    let digits = (field.raw &<< added) ^ ((0x002E_3030_3030_3030 &>> added) &<< added)
    guard (digits | (digits &+ 0x007F_7676_7676_7676)) & 0x0080_8080_8080_8080 == 0,
      let fraction = Digits.number(word(at: field.start &+ whole &+ 1, in: bytes), count: decimals)
    else { return nil }
    let pairs = digits &* 10 &+ digits >> 8
    let degrees = (pairs & 0xFF) &* 100 &+ (pairs >> 16 & 0xFF)
    let minutes = pairs >> 32 & 0xFF
    guard minutes < 60 else { return nil }
    // Numerator and denominator are integers below 2^53, so only the division rounds.
    let numerator = (degrees &* 60 &+ minutes) &* Digits.integerPowers[decimals] &+ fraction
    let value = Double(Int64(truncatingIfNeeded: numerator)) / Digits.minutePowers[decimals]
    return letter == positive ? value : 0 - value
  }

  @inline(never)
  private mutating func anyCoordinate(in bytes: Span<UInt8>) throws(NMEAError) -> Coordinate? {
    let latitude = try angle(positive: 0x4E, negative: 0x53, in: bytes)
    let longitude = try angle(positive: 0x45, negative: 0x57, in: bytes)
    switch (latitude, longitude) {
    case (.degrees(let latitude), .degrees(let longitude)):
      guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw invalid(in: bytes) }
      return coordinate
    case (.nothing, .nothing): return nil
    default: throw invalid(in: bytes)
    }
  }

  private enum Angle {
    case degrees(Double)
    case nothing
  }

  private mutating func angle(positive: UInt8, negative: UInt8, in bytes: Span<UInt8>) throws(NMEAError) -> Angle {
    let field = next(in: bytes)
    guard !field.isEmpty else {
      // Some receivers write the letter even if the number is missing.
      let letter = try letter(in: bytes)
      guard letter == 0 || letter == positive || letter == negative else { throw invalid(in: bytes) }
      return .nothing
    }
    // The two digits before the dot are minutes, and the digits before them are degrees. Some senders omit the leading
    // zeros of the degrees, and the dot if there are no decimals.
    let dots = (field.word ^ UInt64(repeatingByte: 0x2E)).firstZeroByte
    let whole = dots == 0 ? field.length : min(dots.trailingZeroBitCount >> 3, field.length)
    let decimals = max(field.length &- whole &- 1, 0)
    guard (1...5).contains(whole), decimals <= 11, let minutes = Digits.number(field.raw, count: whole),
      let fraction = decimals == 0 ? 0 : digits(at: field.start &+ whole &+ 1, count: decimals, in: bytes)
    else { throw invalid(in: bytes) }
    guard minutes % 100 < 60 else { throw invalid(in: bytes) }
    let letter = try letter(in: bytes)
    // Some receivers write 360 degrees without a fix.
    if minutes == 36_000, fraction == 0 { return .nothing }
    guard letter == positive || letter == negative else { throw invalid(in: bytes) }
    // Numerator and denominator are integers, so only the division rounds.
    let power = Digits.integerPowers[decimals]
    let numerator = (minutes / 100 &* 60 &+ minutes % 100) &* power &+ fraction
    let value = Digits.quotient(numerator, 60 &* power)
    return .degrees(letter == positive ? value : 0 - value)
  }
}
