import LineProtocol
import NIOCore

/// The rule that decides whether a client's protocol line needs a checksum.
///
/// The first command (HELLO) turns checksums on if HELLO contains the word `crc`. The reply to HELLO and the client's
/// next protocol line then have a checksum. If HELLO itself has a checksum, the gateway verifies this checksum.
struct ChecksumRule {
  var isRequired = false

  /// Returns the protocol line without its checksum; nil if the checksum is wrong, or is missing although the rule
  /// requires a checksum.
  func verify(_ line: ByteBuffer) -> ByteBuffer? {
    if line.readableBytes == 0 { return line }
    guard isRequired || line.isHello && Checksum.isPresent(line.readableBytesUInt8Span) else { return line }
    return Checksum.verified(line.readableBytesUInt8Span).flatMap { line.getSlice(at: line.readerIndex, length: $0) }
  }
}

extension ByteBuffer {
  /// Whether the protocol line is the command HELLO without arguments, perhaps with its right checksum. On a serial
  /// port, this line starts the protocol from the beginning.
  var isEmptyHello: Bool {
    let count = Checksum.verified(readableBytesUInt8Span) ?? readableBytes
    return readableBytesView.prefix(count).elementsEqual("hello".utf8) { $0 | 0x20 == $1 }
  }

  /// Whether the protocol line begins with the command HELLO, perhaps after the id of the command (its tag). The rest
  /// of the line can be invalid.
  var isHello: Bool {
    let count = readableBytes - (Checksum.isPresent(readableBytesUInt8Span) ? Checksum.length : 0)
    let words = readableBytesView.prefix(count).split(separator: UInt8(ascii: " ")).prefix(2)
    let verb = words.first { $0.first != UInt8(ascii: "@") }
    return verb?.elementsEqual("hello".utf8) { $0 | 0x20 == $1 } ?? false
  }
}
