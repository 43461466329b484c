package import LineProtocol

/// A writer of a track (a series of fixes) as CSV, with a header and one row for each fix.
///
/// The columns have the names and units of the JSON in OneFix's own protocol. An unknown value is empty. The format is
/// RFC 4180, except that a row ends with LF.
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
