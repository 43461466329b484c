package import Hardware

/// A GPIO line that the board needs for a purpose of its own, for example for the time pulse of the receiver. Buttons
/// and the indicator must not use this GPIO line.
package struct ReservedLine: Hashable, Sendable {
  /// The GPIO line. If its chip is nil, the name of the GPIO line is the same on every chip.
  package var line: LineSpec
  /// The purpose of the GPIO line, as in `the receiver's time pulse`.
  package var use: String
  /// The path of the I2C bus that needs the GPIO line, as in `/dev/i2c-1`; nil if the GPIO line is always needed. If no
  /// receiver or feature uses the bus, the GPIO line is free.
  package var bus: String?

  /// Parses all tables `[[reserved]]`. Errors are reported to the diagnostics of the file.
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

  /// Whether another setting means this GPIO line, too.
  package func isSame(_ other: LineSpec) -> Bool {
    line.position == other.position && (line.chip == nil || other.chip == nil || line.chip == other.chip)
  }
}
