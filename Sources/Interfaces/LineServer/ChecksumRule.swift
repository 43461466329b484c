import LineProtocol
import NIOCore

/// The verification of the checksums of a client's lines.
///
/// After an accepted HELLO with `crc`, the reply is the gateway's first line with a checksum. The client's next line is
/// its first line that requires a checksum. A checksum in the HELLO itself is verified.
struct ChecksumRule {
  var isRequired = false

  /// Returns the line without its checksum; nil if the line is damaged.
  func verify(_ line: ByteBuffer) -> ByteBuffer? {
    // An empty line has no content to verify.
    if line.readableBytes == 0 { return line }
    guard isRequired || line.isHello && Checksum.isPresent(line.readableBytesUInt8Span) else { return line }
    return Checksum.verified(line.readableBytesUInt8Span).flatMap { line.getSlice(at: line.readerIndex, length: $0) }
  }
}

extension ByteBuffer {
  /// Whether the line is a HELLO without arguments.
  var isEmptyHello: Bool { readableBytesView.elementsEqual("hello".utf8) { $0 | 0x20 == $1 } }

  /// Whether the line's verb is HELLO, even if the line is not valid.
  var isHello: Bool {
    let words = readableBytesView.split(separator: UInt8(ascii: " ")).prefix(2)
    let verb = words.first { $0.first != UInt8(ascii: "@") }
    return verb?.elementsEqual("hello".utf8) { $0 | 0x20 == $1 } ?? false
  }
}
