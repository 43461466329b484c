package import LineProtocol
package import NIOCore

extension TaggedCommand {
  /// Parses a protocol line of a client without copying its bytes. Throws an error with the code 400, 403, 404 or 405
  /// if the line is not a valid command.
  package init(parsing line: ByteBuffer) throws(RejectedLine) {
    try self.init(parsing: line.readableBytesUInt8Span)
  }
}

extension ServerLine {
  /// Parses a protocol line of the gateway without copying its bytes. Returns nil if this version does not support the
  /// line.
  package init?(parsing line: ByteBuffer) {
    self.init(parsing: line.readableBytesUInt8Span)
  }

  /// The protocol line with its line end, as UTF-8 bytes.
  package var bytes: ByteBuffer {
    var text = TextBuffer(capacity: 512)
    write(to: &text)
    text.append(ascii: "\n")
    // The buffer has room for a checksum, which a later handler may add.
    var buffer = ByteBufferAllocator().buffer(capacity: text.count + Checksum.length)
    buffer.writeBytes(text.bytes)
    return buffer
  }
}
