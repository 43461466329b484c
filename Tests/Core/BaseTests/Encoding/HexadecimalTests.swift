import Base
import Testing

@Suite struct HexadecimalTests {
  @Test func `each byte becomes two digits, which are parsed in either case`() {
    let bytes = Array(UInt8.min...UInt8.max)
    let digits = bytes.hexadecimal
    #expect(digits.hasPrefix("000102030405060708090a0b0c0d0e0f10") && digits.hasSuffix("fdfeff"))
    #expect(digits.utf8.count == 512)
    #expect([UInt8](hexadecimal: digits) == bytes)
    #expect([UInt8](hexadecimal: digits.uppercased()) == bytes)
    #expect([UInt8](hexadecimal: "") == [])
  }

  @Test(arguments: ["0", "000", "0g", "0x", " 0", "-1", "+1", "00 11", "\u{FF10}\u{FF11}", "٠١", "é"])
  func `text that is not pairs of hexadecimal digits is refused`(text: String) {
    #expect([UInt8](hexadecimal: text) == nil)
  }

  @Test func `random texts have 32 digits and differ`() {
    let all = (0..<1000).map { _ in randomDigits() }
    #expect(Set(all).count == 1000)
    #expect(all.allSatisfy { $0.utf8.count == 32 && [UInt8](hexadecimal: $0) != nil })
  }
}
