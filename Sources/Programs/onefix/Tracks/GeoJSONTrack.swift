package import LineProtocol

/// A writer of a track (a series of fixes) as GeoJSON (RFC 7946), with one point for each fix. The properties have the
/// names of the JSON in OneFix's own protocol.
///
/// The track is not one line string, because a line string has no time and no accuracy of each point.
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
