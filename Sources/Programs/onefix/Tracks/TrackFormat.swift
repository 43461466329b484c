package import LineProtocol

/// The file format of a track (a series of fixes).
package enum TrackFormat: String, Sendable, CaseIterable {
  case json
  case csv
  case gpx
  case geojson
  case kml
  case table

  package var writer: any TrackWriter {
    switch self {
    case .json: JSONTrack()
    case .csv: CSVTrack()
    case .gpx: GPXTrack()
    case .geojson: GeoJSONTrack()
    case .kml: KMLTrack()
    case .table: TableTrack()
    }
  }
}

/// Writes the fixes of a track one by one. The memory of the writer stays small, even for a long track.
package protocol TrackWriter: Sendable {
  mutating func begin(_ buffer: inout TextBuffer)
  mutating func write(_ fix: FixReport, to buffer: inout TextBuffer)
  /// Ends the present section of the track, because the fix was lost or the time went backwards. No line connects the
  /// next fix with the last one.
  mutating func interrupt(_ buffer: inout TextBuffer)
  mutating func end(_ buffer: inout TextBuffer)
}

extension TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {}
  package mutating func interrupt(_ buffer: inout TextBuffer) {}
  package mutating func end(_ buffer: inout TextBuffer) {}
}
