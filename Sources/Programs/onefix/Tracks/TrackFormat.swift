package import LineProtocol

/// The format in which a track is written.
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

/// Writes the fixes of a track one by one, so that the memory of the writer does not grow with the length of the track.
package protocol TrackWriter: Sendable {
  mutating func begin(_ buffer: inout TextBuffer)
  mutating func write(_ fix: FixReport, to buffer: inout TextBuffer)
  /// Interrupts the track, because the fix was lost or time went backwards. The next fix is not connected with the
  /// previous fix.
  mutating func interrupt(_ buffer: inout TextBuffer)
  mutating func end(_ buffer: inout TextBuffer)
}

extension TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {}
  package mutating func interrupt(_ buffer: inout TextBuffer) {}
  package mutating func end(_ buffer: inout TextBuffer) {}
}
