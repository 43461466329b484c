import Base
import GNSS
import Testing

/// The ranges of the fields of GSV (NMEA 0183) and of their values in gpsd.
@Test func `a value of a satellite is stored in its range, and unknown outside of it`() {
  func check(_ field: WritableKeyPath<Satellite, Int?>, _ range: ClosedRange<Int>) {
    var satellite = Satellite(constellation: .gps, number: 7)
    for value in (range.lowerBound - 2)...(range.upperBound + 2) {
      satellite[keyPath: field] = value
      #expect(satellite[keyPath: field] == (range.contains(value) ? value : nil))
    }
    #expect(satellite == Satellite(constellation: .gps, number: 7))
  }
  check(\.elevation, -90...90)
  check(\.azimuth, 0...359)
  check(\.signalStrength, 0...99)
  check(\.signal, 0...15)
}

/// The identifiers are those of u-blox ("GNSS identifiers") and gpsd; 4 belongs to indoor transmitters.
@Test func `each constellation has one index and one identifier`() {
  #expect(Constellation.allCases.map(\.index) == Array(0...6))
  #expect((-1...8).compactMap(Constellation.init(gnssID:)).count == Constellation.allCases.count)
  for constellation in Constellation.allCases {
    #expect(Constellation(gnssID: constellation.gnssID) == constellation)
  }
}

@Test(arguments: [
  (90.0, 180.0, true), (-90, -180, true), (90.1, 0, false), (-90.1, 0, false), (0, 180.1, false), (0, -180.1, false),
  (.nan, 0, false), (0, .nan, false),
])
func `a coordinate is on the globe`(latitude: Double, longitude: Double, isValid: Bool) {
  #expect((Coordinate(latitude: latitude, longitude: longitude) != nil) == isValid)
}

/// A degree of a sphere with the mean radius of the earth is 111,195 m.
@Test(arguments: [
  (0.0, 0.0, 0.01, 0.0, 1111.95, 0.0), (60, 179.99, 60, -179.99, 0, 1111.95), (-60, 1, -60, 0.99, 0, -555.97),
])
func `a displacement has its components in metres, also across the meridian of 180 degrees`(
  latitude: Double, longitude: Double, otherLatitude: Double, otherLongitude: Double, north: Double, east: Double
) throws {
  let start = try #require(Coordinate(latitude: latitude, longitude: longitude))
  let end = try #require(Coordinate(latitude: otherLatitude, longitude: otherLongitude))
  let offset = start.flatOffset(to: end)
  #expect(abs(offset.north - north) < 0.01)
  #expect(abs(offset.east - east) < 0.01)
}

/// GPS time began on 1980-01-06.
@Test(arguments: [
  (1979, 12, 31, false), (1980, 1, 6, false), (1980, 1, 7, false), (1980, 1, 8, true), (1980, 2, 1, true),
  (1981, 1, 1, true), (2079, 12, 31, true), (2080, 1, 6, false),
])
func `a date near the start of GPS time is not plausible`(year: Int, month: Int, day: Int, isPlausible: Bool) throws {
  #expect(try #require(UTCDate(year: year, month: month, day: day)).isPlausible == isPlausible)
}
