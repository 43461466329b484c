package import LineProtocol

/// Writes a header, and a row for each fix. The columns have the names, the order and the units of the line protocol's
/// JSON. Unknown values are empty. The format is RFC 4180, except that lines end with LF.
package struct CSVTrack: TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append(FixReport.columns)
    buffer.append(ascii: "\n")
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    fix.writeCSV(to: &buffer)
    buffer.append(ascii: "\n")
  }
}
