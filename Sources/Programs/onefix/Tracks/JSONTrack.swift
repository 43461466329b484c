package import LineProtocol

/// A writer of a track (a series of fixes) as JSON, with one object in each text line. The objects are those of
/// OneFix's own protocol.
package struct JSONTrack: TrackWriter {
  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    fix.write(to: &buffer)
    buffer.append(ascii: "\n")
  }
}
