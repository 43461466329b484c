import Base
import Testing

@Suite struct DigitsTests {
  @Test(arguments: [(0, 2, 10, "00"), (7, 1, 10, "7"), (123, 2, 10, "123"), (10, 2, 16, "0a"), (0x42, 4, 16, "0042")])
  func `a number has at least the wanted digits`(number: Int, width: Int, radix: Int, text: String) {
    #expect(number.digits(width, radix: radix) == text)
  }

  @Test(arguments: [
    (0.0, 1, "0.0"), (1.25, 1, "1.3"), (-1.25, 1, "-1.3"), (-0.04, 1, "0.0"), (0.999, 2, "1.00"),
    (12.0345, 4, "12.0345"),
  ])
  func `a decimal number is rounded, and zero has no sign`(number: Double, decimals: Int, text: String) {
    #expect(number.decimal(decimals) == text)
  }

  @Test func `a decimal number is rounded up on request`() { #expect(1.001.decimal(2, .up) == "1.01") }
}

@Suite struct NMEATextTests {
  @Test func `a sentence has a checksum of two upper-case digits`() {
    #expect(
      NMEAText.sentence("GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,")
        == "$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,*5B")
    #expect(NMEAText.sentence("AB") == "$AB*03")
  }

  @Test(arguments: [
    (0.0, "0000.00000,N"), (-0.00000001, "0000.00000,S"), (89.9999999999, "9000.00000,N"), (-45.5, "4530.00000,S"),
    (-7.99999999, "0800.00000,S"), (59.9999999 / 60, "0100.00000,N"), (47.285233, "4717.11398,N"),
  ])
  func `coordinates have degrees, minutes below 60 and a hemisphere`(latitude: Double, text: String) {
    #expect(NMEAText.latitude(latitude) == text)
    #expect(NMEAText.longitude(8.5652667) == "00833.91600,E" && NMEAText.longitude(-180) == "18000.00000,W")
  }

  @Test func `times are truncated, and dates have two digits for the year`() throws {
    let time = try #require(UTCTime(iso8601: "2026-01-09T07:31:34.999Z"))
    #expect(NMEAText.time(time.timeOfDay, decimals: 2) == "073134.99")
    #expect(NMEAText.time(time.timeOfDay, decimals: 3) == "073134.999")
    #expect(NMEAText.date(time.date) == "090126")
  }
}
