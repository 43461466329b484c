import Clocks

/// A writer of NMEA 0183 sentences: `$`, fields between commas, `*`, checksum, CR LF.
struct SentenceWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Writes a sentence with an address, for example `GNRMC`. An empty field means that the value is unknown.
  mutating func write(_ address: String, _ fields: [String]) {
    let body = ([address] + fields).joined(separator: ",")
    let checksum = body.utf8.reduce(UInt8(0), ^)
    let digits = String(checksum, radix: 16, uppercase: true)
    bytes += "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n".utf8
  }

  /// Returns a rounded decimal. The integer part has at least `width` digits.
  static func decimal(_ value: Double, places: Int, width: Int = 1) -> String {
    var scale: Int64 = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int64((value.magnitude * Double(scale)).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    let whole = integer(Int(scaled / scale), width: width)
    return sign + whole + (places == 0 ? "" : "." + integer(Int(scaled % scale), width: places))
  }

  static func integer(_ value: Int, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Returns an angle as `ddmm.mmmmm` and `N` or `S`, or as `dddmm.mmmmm` and `E` or `W`.
  static func angle(_ degrees: Double, degreeDigits: Int, positive: String, negative: String) -> [String] {
    let total = Int((degrees.magnitude * 60 * 100_000).rounded())
    let (whole, minutes) = total.quotientAndRemainder(dividingBy: 60 * 100_000)
    let text =
      integer(whole, width: degreeDigits) + integer(minutes / 100_000, width: 2) + "."
      + integer(minutes % 100_000, width: 5)
    return [text, degrees < 0 ? negative : positive]
  }

  static func time(_ time: TimeOfDay) -> String {
    integer(time.hour, width: 2) + integer(time.minute, width: 2) + integer(time.second, width: 2) + "."
      + integer(time.nanosecond / 10_000_000, width: 2)
  }

  static func date(_ date: UTCDate) -> String {
    integer(date.day, width: 2) + integer(date.month, width: 2) + integer(date.year % 100, width: 2)
  }
}
