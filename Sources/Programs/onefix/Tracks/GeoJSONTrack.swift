import GNSS
package import LineProtocol

/// A feature collection with a point for each fix, one a line; properties have the names of the line protocol's JSON.
/// (RFC 7946)
///
/// A line string could not carry when and how well each of its points is known.
package struct GeoJSONTrack: TrackWriter {
  private var isFirst = true

  package init() {}

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append("{\"type\":\"FeatureCollection\",\"features\":[")
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    buffer.append(isFirst ? "\n" : ",\n")
    isFirst = false
    buffer.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
    buffer.append(fix.coordinate.longitude)
    buffer.append(ascii: ",")
    buffer.append(fix.coordinate.latitude)
    if let height = fix.ellipsoidalHeight {
      buffer.append(ascii: ",")
      buffer.append(height)
    }
    buffer.append("]},\"properties\":{")
    buffer.add("time", fix.time)
    fix.writeProperties(to: &buffer)
    buffer.append("}}")
  }

  package mutating func end(_ buffer: inout TextBuffer) {
    buffer.append("\n]}\n")
  }
}

extension FixReport {
  /// Metres above the ellipsoid, which is what RFC 7946 §3.1.1 has as third coordinate; nil where only the height above
  /// mean sea level is known. To a tenth of a millimetre: receivers write no more.
  fileprivate var ellipsoidalHeight: Double? {
    guard let altitude, let geoidSeparation else { return nil }
    return ((altitude + geoidSeparation) * 10_000).rounded() / 10_000
  }
}
