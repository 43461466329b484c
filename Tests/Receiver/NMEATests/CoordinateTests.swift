import Decoding
import GNSS
import Sentences
import Testing

func rmc(latitude: String = "4807.038", _ north: String = "N", longitude: String = "01131.000", _ east: String = "E")
  -> String
{
  nmeaSentence("GPRMC,123519,A,\(latitude),\(north),\(longitude),\(east),022.4,084.4,211126,,,A")
}

@Test(arguments: [
  ("4807.038", 48, 7.038), ("4807.0380", 48, 7.038), ("0000.0001", 0, 0.0001), ("8959.99999999", 89, 59.99999999),
  ("3725.58362", 37, 25.58362), ("3509.9236360", 35, 9.923636), ("0959.9999999", 9, 59.9999999),
  ("9000.00000", 90, 0), ("3509.92363601234", 35, 9.92363601234),
  // Without leading zeros of the degrees, and without decimals.
  ("807.038", 8, 7.038), ("7.038", 0, 7.038), ("04807.038", 48, 7.038), ("4807.", 48, 7), ("4807", 48, 7),
])
func `a latitude is the nearest number to its digits`(text: String, degrees: Int, minutes: Double) throws {
  for (letter, sign) in [("N", 1.0), ("S", -1.0)] {
    let coordinate = try #require(decode(rmc(latitude: text, letter)).epochs.first?.coordinate)
    let latitude = sign * (Double(degrees) + minutes / 60)
    #expect(abs(coordinate.latitude - latitude) < 1e-11)
    #expect(coordinate.longitude == 11 + 31.0 / 60)
  }
}

@Test func `coordinates are rounded once`() throws {
  var state: UInt64 = 42
  for _ in 0..<2000 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let degrees = Int(state >> 33 % 180)
    let fraction = Int(state >> 20 % 60_000_000)
    let digits = String(fraction % 1_000_000)
    let decimals = String(repeating: "0", count: 6 - digits.count) + digits
    func two(_ value: Int, _ width: Int) -> String {
      String(repeating: "0", count: width - String(value).count) + String(value)
    }
    let longitude = "\(two(degrees, 3))\(two(fraction / 1_000_000, 2)).\(decimals)"
    let coordinate = try #require(decode(rmc(longitude: longitude)).epochs.first?.coordinate)
    // Both are integers below 2^53, so the quotient is correctly rounded.
    #expect(coordinate.longitude == Double(degrees * 60_000_000 + fraction) / 60_000_000)
  }
}

private let malformedLatitudes = [
  ("4860.000", "N"), ("4899.999", "N"), ("-4807.038", "N"), ("+4807.038", "N"), ("4807038", "N"), (".038", "N"),
  ("100000.0", "N"), ("4807.03x", "N"), ("4807.0.8", "N"), ("9000.001", "N"), ("9100.000", "S"), ("4807.038", ""),
  ("4807.038", "E"), ("4807.038", "n"), ("4807.038", "NN"), ("", ""), ("4807 .038", "N"), ("48O7.038", "N"),
  ("4807.038123456789", "N"),
]
private let malformedLongitudes = [
  ("18000.001", "E"), ("19000.000", "W"), ("01160.000", "E"), ("1160.000", "E"), ("01131.000", "N"), ("01131.000", ""),
]

@Test(arguments: malformedLatitudes.map { rmc(latitude: $0, $1) } + malformedLongitudes.map { rmc(longitude: $0, $1) })
func `a malformed latitude or longitude fails its sentence`(sentence: String) {
  let recorder = decode(sentence)
  #expect(recorder.epochs == [])
  #expect(recorder.errors.map(\.cause) == [.invalidField])
}

@Test(
  arguments: [
    ("00001.341", 0, 1.341), ("001.341", 0, 1.341), ("1.341", 0, 1.341), ("1341.290", 13, 41.29), ("10.5", 0, 10.5),
    ("100.102", 1, 0.102), ("17959.999", 179, 59.999),
  ] as [(String, Double, Double)])
func `the degrees of a longitude end two digits before the dot`(
  text: String, degrees: Double, minutes: Double
) throws {
  let coordinate = try #require(decode(rmc(longitude: text, "W")).epochs.first?.coordinate)
  #expect(abs(coordinate.longitude + degrees + minutes / 60) < 1e-12)
}

@Test(arguments: [
  "GPRMC,000416.984,V,36000.0000,N,72000.0000,E,0.0,,260120,,",
  "GPRMC,071732.929,V,8960.0000,N,00000.0000,E,,,111111,,,N",
  "GPGGA,071733.929,8960.0000,N,00000.0000,E,0,0,,137.0,M,13.0,M,,", "GPGLL,36000.0000,N,72000.0000,E,000452.981,V",
  "GPGLL,3728.0549,N,12213.8639,W,014413.076,N,V", "GNGNS,071733.929,8960.0000,N,00000.0000,E,NN,00,,,,,",
  "PUBX,00,081350.00,0000.0,N,72000.0,E,0.0,NF,5303302,3750001,0.0,0.0,0.0,,99.99,99.99,99.99,0,0,0",
  "GPRMC,123519,V,,,,,,,211126,,,N", "GPRMC,123519,V,,N,,E,,,211126,,,N",
  // 360 degrees also mean that there is no fix.
  "GPGGA,123519,36000.0000,N,36000.0000,E,1,00,0.0,,M,,M,,",
])
func `a sentence without a fix is read whatever its position is`(content: String) {
  let recorder = decode(nmeaSentence(content))
  #expect(recorder.errors == [])
  #expect(recorder.epochs.map { $0.coordinate == nil && $0.timeOfDay != nil } == [true])
}

@Test func `zero degrees south and west are not negative zero`() throws {
  let south = try #require(decode(rmc(latitude: "0000.0000", "S")).epochs.first?.coordinate)
  let west = try #require(decode(rmc(longitude: "00000.0000", "W")).epochs.first?.coordinate)
  #expect(south.latitude == 0 && south.latitude.sign == .plus)
  #expect(west.longitude == 0 && west.longitude.sign == .plus)
}
