import GNSS
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
    guard let coordinate = fix.coordinate else { return }
    buffer.append(isFirst ? "\n" : ",\n")
    isFirst = false
    let position = [coordinate.longitude, coordinate.latitude, fix.ellipsoidalHeight].compactMap { $0 }
    let geometry: JSONObject = ["type": "Point", "coordinates": position]
    buffer.beginObject()
    buffer.add("type", "Feature")
    buffer.add("geometry", geometry)
    buffer.begin("properties")
    buffer.beginObject()
    buffer.add("time", fix.time)
    fix.writeProperties(to: &buffer)
    buffer.endObject()
    buffer.endObject()
  }

  package mutating func end(_ buffer: inout TextBuffer) {
    buffer.append("\n]")
    buffer.endObject()
    buffer.append(ascii: "\n")
  }
}

extension FixReport {
  /// The height above the ellipsoid in metres, the third coordinate in RFC 7946 §3.1.1. It is rounded to 0.1 mm, the
  /// resolution of receivers. Nil if only the height above mean sea level is known.
  fileprivate var ellipsoidalHeight: Double? {
    guard let altitude, let geoidSeparation else { return nil }
    return ((altitude + geoidSeparation) * 10_000).rounded() / 10_000
  }
}
