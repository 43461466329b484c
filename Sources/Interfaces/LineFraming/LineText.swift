package import LineProtocol
package import NIOCore

extension TaggedCommand {
  /// Reads a client's line where it arrived.
  /// - Throws: `RejectedLine` with 400, 403, 404 or 405.
  package init(parsing line: ByteBuffer) throws(RejectedLine) {
    try self.init(parsing: line.readableBytesUInt8Span)
  }
}

extension ServerLine {
  /// Reads a line of the gateway where it arrived; nil for one that this version does not know.
  package init?(parsing line: ByteBuffer) {
    self.init(parsing: line.readableBytesUInt8Span)
  }

  /// The line with its line end.
  package var bytes: ByteBuffer { LineText.buffer { write(to: &$0) } }
}

extension TaggedCommand {
  /// The line with its line end.
  package var bytes: ByteBuffer { LineText.buffer { write(to: &$0) } }
}

private enum LineText {
  static func buffer(_ write: (inout TextBuffer) -> Void) -> ByteBuffer {
    var text = TextBuffer(capacity: 512)
    write(&text)
    text.append(ascii: "\n")
    // Room for a checksum.
    var buffer = ByteBufferAllocator().buffer(capacity: text.count + Checksum.length)
    buffer.writeBytes(text.bytes)
    return buffer
  }
}
