import GNSS
import Testing

@testable import SimulatedHardware

private func position(azimuth: Double, elevation: Double = 0) -> SkyPosition {
  SkyPosition(elevation: elevation * .pi / 180, azimuth: azimuth * .pi / 180)
}

/// Satellites on the horizon in four directions, and a satellite in the zenith.
let cross = [0, 90, 180, 270].map { position(azimuth: $0) } + [position(azimuth: 0, elevation: 90)]

@Test func `the dilutions follow from the directions of the satellites`() throws {
  let geometry = try #require(Geometry(of: cross, withAltitude: true))
  let up = try #require(geometry.up)
  // (HᵀH)⁻¹ has 1/2 for east and for north. The block of clock and up is [[5, 1], [1, 1]]⁻¹.
  #expect(abs(geometry.east - 0.5) < 1e-9 && abs(geometry.north - 0.5) < 1e-9 && abs(geometry.eastNorth) < 1e-9)
  #expect(abs(up - 1.25) < 1e-9)
  #expect(abs(geometry.hdop - 1) < 1e-9 && abs(geometry.pdop - 1.5) < 1e-9)
  #expect(geometry.vdop == up.squareRoot())
  let flat = try #require(Geometry(of: cross, withAltitude: false))
  #expect(abs(flat.east - 0.5) < 1e-9 && abs(flat.pdop - 1) < 1e-9 && flat.up == nil && flat.vdop == nil)
}

@Test func `the error is larger along the direction in which satellites are missing`() throws {
  // The satellites in the north-west and the south-east are high, so they contribute little to this direction.
  let directions = [
    position(azimuth: 45), position(azimuth: 225), position(azimuth: 135, elevation: 60),
    position(azimuth: 315, elevation: 60),
  ]
  let geometry = try #require(Geometry(of: directions, withAltitude: false))
  #expect(abs(geometry.east - 1.25) < 1e-9 && abs(geometry.north - 1.25) < 1e-9)
  #expect(abs(geometry.eastNorth + 0.75) < 1e-9)
  let size = ErrorSize(geometry: geometry, rangeError: 2)
  #expect(abs(size.east * size.east - 5) < 1e-9 && abs(size.north * size.north - 5) < 1e-9 && size.up == nil)
  // The eigenvalues of the covariance matrix are 8 and 2.
  let ellipse = size.ellipse
  #expect(abs(ellipse.semiMajor * ellipse.semiMajor - 8) < 1e-9)
  #expect(abs(ellipse.semiMinor * ellipse.semiMinor - 2) < 1e-9)
  #expect(abs(ellipse.orientation - 135) < 1e-6)
}

@Test func `too few satellites, or satellites in one direction, give no position`() {
  #expect(Geometry(of: Array(cross.prefix(3)), withAltitude: true) == nil)
  #expect(Geometry(of: Array(cross.prefix(2)), withAltitude: false) == nil)
  #expect(
    Geometry(of: [SkyPosition](repeating: position(azimuth: 30, elevation: 40), count: 6), withAltitude: true) == nil)
}

@Test func `the random numbers are those of the published generator`() {
  // The first outputs of the reference implementation of SplitMix64 for this seed.
  var random = RandomSource(seed: 1_234_567)
  let numbers = (0..<5).map { _ in random.next() }
  #expect(
    numbers == [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
      16_408_922_859_458_223_821,
    ])
}

@Test(arguments: [(300.0, 0.0), (0, 400), (-300, -400), (700, -700)])
func `a metre of the walk is a metre on the ground`(east: Double, north: Double) throws {
  let plane = LocalPlane(latitude: 47.3769, longitude: 8.5417)
  let origin = try #require(Coordinate(latitude: plane.latitude, longitude: plane.longitude))
  let degrees = plane.degrees(east: east, north: north)
  let (from, to) = (
    EarthCentredPoint(origin),
    EarthCentredPoint(try #require(Coordinate(latitude: degrees.latitude, longitude: degrees.longitude)))
  )
  let way = EarthCentredPoint(x: to.x - from.x, y: to.y - from.y, z: to.z - from.z).directions(at: origin)
  #expect(abs(way.east - east) < 0.2 && abs(way.north - north) < 0.2)
}
