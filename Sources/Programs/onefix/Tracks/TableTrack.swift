import Base
import GNSS
package import LineProtocol

/// A writer of a track (a series of fixes) as a table of 80 columns, one row for each fix. An empty row shows a loss of
/// the fix.
package struct TableTrack: TrackWriter {
  /// The columns of the table, each with its heading and its width in characters. A heading contains the unit.
  private static let columns: [(heading: String, width: Int)] = [
    ("time (UTC)", 21), ("latitude", 11), ("longitude", 12), ("alt m", 7), ("± m", 7), ("m/s", 6), ("°", 4),
    ("fix", 4), ("sats", 5),
  ]

  /// Whether the next row follows without an empty row, because the receiver did not lose its fix.
  private var isConnected = false

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append(Self.row(Self.columns.map(\.heading)))
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    let time = fix.time.map { String($0.iso8601.prefix(21).map { $0 == "T" ? " " : $0 }) }
    let cells = [
      time, fix.coordinate?.latitude.decimal(6), fix.coordinate?.longitude.decimal(6), fix.altitude?.decimal(1),
      fix.horizontalAccuracy?.decimal(1), fix.speed?.decimal(1), fix.course.map { "\(Int($0.rounded()))" },
      fix.mode?.name,
      fix.satellites.map { "\($0)" },
    ]
    // A position of another quality is marked, because it can be estimated, manually entered or simulated.
    let quality = fix.quality.flatMap { $0 == .autonomous ? nil : "  \($0.name)" } ?? ""
    buffer.append(Self.row(cells.map { $0 ?? "-" }, quality))
    isConnected = true
  }

  package mutating func interrupt(_ buffer: inout TextBuffer) {
    if isConnected { buffer.append(ascii: "\n") }
    isConnected = false
  }

  private static func row(_ cells: [String], _ end: String = "") -> String {
    let padded = zip(cells, columns).enumerated().map { index, cell in
      let spaces = String(repeating: " ", count: max(index == 0 ? 0 : 1, cell.1.width - Columns.width(of: cell.0)))
      return index == 0 ? cell.0 + spaces : spaces + cell.0
    }
    return padded.joined() + end + "\n"
  }
}
