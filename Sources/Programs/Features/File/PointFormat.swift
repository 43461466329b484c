import Base
import LineProtocol
import Ports

extension PointFormat {
  /// The text of one point, in two parts. The name of the point goes between the parts, when the point's number in the
  /// file is known.
  struct Point: Hashable, Sendable {
    /// The text before the name of the point, in UTF-8.
    var head: [UInt8]
    /// The text after the name of the point, in UTF-8.
    var tail: [UInt8]
  }

  var header: String {
    switch self {
    case .gpx: FixReport.gpxHeader
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
    case .csv: "name,\(FixReport.columns),place,id\n"
    }
  }

  /// The text between two points, with the line end of the first point.
  var separator: String { self == .geojson ? ",\n" : "\n" }

  var footer: String {
    switch self {
    case .gpx: "\n</gpx>\n"
    case .geojson: "\n]}\n"
    case .csv: "\n"
    }
  }

  /// Whether the format needs a position, so that a fix with only the name of a place is not written.
  var hasPositionsOnly: Bool { self == .gpx }

  func point(_ fix: PublishedFix) -> Point {
    var fix = fix
    // A receiver can report no dates, but each point needs a time.
    fix.report.time = fix.time
    var buffer = TextBuffer(capacity: 512)
    var nameOffset = 0
    switch self {
    case .gpx: writeGPX(fix, to: &buffer, &nameOffset)
    case .geojson:
      fix.report.writeFeature(to: &buffer) { buffer in
        buffer.add("name", "")
        // The name follows the opening quotation mark.
        nameOffset = buffer.count - 1
        buffer.add("id", fix.id)
      }
    case .csv:
      buffer.append(ascii: ",")
      fix.report.writeCSV(to: &buffer)
      buffer.cell(fix.report.place)
      buffer.cell(fix.id)
    }
    return Point(head: Array(buffer.bytes[..<nameOffset]), tail: Array(buffer.bytes[nameOffset...]))
  }

  /// Returns whether the text line of a point contains the name, at the place where `point` leaves room for it.
  func isPoint(_ line: ArraySlice<UInt8>, named name: String) -> Bool {
    switch self {
    case .gpx: line.firstRange(of: Array("<name>\(name)</name>".utf8)) != nil
    case .geojson: line.firstRange(of: Array("\"properties\":{\"name\":\"\(name)\"".utf8)) != nil
    case .csv: line.starts(with: "\(name),".utf8)
    }
  }

  private func writeGPX(_ fix: PublishedFix, to buffer: inout TextBuffer, _ nameOffset: inout Int) {
    fix.report.writeGPX("wpt", to: &buffer) { buffer in
      buffer.open("name")
      nameOffset = buffer.count
      buffer.close("name")
      guard let radius = fix.report.horizontalAccuracy else { return }
      buffer.open("desc")
      buffer.append("within ")
      buffer.append(radius)
      buffer.append(fix.report.accuracy == .full ? " m (68 %)" : " m (95 %)")
      buffer.append(fix.report.doubts)
      buffer.close("desc")
    } extend: { buffer in
      buffer.element("onefix:hacc", fix.report.horizontalAccuracy)
      buffer.element("onefix:accuracy", fix.report.accuracy.rawValue)
      buffer.element("onefix:id", fix.id)
    }
  }
}
