extension UTCTime {
  /// Parses a time in ISO 8601, for example `2026-11-21T07:31:34.200Z` or `2026-11-21T08:31:34.200+01:00`.
  ///
  /// The separators may be absent (`20261121T073134Z`), the `T` may be a space, and the letters may be lower case, as
  /// in RFC 3339. The seconds may be absent, or may have 1 to 9 decimals after a point or a comma. 24:00 is the end of
  /// a day. Returns nil for other texts, for a time that does not exist, and for a time without an offset from UTC.
  public init?(iso8601 text: String) {
    var reader = Reader(rest: text.utf8[...])
    guard let day = reader.date(), reader.consume("T", "t", " "), let local = reader.localTime(),
      let offset = reader.offset(), reader.rest.isEmpty
    else { return nil }
    // An offset has whole minutes, so a leap second keeps its number.
    let minutes = day.daysSince1970 * 1440 + local.minute - offset
    let days = (minutes >= 0 ? minutes : minutes - 1439) / 1440
    let minute = minutes - days * 1440
    guard let date = UTCDate(daysSince1970: days),
      let timeOfDay = TimeOfDay(
        hour: minute / 60, minute: minute % 60, second: local.second, nanosecond: local.nanosecond)
    else { return nil }
    self.init(date: date, timeOfDay: timeOfDay)
  }
}

private struct Reader {
  var rest: Substring.UTF8View

  mutating func consume(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = rest.first, characters.contains(where: { UInt8(ascii: $0) == first }) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ width: Int) -> Int? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(width)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  mutating func date() -> UTCDate? {
    guard let year = number(4) else { return nil }
    let isExtended = consume("-")
    guard let month = number(2), consume("-") == isExtended, let day = number(2) else { return nil }
    return UTCDate(year: year, month: month, day: day)
  }

  /// Reads a time of day, 00:00...24:00. The result `minute` is the count of whole minutes since midnight. Returns nil
  /// if the text does not begin with a time of day.
  mutating func localTime() -> (minute: Int, second: Int, nanosecond: Int)? {
    guard let hour = number(2) else { return nil }
    let isExtended = consume(":")
    guard let minute = number(2), minute < 60 else { return nil }
    var (second, nanosecond) = (0, 0)
    if isExtended ? consume(":") : rest.first.map({ (0x30...0x39).contains($0) }) == true {
      guard let whole = number(2), let decimals = decimals() else { return nil }
      (second, nanosecond) = (whole, decimals)
    }
    let isEndOfDay = hour == 24 && (minute, second, nanosecond) == (0, 0, 0)
    return hour < 24 || isEndOfDay ? (hour * 60 + minute, second, nanosecond) : nil
  }

  /// Reads the decimals of a second as nanoseconds; 0 if the text has no decimals. Returns nil if the point is followed
  /// by no digit, or by more than nine digits.
  private mutating func decimals() -> Int? {
    guard consume(".", ",") else { return 0 }
    let width = rest.prefix { (0x30...0x39).contains($0) }.count
    guard (1...9).contains(width), let digits = number(width) else { return nil }
    return (width..<9).reduce(digits) { value, _ in value * 10 }
  }

  /// Reads an offset from UTC, as in `+01:00`, in minutes. Returns nil if the text does not begin with an offset.
  mutating func offset() -> Int? {
    if consume("Z", "z") { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard consume("+", "-"), let hour = number(2), hour < 24 else { return nil }
    guard !rest.isEmpty else { return isWest ? -60 * hour : 60 * hour }
    _ = consume(":")
    guard let minute = number(2), minute < 60 else { return nil }
    return (isWest ? -1 : 1) * (60 * hour + minute)
  }
}
