/// Returns a sentence of NMEA with its checksum and line end.
/// - Parameter content: the text between `$` and `*`.
package func nmeaSentence(_ content: String) -> String {
  let sum = content.utf8.reduce(0, ^)
  return "$\(content)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
}
