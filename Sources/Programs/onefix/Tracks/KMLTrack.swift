import GNSS
package import LineProtocol

/// A writer of a track (a series of fixes) as KML 2.2 of the OGC. Each fix has a placemark, and polylines connect the
/// fixes.
///
/// A polyline ends when the receiver loses its fix. A polyline also ends after 10,000 points, because viewers have
/// limits; the next polyline then begins at the last point.
package struct KMLTrack: TrackWriter {
  private static let longestLine = 10_000
  private var line = TextBuffer()
  private var linePoints = 0
  private var last = TextBuffer()

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2">
      <Document>
      <Style id="fix"><IconStyle><scale>0.4</scale></IconStyle></Style>
      <Style id="track"><LineStyle><color>ff0055ff</color><width>3</width></LineStyle></Style>

      """)
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    guard let coordinate = fix.coordinate else { return }
    last.removeAll()
    last.append(coordinate.longitude)
    last.append(ascii: ",")
    last.append(coordinate.latitude)
    if let altitude = fix.altitude {
      last.append(ascii: ",")
      last.append(altitude)
    }
    buffer.append("<Placemark>")
    if let time = fix.time {
      buffer.append("<TimeStamp>")
      buffer.element("when", time)
      buffer.append("</TimeStamp>")
    }
    buffer.append("<styleUrl>#fix</styleUrl><ExtendedData>")
    buffer.data("hacc", fix.horizontalAccuracy)
    buffer.data("vacc", fix.verticalAccuracy)
    buffer.data("speed", fix.speed)
    buffer.data("course", fix.course)
    buffer.data("quality", fix.quality?.name)
    for (name, value) in fix.caveats { buffer.data(name, value) }
    buffer.append("</ExtendedData><Point><coordinates>")
    buffer.append(last.bytes)
    buffer.append("</coordinates></Point></Placemark>\n")
    addToLine(&buffer)
  }

  private mutating func addToLine(_ buffer: inout TextBuffer) {
    if linePoints > 0 { line.append(ascii: "\n") }
    line.append(last.bytes)
    linePoints += 1
    guard linePoints == KMLTrack.longestLine else { return }
    interrupt(&buffer)
    line.append(last.bytes)
    linePoints = 1
  }

  package mutating func interrupt(_ buffer: inout TextBuffer) {
    // A line needs at least two points.
    if linePoints > 1 {
      buffer.append(
        "<Placemark><styleUrl>#track</styleUrl><LineString><tessellate>1</tessellate><coordinates>\n")
      buffer.append(line.bytes)
      buffer.append("\n</coordinates></LineString></Placemark>\n")
    }
    line.removeAll()
    linePoints = 0
  }

  package mutating func end(_ buffer: inout TextBuffer) {
    interrupt(&buffer)
    buffer.append("</Document>\n</kml>\n")
  }
}

extension TextBuffer {
  fileprivate mutating func data(_ name: String, _ value: Double?) {
    guard let value else { return }
    append("<Data name=\"")
    append(name)
    append("\"><value>")
    append(value)
    append("</value></Data>")
  }

  fileprivate mutating func data(_ name: String, _ value: String?) {
    if let value { append("<Data name=\"\(name)\"><value>\(value)</value></Data>") }
  }
}
