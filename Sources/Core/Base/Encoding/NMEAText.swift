/// Functions that write NMEA 0183 sentences and their fields (NMEA 0183 v4.11).
package enum NMEAText {
  /// Returns an NMEA sentence without its line end: `$`, the content, `*` and the checksum.
  ///
  /// - Parameter content: The address, for example `GNRMC`, and the fields, separated by commas.
  package static func sentence(_ content: String) -> String {
    "$\(content)*\(content.utf8.reduce(UInt8(0), ^).digits(2, radix: 16).uppercased())"
  }

  /// Returns a latitude as two NMEA fields with a comma between them: `ddmm.mmmmm`, and `N` or `S`. The rounding error
  /// is at most 1 cm.
  package static func latitude(_ degrees: Double) -> String { angle(degrees, 2, degrees < 0 ? "S" : "N") }

  /// Returns a longitude as two NMEA fields with a comma between them: `dddmm.mmmmm`, and `E` or `W`.
  package static func longitude(_ degrees: Double) -> String { angle(degrees, 3, degrees < 0 ? "W" : "E") }

  private static func angle(_ value: Double, _ width: Int, _ hemisphere: Character) -> String {
    let units = Int((value.magnitude * 6_000_000).rounded())
    let (degrees, minutes) = units.quotientAndRemainder(dividingBy: 6_000_000)
    return "\(degrees.digits(width))\((minutes / 100_000).digits(2)).\((minutes % 100_000).digits(5)),\(hemisphere)"
  }

  /// Returns a time of day as `hhmmss` with 1 to 9 decimals of the second, truncated.
  package static func time(_ time: TimeOfDay, decimals: Int) -> String {
    "\(time.hour.digits(2))\(time.minute.digits(2))\(time.second.digits(2))."
      + time.nanosecond.digits(9).prefix(decimals)
  }

  /// Returns a date as `ddmmyy`.
  package static func date(_ date: UTCDate) -> String {
    "\(date.day.digits(2))\(date.month.digits(2))\((date.year % 100).digits(2))"
  }
}
