import LineProtocol
import NIOCore
import Testing

@testable import OneFixClient

private func checked(_ line: String) -> String {
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
    ]
    #expect(
      received(lines, .offered, isSerial: true)
        == [nil, "-ERR 405 bad-argument :no", "INFO proto=1", "", "+OK", nil, nil])
    #expect(received(["INFO proto=1"], .agreed, isSerial: true) == ["INFO proto=1"])
    #expect(received(["INFO proto=1"], .agreed, isSerial: false) == [nil])
  }

  @Test func `a line with a flipped bit is rejected`() {
    let line = Array(checked("MSG indicator - {\"state\":\"off\"}").utf8)
    for bit in 0..<line.count * 8 {
      var damaged = line
      damaged[bit / 8] ^= 1 << (bit % 8)
      var checksums = InboundChecksums(state: .agreed)
      let verified = checksums.verify(ByteBuffer(bytes: damaged), isSerial: true)
      // The case of a hexadecimal digit has no meaning.
      #expect(verified == nil || damaged.map { $0 & 0xDF } == line.map { $0 & 0xDF }, "\(bit)")
    }
  }
}
