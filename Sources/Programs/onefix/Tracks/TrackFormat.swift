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

/// A writer that converts a track (a series of fixes) into a file format, fix by fix. The writer does not store a whole
/// track.
package protocol TrackWriter: Sendable {
  mutating func begin(_ buffer: inout TextBuffer)
  mutating func write(_ fix: FixReport, to buffer: inout TextBuffer)
  /// Ends the current section of the track, because the receiver lost its fix or the time went backwards. The next fix
  /// is not connected to the last one.
  mutating func interrupt(_ buffer: inout TextBuffer)
  mutating func end(_ buffer: inout TextBuffer)
}

extension TrackWriter {
  package mutating func begin(_ buffer: inout TextBuffer) {}
  package mutating func interrupt(_ buffer: inout TextBuffer) {}
  package mutating func end(_ buffer: inout TextBuffer) {}
}
