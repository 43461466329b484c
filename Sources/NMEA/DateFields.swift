import Clocks

/// Days as sentences write them.
extension Fields {
  /// `ddmmyy`. Nil where the receiver does not know: empty, zeros, a year of `-1`.
  ///
  /// Years 80…99 are 1980…1999, since GPS time begins in 1980; others are 2000…2079.
  @inline(always)
  @_lifetime(self: copy self)
  mutating func date() throws(NMEAError) -> UTCDate? {
    let field = next()
    if field.isEmpty { return nil }
    guard field.length == 6 else { throw invalid }
    if field.word >> 32 == 0x312D { return nil }  // "-1"
    guard let (day, month, year) = Digits.pairs(field.raw) else { throw invalid }
    return try existing(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
  }

  /// Day, month and year of four digits, each in its own field.
  @_lifetime(self: copy self)
  mutating func dayMonthYear() throws(NMEAError) -> UTCDate? {
    let day = try integer()
    let month = try integer()
    let field = next()
    guard let day, let month, !field.isEmpty, field.word != 0x312D else { return nil }
    guard field.length <= 4, let year = Digits.number(field.word, count: field.length) else { throw invalid }
    if year == 0 { return nil }
    return try existing(year: Int(year), month: month, day: day)
  }

  @inline(__always)
  private func existing(year: Int, month: Int, day: Int) throws(NMEAError) -> UTCDate? {
    if day == 0 || month == 0 { return nil }
    guard let date = UTCDate(year: year, month: month, day: day) else { throw invalid }
    return date
  }
}
