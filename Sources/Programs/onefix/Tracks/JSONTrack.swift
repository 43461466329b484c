package import LineProtocol

/// Writes one JSON object in each line, in the format of the line protocol.
package struct JSONTrack: TrackWriter {
  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    fix.write(to: &buffer)
    buffer.append(ascii: "\n")
  }
}
