package import LineProtocol

/// How a track is written.
package enum TrackFormat: String, Sendable, CaseIterable {
  case json
  case csv
  case gpx
  case geojson
  case kml

  package var writer: any TrackWriter {
    switch self {
    case .json: JSONTrack()
    case .csv: CSVTrack()
    case .gpx: GPXTrack()
    case .geojson: GeoJSONTrack()
    case .kml: KMLTrack()
    }
  }
}

/// Writes the fixes of a track, each as soon as it comes: however long the track is, a writer's size is bounded.
package protocol TrackWriter: Sendable {
  /// Before the first fix.
  mutating func begin(_ buffer: inout TextBuffer)
  mutating func write(_ fix: FixReport, to buffer: inout TextBuffer)
  /// The fix was lost, or time went back: what comes next does not continue what was.
  mutating func interrupt(_ buffer: inout TextBuffer)
  /// After the last fix.
  mutating func end(_ buffer: inout TextBuffer)
}

extension TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {}
  package mutating func interrupt(_ buffer: inout TextBuffer) {}
  package mutating func end(_ buffer: inout TextBuffer) {}
}
