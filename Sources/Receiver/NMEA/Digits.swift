/// Exact conversions of decimal digits to numbers.
enum Digits {
  /// Parses 1...8 ASCII digits in the low bytes of a word. Returns nil if a byte is not a digit.
  @inline(__always)
  static func number(_ word: UInt64, count: Int) -> UInt64? {
    let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    return number(aligned: word &<< shift, zeros: 0x3030_3030_3030_3030 &<< shift)
  }

  /// Parses ASCII digits in the high bytes of a word. Returns nil if a byte is not a digit.
  /// - Parameter zeros: A word with the character `0` at the position of each digit, and 0 in the other bytes.
  @inline(__always)
  static func number(aligned word: UInt64, zeros: UInt64) -> UInt64? {
    // If a byte is not a digit, the top bit is set in its value, or in the sum of its value and 0x76.
    let values = word &- zeros
    guard (values | (values &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let pairs = values &* 10 &+ values >> 8
    let fours = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let eights = (pairs >> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (fours &+ eights) >> 32
  }

  /// Parses three numbers of two digits each in the low six bytes. Returns nil if a byte is not a digit.
  @inline(__always)
  static func pairs(_ word: UInt64) -> (Int, Int, Int)? {
    let values = (word & 0xFFFF_FFFF_FFFF) ^ 0x3030_3030_3030
    guard (values | (values &+ 0x7676_7676_7676)) & 0x8080_8080_8080 == 0 else { return nil }
    let pairs = values &* 10 &+ values >> 8
    return (
      Int(truncatingIfNeeded: pairs & 0xFF), Int(truncatingIfNeeded: pairs >> 16 & 0xFF),
      Int(truncatingIfNeeded: pairs >> 32 & 0xFF)
    )
  }

  /// Parses up to three ASCII digits in the low bytes. Returns -1 without digits, and -2 if a byte is not a digit.
  @inline(__always)
  static func small(_ word: UInt32, count: Int) -> Int {
    let shift = UInt32(truncatingIfNeeded: 32 &- 8 &* count) & 31
    let values = (word &<< shift) &- (0x3030_3030 &<< shift)
    if (values | (values &+ 0x7676_7676)) & 0x8080_8080 != 0 { return count == 0 ? -1 : -2 }
    let pairs = values &* 10 &+ values >> 8
    return Int(truncatingIfNeeded: (pairs & 0xFF) &* 100 &+ (pairs >> 16 & 0xFF))
  }

  /// The powers of ten 10^0...10^22. A Double represents each of them exactly.
  static let powers: InlineArray<23, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  static let minutePowers: InlineArray<9, Double> = [60, 6e2, 6e3, 6e4, 6e5, 6e6, 6e7, 6e8, 6e9]

  static let integerPowers: InlineArray<19, UInt64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
  ]

  /// Returns the Double nearest to `numerator / denominator`. The denominator must be below 2^63.
  ///
  /// If a Double represents both numbers exactly, one division rounds correctly (IEEE 754). Otherwise, the function
  /// divides 128-bit integers and keeps the remainder as a sticky bit below the rounding bit.
  @inline(__always)
  static func quotient(_ numerator: UInt64, _ denominator: UInt64) -> Double {
    if numerator <= 1 << 53, denominator <= 1 << 53 {
      // The conversion of a signed integer takes only one processor instruction.
      return Double(Int64(truncatingIfNeeded: numerator)) / Double(Int64(truncatingIfNeeded: denominator))
    }
    return exactQuotient(numerator, denominator)
  }

  @inline(never)
  private static func exactQuotient(_ numerator: UInt64, _ denominator: UInt64) -> Double {
    guard numerator > 0 else { return 0 }
    // The quotient gets at least 64 bits. The result needs 53 bits for the Double and one bit for rounding.
    let shift = numerator.leadingZeroBitCount + 64
    let (whole, rest) = (UInt128(numerator) << UInt128(shift)).quotientAndRemainder(dividingBy: UInt128(denominator))
    let sticky = whole | (rest == 0 ? 0 : 1)
    return Double(sticky) * Double(sign: .plus, exponent: -shift, significand: 1)
  }
}
