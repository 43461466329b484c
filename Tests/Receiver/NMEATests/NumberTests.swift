@testable import Decoding
import Sentences
import Testing

private func course(_ text: String) -> Double? { number(.course, in: "GPVTG,\(text),T,,M,,N,,K,A") }

@Test(arguments: [
  "0", "0.0", "1", "12", "123", "123.4", "123.45", "123.456", "123.4567", "0.1", ".5", "5.", "+1.5", "0.123456789",
  "0.1234567890123456", "123.456789012345678", "000000000.125", "0.000000000000001", "00123.4",
])
func `a number is the nearest Double to its digits`(text: String) throws {
  let trimmed = text.hasPrefix(".") ? "0" + text : text.hasSuffix(".") ? text + "0" : text
  #expect(course(text) == Double(trimmed))
}

@Test(arguments: [
  ".", "-", "+", "1.2.3", "1e5", "0x10", "nan", "inf", "1 2", "--1", "1-", "-1", "361", "12345678901234567890",
])
func `a field that is not a number, or is out of range, is unknown and counted`(text: String) {
  let recorder = decode(nmeaSentence("GPVTG,\(text),T,,M,5.0,N,,K,A"))
  #expect(course(text) == nil && number(.speed, in: "GPVTG,\(text),T,,M,5.0,N,,K,A") == 5 * 1852.0 / 3600)
  #expect(recorder.errors == [])
  #expect(recorder.unreadable == ["VTG field 1"])
}

@Test func `a character between digits makes a number unknown`() {
  for byte in UInt8(0x20)...0x7E where !"0123456789.,*$!".utf8.contains(byte) {
    let other = Character(UnicodeScalar(byte))
    for text in ["1\(other)2", "12\(other)", "1.2\(other)", "1.2\(other)3", "12345678\(other)9"] {
      #expect(course(text) == nil, "\(text)")
    }
  }
}

@Test func `numbers with many digits are rounded correctly`() {
  var state: UInt64 = 7
  for _ in 0..<3000 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let digits = String(state)
    let decimals = Int(state >> 60) + 1
    let fraction = String(digits.prefix(decimals))
    let text = "\(state >> 40 % 300).\(fraction)"
    #expect(course(text) == Double(text))
  }
}

@Test func `a course of 360 degrees is 0`() {
  #expect(course("360.0") == 0)
}
