import LineProtocol
import NIOCore
import Testing

@testable import Serving

/// Returns the line with its checksum.
private func checked(_ line: String) -> String {
  let bytes = Array(line.utf8)
  return String(decoding: bytes + Checksum.ending(Checksum.crc16(bytes.span)), as: UTF8.self)
}

private func verified(_ line: String, isRequired: Bool = false) -> String? {
  ChecksumRule(isRequired: isRequired).verify(ByteBuffer(string: line)).map { String(buffer: $0) }
}

@Test(arguments: ["HELLO 1 crc", "@a HELLO 1 crc", "@a hello 1", "HELLO", "@a hello"])
func `the checksum of a HELLO is verified, with a tag or without`(line: String) {
  #expect(verified(checked(line)) == line)
  #expect(verified(line + "*0000") == nil)
  #expect(verified(line) == line)
  #expect(verified(line, isRequired: true) == nil)
}

@Test(arguments: ["PING", "@a PING", "@a @b HELLO", "@a @b HELLO 1", "HELLOS", "1 HELLO", ""])
func `the end of any other line is text, unless checksums are agreed`(line: String) {
  #expect(verified(line + "*0000") == line + "*0000")
  #expect(verified(checked(line), isRequired: true) == line)
  #expect(verified(line + "*0000", isRequired: true) == nil)
}

@Test func `a line without bytes needs no checksum`() {
  #expect(verified("", isRequired: true) == "")
}

@Test func `an empty HELLO has no arguments and no tag, and may have a checksum`() {
  let lines = ["HELLO", "hello", "Hello", "HELLO 1", "@a HELLO", "HELL", "HELP", ""]
  for end in [{ $0 }, checked] {
    #expect(lines.filter { ByteBuffer(string: end($0)).isEmptyHello } == ["HELLO", "hello", "Hello"])
  }
  #expect(!ByteBuffer(string: "HELLO*0000").isEmptyHello)
}
