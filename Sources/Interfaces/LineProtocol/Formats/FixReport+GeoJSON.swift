package import Base
import GNSS

extension FixReport {
  /// Appends the fix as a GeoJSON feature with a point. The properties have the names of the JSON members in the line
  /// protocol. A fix without a position has the geometry `null`. (RFC 7946 §3.2)
  /// - Parameter describe: Appends the first properties.
  package func writeFeature(to buffer: inout TextBuffer, describe: (inout TextBuffer) -> Void = { _ in }) {
    buffer.beginObject()
    buffer.add("type", "Feature")
    if let coordinate {
      let position = [coordinate.longitude, coordinate.latitude, ellipsoidalHeight].compactMap { $0 }
      let geometry: JSONObject = ["type": "Point", "coordinates": position]
      buffer.add("geometry", geometry)
    } else {
      buffer.add("geometry", JSONText("null"))
    }
    buffer.begin("properties")
    buffer.beginObject()
    describe(&buffer)
    buffer.add("time", time)
    buffer.add("place", place)
    writeProperties(to: &buffer)
    buffer.endObject()
    buffer.endObject()
  }

  /// The height above the WGS 84 ellipsoid in metres, the third coordinate of a GeoJSON point (RFC 7946 §3.1.1). The
  /// height is rounded to 0.1 mm, the resolution of receivers. Nil if only the height above mean sea level is known.
  private var ellipsoidalHeight: Double? {
    guard let altitude, let geoidSeparation else { return nil }
    return ((altitude + geoidSeparation) * 10_000).rounded() / 10_000
  }
}
