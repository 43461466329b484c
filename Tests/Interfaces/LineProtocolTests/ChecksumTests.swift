import LineProtocol
import SeededNumbers
import Testing

private func ended(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  return bytes + Checksum.ending(Checksum.crc16(bytes.span))
}

@Test func `the checksum is CRC-16/CCITT-FALSE, by its check value`() {
  #expect(Checksum.crc16(Array("123456789".utf8).span) == 0x29B1)
  #expect(Checksum.crc16([UInt8]().span) == 0xFFFF)
  #expect(ended("123456789") == Array("123456789*29B1".utf8))
}

@Test func `the table gives the same checksum as the polynomial, bit by bit`() {
  var random = SplitMix64(seed: 1)
  for _ in 0..<1000 {
    let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    var crc: UInt32 = 0xFFFF
    for byte in bytes {
      for bit in (0..<8).reversed() {
        crc = crc << 1 ^ (crc >> 15 & 1 == UInt32(byte >> bit & 1) ? 0 : 0x1021)
      }
      crc &= 0xFFFF
    }
    #expect(UInt32(Checksum.crc16(bytes.span)) == crc)
  }
}

@Test(arguments: [("PING*", nil), ("*FFFF", 0), ("*ffff", 0), ("PING", nil), ("", nil), ("*FFF", nil), ("*FFFG", nil)])
func `a line has a right checksum or none`(line: String, count: Int?) {
  #expect(Checksum.verified(Array(line.utf8).span) == count)
}

@Test func `no flipped bit, no two, and no lost end gets past the checksum`() {
  let line = ended("@a REQ once timeout=30 purpose=Find parks*12")
  #expect(Checksum.verified(line.span) == line.count - 5)
  for count in 0..<line.count { #expect(Checksum.verified(Array(line[..<count]).span) == nil) }
  func flipped(_ bits: [Int]) -> [UInt8] {
    var bytes = line
    for bit in bits { bytes[bit / 8] ^= 1 << (bit % 8) }
    return bytes
  }
  // The letters of a checksum can be upper or lower case.
  func isSame(_ bytes: [UInt8]) -> Bool {
    bytes.dropLast(5) == line.dropLast(5)
      && String(decoding: bytes, as: UTF8.self).uppercased() == String(decoding: line, as: UTF8.self).uppercased()
  }
  for first in 0..<line.count * 8 {
    for second in first..<line.count * 8 {
      let bytes = flipped(first == second ? [first] : [first, second])
      #expect((Checksum.verified(bytes.span) != nil) == isSame(bytes))
    }
  }
}
