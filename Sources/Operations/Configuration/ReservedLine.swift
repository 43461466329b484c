package import Hardware

/// A GPIO line with another purpose, for example the time pulse of the receiver. Buttons and the indicator must not use
/// this GPIO line.
package struct ReservedLine: Hashable, Sendable {
  /// The reserved GPIO line. If its chip is nil, the GPIO lines with this name on all chips are reserved.
  package var line: LineSpec
  /// The purpose of the GPIO line, as in `the receiver's time pulse`.
  package var use: String
  /// The path of the I2C bus that needs the GPIO line, as in `/dev/i2c-1`. If the gateway does not use the bus, the
  /// GPIO line is free. Nil if the GPIO line is always reserved.
  package var bus: String?

  /// Parses all tables `[[reserved]]` of a file. Errors are reported to the diagnostics of the file.
  static func all(in root: TOMLTable) -> [ReservedLine] {
    root.tables("reserved").compactMap { table in
      defer { table.finish() }
      let use = table.plainText("use", columns: 60)?.value
      let line = LineSpec(readingFrom: table, isInput: false)
      let bus = table.path("bus")?.value
      table.require("use")
      table.require("line")
      guard let line, let use else { return nil }
      return ReservedLine(line: line, use: use, bus: bus)
    }
  }

  /// Whether `other` is, or can be, the same GPIO line.
  package func isSame(_ other: LineSpec) -> Bool {
    line.position == other.position && (line.chip == nil || other.chip == nil || line.chip == other.chip)
  }
}
