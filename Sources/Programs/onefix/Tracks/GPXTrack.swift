package import LineProtocol

/// A writer of a track (a series of fixes) as GPX 1.1. After a loss of the fix, a new track segment begins.
package struct GPXTrack: TrackWriter {
  private var isInTrack = false
  private var isInSegment = false

  package mutating func begin(_ buffer: inout TextBuffer) {
    buffer.append(FixReport.gpxHeader)
  }

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    guard fix.coordinate != nil else { return }
    if !isInTrack { buffer.append("<trk>\n") }
    if !isInSegment { buffer.append("<trkseg>\n") }
    isInTrack = true
    isInSegment = true
    fix.writeGPX("trkpt", to: &buffer)
    buffer.append(ascii: "\n")
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
