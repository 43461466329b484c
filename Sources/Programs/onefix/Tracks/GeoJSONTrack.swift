package import LineProtocol

/// Writes the track as GeoJSON (RFC 7946): a collection with one point for each fix. The properties have the names of
/// the JSON in the line protocol.
///
/// The track is not a line string, because that would lose the time and the accuracy of each point.
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
