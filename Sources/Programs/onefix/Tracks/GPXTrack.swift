import GNSS
package import LineProtocol

/// Writes a track in the format GPX 1.1. A segment of the track ends when the fix is lost. The schema determines the
/// order of the elements.
///
/// GPX has no elements for accuracies, speed and course. The element `src` contains the source of a position that was
/// not measured.
package struct GPXTrack: TrackWriter {
  private var isInTrack = false
  private var isInSegment = false

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="OneFix" xmlns="http://www.topografix.com/GPX/1/1">

      """)
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    guard let coordinate = fix.coordinate else { return }
    if !isInTrack { buffer.append("<trk>\n") }
    if !isInSegment { buffer.append("<trkseg>\n") }
    isInTrack = true
    isInSegment = true
    buffer.append("<trkpt lat=\"")
    buffer.append(coordinate.latitude)
    buffer.append("\" lon=\"")
    // The schema permits only longitudes below 180.
    buffer.append(coordinate.longitude == 180 ? -180 : coordinate.longitude)
    buffer.append("\">")
    buffer.element("ele", fix.altitude)
    buffer.element("time", fix.time)
    buffer.element("geoidheight", fix.geoidSeparation)
    if let source = fix.quality?.otherSource { buffer.element("src", source) }
    buffer.element("fix", fix.gpxType)
    buffer.element("sat", fix.satellites)
    buffer.element("hdop", fix.dilutionOfPrecision.horizontal)
    buffer.element("vdop", fix.dilutionOfPrecision.vertical)
    buffer.element("pdop", fix.dilutionOfPrecision.position)
    buffer.append("</trkpt>\n")
  }

  package mutating func interrupt(_ buffer: inout TextBuffer) {
    if isInSegment { buffer.append("</trkseg>\n") }
    isInSegment = false
  }

  package mutating func end(_ buffer: inout TextBuffer) {
    interrupt(&buffer)
    if isInTrack { buffer.append("</trk>\n") }
    buffer.append("</gpx>\n")
  }
}

extension FixReport {
  /// The value of the GPX type `fixType`. If GPX has no value for the quality, the result is the mode, as in `3d`.
  fileprivate var gpxType: String? {
    switch quality {
    case .differential, .rtkFixed, .rtkFloat: "dgps"
    case .precise: "pps"
    case .invalid, .autonomous, .estimated, .manual, .simulator, nil: mode?.name
    }
  }
}
