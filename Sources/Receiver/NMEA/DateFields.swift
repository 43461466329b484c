import Base

extension Fields {
  /// Reads a date `ddmmyy`. The years 80…99 are 1980…1999, because GPS time begins in 1980. Other years are 2000…2079.
  /// Returns nil if the field is empty, or contains zeros or a year of `-1`, which mean an unknown date.
  @inline(__always)
  mutating func date(in bytes: Span<UInt8>) -> UTCDate? {
    let field = next(in: bytes)
    if field.isEmpty { return nil }
    guard field.length == 6 else { return note(in: bytes) }
    if field.word >> 32 == 0x312D { return nil }  // "-1"
    guard let (day, month, year) = Digits.pairs(field.raw) else { return note(in: bytes) }
    return existing(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day, in: bytes)
  }

  /// Reads day, month and four-digit year from three fields. Returns nil if the receiver does not know the date.
  mutating func dayMonthYear(in bytes: Span<UInt8>) -> UTCDate? {
    let day = integer(in: bytes)
    let month = integer(in: bytes)
    let field = next(in: bytes)
    guard let day, let month, !field.isEmpty, field.word != 0x312D else { return nil }
    guard field.length <= 4, let year = Digits.number(field.word, count: field.length) else { return note(in: bytes) }
    if year == 0 { return nil }
    return existing(year: Int(year), month: month, day: day, in: bytes)
  }

  @inline(__always)
  private mutating func existing(year: Int, month: Int, day: Int, in bytes: Span<UInt8>) -> UTCDate? {
    if day == 0 || month == 0 { return nil }
    guard let date = UTCDate(year: year, month: month, day: day) else { return note(in: bytes) }
    return date
  }
}
