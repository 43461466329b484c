/// A log entry in the native protocol of journald. Each field is `NAME=value` and a line feed. (systemd: Native Journal
/// Protocol)
struct JournalEntry {
  /// The maximum length of a value in bytes, which keeps the datagram below the kernel's limit of usually about 200 kB.
  static let longestValue = 16_384
  private static let longestName = 64

  private(set) var bytes: [UInt8] = []

  /// Appends a field to the log entry. A value that exceeds `longestValue` is cut.
  /// - Parameters:
  ///   - name: A name of letters, digits and `_` that begins with a letter.
  ///   - value: A text without line feeds.
  mutating func add(_ name: String, _ value: String) {
    let value = Self.cut(value)
    bytes += name.utf8
    bytes.append(UInt8(ascii: "="))
    bytes += value.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Returns the name of the journald field for a metadata key of a log message, for example `ONEFIX_LINE_CARRIES` for
  /// `line-carries`.
  static func name(of key: String) -> String {
    let letters = key.uppercased().unicodeScalars.map { scalar in
      ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
    }
    return String(("ONEFIX_" + letters).prefix(longestName))
  }

  private static func cut(_ value: String) -> String {
    guard value.utf8.count > longestValue else { return value }
    var end = value.utf8.index(value.utf8.startIndex, offsetBy: longestValue)
    while end.samePosition(in: value.unicodeScalars) == nil { end = value.utf8.index(before: end) }
    return value[..<end] + "…"
  }
}
