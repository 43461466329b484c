package import LineProtocol

/// One object a line, as the line protocol writes a fix.
package struct JSONTrack: TrackWriter {
  package init() {}

  package mutating func write(_ fix: FixReport, to buffer: inout TextBuffer) {
    fix.write(to: &buffer)
    buffer.append(ascii: "\n")
  }
}
