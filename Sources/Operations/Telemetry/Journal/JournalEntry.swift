/// One entry as journald takes it: fields, each `NAME=value` and a line end; a value with line ends in it has its length
/// before it. (systemd: Native Journal Protocol)
struct JournalEntry {
  /// A value is cut there: a datagram as a whole, some 200 kB by the kernel's usual limits, is never reached.
  static let longestValue = 16_384
  /// Names have 64 characters at most.
  private static let longestName = 64

  private(set) var bytes: [UInt8] = []

  /// - Parameter name: letters, digits and `_`, of which the first is a letter.
  mutating func add(_ name: String, _ value: String) {
    let value = Self.cut(value)
    bytes += name.utf8
    if value.utf8.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      let count = UInt64(value.utf8.count)
      // Least significant first, whatever the machine.
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// As in `ONEFIX_LINE_CARRIES` for `line-carries`.
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
