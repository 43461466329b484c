package import LineProtocol

/// Writes the track as JSON: one object in each line of text, as in the line protocol.
package struct JSONTrack: TrackWriter {
  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    fix.write(to: &buffer)
    buffer.append(ascii: "\n")
  }
}
