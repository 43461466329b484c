import Base
import LineProtocol

/// Adds dates and times as JSON values, for sentences that contain the date and the time in separate fields.
extension TextBuffer {
  mutating func add(_ key: String, _ date: UTCDate?) {
    guard let date else { return }
    begin(key)
    append(ascii: "\"")
    append(date.year, digits: 4)
    append(ascii: "-")
    append(date.month, digits: 2)
    append(ascii: "-")
    append(date.day, digits: 2)
    append(ascii: "\"")
  }

  /// Adds a time as in `07:31:34.200`. A time with more than three decimals is written with nine decimals.
  mutating func add(_ key: String, _ time: TimeOfDay?) {
    guard let time else { return }
    begin(key)
    append(ascii: "\"")
    append(time.hour, digits: 2)
    append(ascii: ":")
    append(time.minute, digits: 2)
    append(ascii: ":")
    append(time.second, digits: 2)
    append(ascii: ".")
    let (milliseconds, rest) = time.nanosecond.quotientAndRemainder(dividingBy: 1_000_000)
    append(milliseconds, digits: 3)
    if rest > 0 { append(rest, digits: 6) }
    append(ascii: "\"")
  }

  private mutating func append(_ value: Int, digits: Int) {
    var bound = 10
    for _ in 1..<digits {
      if value < bound { append(ascii: "0") }
      bound *= 10
    }
    append(Int64(value))
  }
}
