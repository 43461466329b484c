import GNSS
import Testing

@testable import SimulatedHardware

private func satellite(
  _ constellation: Constellation, _ number: Int, elevation: Double = 45, azimuth: Double = 90, strength: Int? = nil
) -> TrackedSatellite {
  TrackedSatellite(
    constellation: constellation, number: number,
    position: SkyPosition(elevation: elevation * .pi / 180, azimuth: azimuth * .pi / 180), strength: strength,
    isUsed: strength != nil)
}

/// Returns the sentences of a receiver with a fix, without checksums.
private func lines(speed: Double = 1.5, course: Double = 123.456, hasAltitude: Bool = true) throws -> [String] {
  var geometry = try #require(Geometry(of: cross, withAltitude: hasAltitude))
  (geometry.east, geometry.north) = (1.25, 1.25)
  if hasAltitude { geometry.up = 2.25 }
  var size = ErrorSize(geometry: geometry, rangeError: 1)
  // The longer axis is a millionth of a degree west of north.
  (size.east, size.north, size.eastNorth) = (3, 4, -1e-7)
  if hasAltitude { size.up = 5 }
  let report = EpochReport(
    time: startOfTests,
    solution: EpochReport.Solution(
      latitude: 47.3769, longitude: 8.5417, altitude: hasAltitude ? 408.24 : nil, geoidSeparation: 47.3, speed: speed,
      course: course, geometry: geometry, size: size, rangeResidual: 1.44),
    satellites: (1...5).map { satellite(.gps, $0, strength: 40 + $0) } + [
      satellite(.gps, 7, elevation: 5.4, azimuth: 359.7), satellite(.glonass, 70, elevation: 6, azimuth: -10),
    ],
    knowsSky: true)
  return String(decoding: report.bytes, as: UTF8.self).split(separator: "\r\n")
    .map { String($0.dropLast(3)) }
}

@Test func `the sentences of a fix have the format of a u-blox M10`() throws {
  let place = "4722.61400,N,00832.50200,E"
  let dilutions = "2.18,1.58,1.50"
  #expect(
    try lines() == [
      "$GNRMC,073134.20,A,\(place),2.916,123.46,211126,,,A,V", "$GNVTG,123.46,T,,M,2.916,N,5.400,K,A",
      "$GNGGA,073134.20,\(place),1,05,1.58,408.2,M,47.3,M,,", "$GNGSA,A,3,01,02,03,04,05,,,,,,,,\(dilutions),1",
      "$GNGSA,A,3,,,,,,,,,,,,,\(dilutions),2", "$GNGSA,A,3,,,,,,,,,,,,,\(dilutions),3",
      "$GPGSV,2,1,05,01,45,090,41,02,45,090,42,03,45,090,43,04,45,090,44,1", "$GPGSV,2,2,05,05,45,090,45,1",
      "$GPGSV,1,1,01,07,05,000,,0", "$GLGSV,1,1,01,70,06,350,,0", "$GAGSV,1,1,00,0",
      "$GNGST,073134.20,1.44,4.00,3.00,0.0,4.00,3.00,5.00",
    ])
}

@Test func `without an altitude, the sentences have no height and no vertical error`() throws {
  let lines = try lines(hasAltitude: false)
  #expect(lines.contains("$GNGGA,073134.20,4722.61400,N,00832.50200,E,1,05,1.58,,,,,,"))
  #expect(lines.contains("$GNGSA,A,2,,,,,,,,,,,,,1.58,1.58,99.99,2"))
  #expect(lines.contains("$GNGST,073134.20,1.44,4.00,3.00,0.0,4.00,3.00,"))
}

@Test(arguments: [
  (0.3, 0, "0.00"), (0.3, 359, "359.00"), (0.3, 359.994, "359.99"), (0.3, 359.996, "0.00"), (0.299, 123.456, ""),
])
func `the course is below 360 degrees, and empty below 0.3 metres per second`(
  speed: Double, course: Double, text: String
) throws {
  let lines = try lines(speed: speed, course: course)
  #expect(lines[0].hasSuffix(",\(text),211126,,,A,V") && lines[1].hasPrefix("$GNVTG,\(text),T,"))
}
