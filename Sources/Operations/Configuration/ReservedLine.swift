package import Hardware

/// A GPIO line that the board needs for another purpose, for example for the time pulse of the receiver. Buttons and
/// the indicator must not use this GPIO line.
package struct ReservedLine: Hashable, Sendable {
  /// The GPIO line. If the chip is nil, the GPIO line has the same name on every chip.
  package var line: LineSpec
  /// The purpose, as in `the receiver's time pulse`.
  package var use: String
  /// The I2C bus that needs the GPIO line, as in `/dev/i2c-1`. The GPIO line is free if nothing uses this bus. Nil for a
  /// GPIO line that is never free.
  package var bus: String?

  /// Parses all tables `[[reserved]]`. Reports every error to the tables' diagnostics.
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

  /// Whether a GPIO line is this GPIO line.
  package func isSame(_ other: LineSpec) -> Bool {
    line.position == other.position && (line.chip == nil || other.chip == nil || line.chip == other.chip)
  }
}
