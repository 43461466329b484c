import LineProtocol
import NIOCore
import Testing

@testable import OneFixClient

/// Returns a line with its checksum.
func checked(_ line: String) -> String {
  let bytes = Array(line.utf8)
  return String(decoding: bytes + Checksum.ending(Checksum.crc16(bytes.span)), as: UTF8.self)
}

/// Returns the content of each received line; nil for a damaged line.
private func received(_ lines: [String], _ state: InboundChecksums.State, isSerial: Bool) -> [String?] {
  var checksums = InboundChecksums(state: state)
  return lines.map { checksums.verify(ByteBuffer(string: $0), isSerial: isSerial).map { String(buffer: $0) } }
}

@Suite struct InboundChecksumsTests {
  @Test func `without checksums lines are unchanged`() {
    let lines = ["+OK", "PONG*0000", "", "INFO proto=1"]
    #expect(received(lines, .none, isSerial: true) == lines)
  }

  @Test func `before the first checksum errors and a greeting need none, and later only a greeting`() {
    let lines = [
      "+OK", "-ERR 405 bad-argument :no", "INFO proto=1", "", checked("+OK"), "-ERR 401 bad-crc :no", "PING",
      "MSG indicator - {}*0000",
    ]
    #expect(
      received(lines, .offered, isSerial: true)
        == [nil, "-ERR 405 bad-argument :no", "INFO proto=1", "", "+OK", nil, nil, nil])
    #expect(received(["INFO proto=1"], .agreed, isSerial: true) == ["INFO proto=1"])
    #expect(received(["INFO proto=1"], .agreed, isSerial: false) == [nil])
  }
}
