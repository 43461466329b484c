extension UTCTime {
  /// Parses a time in ISO 8601, for example `2026-11-21T07:31:34.200Z`, with 0...9 decimals of the second. Returns nil
  /// for other texts and for a time that does not exist.
  public init?(iso8601 text: String) {
    var rest = text.utf8[...]
    func consume(_ character: Unicode.Scalar) -> Bool { rest.popFirst() == UInt8(ascii: character) }
    func number(_ width: Int) -> Int? {
      let digits = rest.prefix(width)
      guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest = rest.dropFirst(width)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let year = number(4), consume("-"), let month = number(2), consume("-"), let day = number(2), consume("T"),
      let hour = number(2), consume(":"), let minute = number(2), consume(":"), let second = number(2)
    else { return nil }
    var nanosecond = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      let width = rest.prefix { $0 != UInt8(ascii: "Z") }.count
      guard (1...9).contains(width), let digits = number(width) else { return nil }
      nanosecond = (width..<9).reduce(digits) { value, _ in value * 10 }
    }
    guard consume("Z"), rest.isEmpty, let date = UTCDate(year: year, month: month, day: day),
      let timeOfDay = TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
    else { return nil }
    self.init(date: date, timeOfDay: timeOfDay)
  }
}
