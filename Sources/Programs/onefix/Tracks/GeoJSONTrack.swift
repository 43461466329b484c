package import LineProtocol

/// Writes a feature collection with a point for each fix, one point in each line. The properties have the names of the
/// line protocol's JSON. (RFC 7946)
///
/// One line string for all fixes would lose the time and the accuracy of each point.
package struct GeoJSONTrack: TrackWriter {
  private var isFirst = true

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.beginObject()
    buffer.add("type", "FeatureCollection")
    buffer.begin("features")
    buffer.append(ascii: "[")
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    guard fix.coordinate != nil else { return }
    buffer.append(isFirst ? "\n" : ",\n")
    isFirst = false
    fix.writeFeature(to: &buffer)
  }

  package mutating func end(_ buffer: inout TextBuffer) {
    buffer.append("\n]")
    buffer.endObject()
    buffer.append(ascii: "\n")
  }
}
