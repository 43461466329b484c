import Base
import Testing

@Suite struct BigEndianTests {
  @Test func `numbers, lists and texts are read as they were written`() {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt16(0x1234))
    bytes.appendBigEndian((-1.5).bitPattern)
    bytes.append([7, 8], countedBy: UInt32.self)
    bytes.append("né".utf8, countedBy: UInt8.self)
    #expect(bytes == [0x12, 0x34, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 7, 8, 3, 0x6E, 0xC3, 0xA9])
    var reader = BigEndianReader(bytes)
    #expect(reader.number() == 0x1234 as UInt16 && reader.decimal() == -1.5)
    #expect(reader.list(countedBy: UInt32.self) == [7, 8] && reader.text(countedBy: UInt8.self) == "né")
    #expect(reader.bytes.isEmpty)
  }

  @Test func `a text that is too short or not UTF-8, and a length beyond every array, are not read`() {
    for bytes in [[], [2, 65], [0xFF], [1, 0xC3], [2, 0xC3, 0x28]] as [[UInt8]] {
      var reader = BigEndianReader(bytes)
      #expect(reader.text(countedBy: UInt8.self) == nil, "\(bytes)")
    }
    var reader = BigEndianReader([UInt8](repeating: 0xFF, count: 9))
    #expect(reader.list(countedBy: UInt64.self) == nil)
  }
}
