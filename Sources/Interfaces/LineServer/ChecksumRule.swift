import LineProtocol
import NIOCore

/// Whether lines arrived as they were sent.
///
/// Once a HELLO with `crc` is taken, its reply is the gateway's first line that ends in a checksum, and the client's next
/// line its first that must. The HELLO itself may have one already, and then it counts.
struct ChecksumRule {
  var isRequired = false

  /// A line without its checksum; nil where it is not what was sent.
  func verify(_ line: ByteBuffer) -> ByteBuffer? {
    // An empty line says nothing that could be wrong.
    if line.readableBytes == 0 { return line }
    guard isRequired || line.isHello && Checksum.isPresent(line.readableBytesUInt8Span) else { return line }
    return Checksum.verified(line.readableBytesUInt8Span).flatMap { line.getSlice(at: line.readerIndex, length: $0) }
  }
}

extension ByteBuffer {
  /// Whether a line is a HELLO and nothing else.
  var isEmptyHello: Bool { readableBytesView.elementsEqual("hello".utf8) { $0 | 0x20 == $1 } }

  /// Whether a line was meant as a HELLO, even if it could not be taken.
  var isHello: Bool {
    let words = readableBytesView.split(separator: UInt8(ascii: " ")).prefix(2)
    let verb = words.first { $0.first != UInt8(ascii: "@") }
    return verb?.elementsEqual("hello".utf8) { $0 | 0x20 == $1 } ?? false
  }
}
