import Base
import GNSS
import Testing
@testable import Decoding

private let allParts: [Part] = [
  (.navPOSLLH, posllh), (.navSTATUS, status), (.navDOP, dop()), (.navSOL, sol), (.navVELNED, velned),
  (.navTIMEGPS, timegps), (.navTIMEUTC, timeutc), (.navSVINFO, svinfo([(5, 40, 45, 180, 1)])),
]

@Test func `the messages of an older receiver make the same epoch as NAV-PVT`() throws {
  let older = try #require(epochs(allParts).first)
  let newer = try #require(epochs([(.navPVT, pvt), (.navDOP, dop())]).first)
  #expect(older.time == newer.time)
  #expect(older.coordinate == newer.coordinate)
  #expect((older.mode, older.quality) == (newer.mode, newer.quality))
  #expect((older.altitude, older.geoidSeparation) == (newer.altitude, newer.geoidSeparation))
  #expect((older.horizontalAccuracy, older.verticalAccuracy) == (newer.horizontalAccuracy, newer.verticalAccuracy))
  #expect((older.speed, older.course) == (3.3, newer.course))
  #expect((older.speedAccuracy, older.courseAccuracy) == (newer.speedAccuracy, newer.courseAccuracy))
  #expect(older.satellitesUsed == 9)
  #expect(older.dilutionOfPrecision.horizontal == newer.dilutionOfPrecision.horizontal)
  #expect(older.satellites.map(\.number) == [5])
}

@Test(arguments: allParts.indices)
func `the data of an older receiver is complete when all usual messages have arrived, in any order`(start: Int) throws {
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var epochs: [Epoch] = []
  for time: UInt32 in [1000, 2000, 3000] {
    for (index, part) in (allParts[start...] + allParts[..<start]).enumerated() {
      let payload = part.payload.with { $0.put(time, at: 0) }
      try assembler.process(part.identifier, payload.bytes.span, began: at(10), ended: at(12), into: &epochs)
      if time == 3000 { #expect(epochs.count == (index == allParts.count - 1 ? 3 : 2)) }
    }
  }
}

@Test func `NAV-SOL alone is a fix in the frame of the earth`() throws {
  let epoch = try #require(epochs([(.navTIMEGPS, timegps), (.navSOL, sol)]).first)
  let coordinate = try #require(epoch.coordinate)
  #expect(abs(coordinate.latitude - 47.285233) < 1e-7 && abs(coordinate.longitude - 8.565265) < 1e-7)
  #expect((epoch.mode, epoch.quality, epoch.satellitesUsed) == (.threeDimensional, .autonomous, 9))
  // NAV-SOL has no altitude above mean sea level.
  #expect(epoch.altitude == nil && epoch.geoidSeparation == nil)
  #expect((epoch.horizontalAccuracy, epoch.verticalAccuracy) == (5.24, 5.24))
  let (speed, course) = try (#require(epoch.speed), #require(epoch.course))
  #expect(abs(speed - 3.6055) < 0.01 && abs(course - 289.44) < 0.1)
  #expect(epoch.speedAccuracy == 0.21)
  #expect(try abs(#require(epoch.courseAccuracy) - 3.337) < 0.02)
  #expect(epoch.time?.iso8601 == "2026-11-21T07:31:34.199Z")
}

@Test func `the dilutions divide the error of NAV-SOL`() throws {
  let dilutions = dop().with { $0.put([227, 131] as [UInt16], at: 10) }
  let epoch = try #require(epochs([(.navSOL, sol), (.navDOP, dilutions)]).first)
  #expect((epoch.horizontalAccuracy, epoch.verticalAccuracy) == (5.24 * 1.31 / 2.62, 5.24 * 2.27 / 2.62))
}

@Test(arguments: [
  // fix, flags → a fix
  (3 as UInt8, 0x0D as UInt8, true), (2, 0x01, true), (4, 0x01, true), (0, 0x00, false), (3, 0x0C, false),
  (2, 0x02, false), (5, 0x0D, false), (0, 0x01, false), (9, 0x01, false),
])
func `a position without a valid fix is withheld, also a position that is set for time only`(
  type: UInt8, flags: UInt8, isFix: Bool
) throws {
  let parts: [[Part]] = [
    [(.navSOL, sol.with { ($0.bytes[10], $0.bytes[11]) = (type, flags) })],
    [(.navSOL, sol.with { ($0.bytes[10], $0.bytes[11]) = (type, flags) }), (.navPOSLLH, posllh)],
    [(.navPOSLLH, posllh), (.navSTATUS, status.with { ($0.bytes[4], $0.bytes[5]) = (type, flags) })],
  ]
  for parts in parts {
    let epoch = try #require(epochs(parts).first)
    #expect((epoch.coordinate != nil) == isFix)
    #expect((epoch.quality == .invalid) == !isFix)
    #expect((epoch.horizontalAccuracy != nil) == isFix)
  }
}

@Test func `a position whose validity is unknown is no epoch`() throws {
  #expect(try epochs([(.navPOSLLH, posllh), (.navVELNED, velned), (.navTIMEUTC, timeutc)]).isEmpty)
  #expect(try epochs([(.navSTATUS, status), (.navVELNED, velned)]).isEmpty)
  // NAV-STATUS of another epoch does not count.
  let later = status.with { $0.put(UInt32(545_513_200), at: 0) }
  #expect(try epochs([(.navPOSLLH, posllh), (.navSTATUS, later)]).isEmpty)
}

@Test func `without a velocity the speed is unknown, and without NAV-SOL the number of satellites`() throws {
  let epoch = try #require(epochs([(.navPOSLLH, posllh), (.navSTATUS, status)]).first)
  #expect(epoch.coordinate != nil)
  #expect(epoch.speed == nil && epoch.course == nil && epoch.satellitesUsed == nil)
}

@Test func `a receiver at the centre of the earth has no position`() throws {
  let empty = sol.with { $0.put([0, 0, 0] as [Int32], at: 12) }
  #expect(try #require(epochs([(.navSOL, empty)]).first).coordinate == nil)
}

@Test func `a receiver that stands has no course`() throws {
  let still = sol.with { $0.put([3, 3, 3] as [Int32], at: 28) }
  let epoch = try #require(epochs([(.navSOL, still)]).first)
  #expect(epoch.course == nil && epoch.speed != nil)
}

@Test func `NAV-PVT has priority over the older messages, in any order`() throws {
  let other = posllh.with { $0.put(Int32(480_000_000), at: 8) }
  let parts: [Part] = [(.navPVT, pvt), (.navPOSLLH, other), (.navSTATUS, status), (.navSOL, sol)]
  for start in parts.indices {
    let found = try epochs(Array(parts[start...] + parts[..<start]))
    #expect(found.map(\.coordinate) == [Coordinate(latitude: 47.285233, longitude: 8.565265)])
  }
}

@Test(
  arguments: [
    // week, time of week, fraction, leap seconds → time
    (2445, 545_512_200, 0, 18, "2026-11-21T07:31:34.200Z"), (2445, 0, 0, 18, "2026-11-14T23:59:42.000Z"),
    (2445, 17_999, 999_999, 18, "2026-11-14T23:59:59.999Z"), (2445, 18_000, 0, 18, "2026-11-15T00:00:00.000Z"),
    (2445, 18_000, -1, 18, "2026-11-14T23:59:59.999Z"), (1, 86_400_000, 0, 0, "1980-01-14T00:00:00.000Z"),
  ] as [(Int16, UInt32, Int32, Int8, String)])
func `the leap seconds convert GPS time to UTC`(
  week: Int16, time: UInt32, fraction: Int32, leap: Int8, text: String
) throws {
  let solution = sol.with {
    $0.put(time, at: 0)
    $0.put(fraction, at: 4)
    $0.put(week, at: 8)
  }
  let leapSeconds = timegps.with {
    $0.put(time, at: 0)
    $0.put(leap, at: 10)
  }
  #expect(try epochs([(.navSOL, solution), (.navTIMEGPS, leapSeconds)]).first?.time?.iso8601 == text)
}

@Test func `a time that is not in UTC is unknown`() throws {
  for flags: UInt8 in [0, 1, 2, 3] {
    let time = timeutc.with { $0.bytes[19] = flags }
    let gps = timegps.with { $0.bytes[11] = flags }
    #expect(try epochs([(.navSOL, sol), (.navTIMEUTC, time), (.navTIMEGPS, gps)]).first?.time == nil)
  }
  // The week is not known yet.
  let unset = sol.with { $0.bytes[11] = 0x01 }
  #expect(try epochs([(.navSOL, unset), (.navTIMEGPS, timegps)]).first?.time == nil)
}

@Test func `a week rollover of an older receiver is corrected`() throws {
  let floor = try #require(UTCDate(year: 2026, month: 1, day: 1))
  let old = sol.with { $0.put(Int16(2445 - 1024), at: 8) }
  let epoch = try #require(epochs([(.navTIMEGPS, timegps), (.navSOL, old)], floor: floor).first)
  #expect(epoch.time?.iso8601 == "2026-11-21T07:31:34.199Z")
  #expect(epoch.isDateCorrected)
}

@Test func `satellite numbers of older receivers become numbers within the systems`() throws {
  let payload = svinfo([
    (1, 40, 45, 180, 1), (32, 0, -91, 0, 0), (33, 30, 10, 360, 0), (64, 99, 90, 0, 1), (65, 40, 1, 1, 0),
    (96, 40, 1, 1, 0), (120, 40, 1, 1, 0), (158, 40, 1, 1, 0), (159, 40, 1, 1, 0), (163, 40, 1, 1, 0),
    (173, 40, 1, 1, 0), (193, 40, 1, 1, 0), (202, 40, 1, 1, 0), (211, 40, 1, 1, 0), (246, 40, 1, 1, 0),
    (255, 40, 1, 1, 0), (0, 40, 1, 1, 0),
  ])
  var satellites: [Satellite] = []
  _ = try NavSVINFO.read(payload.bytes.span, into: &satellites)
  #expect(
    satellites.map { "\($0.constellation?.rawValue ?? "-") \($0.number)" } == [
      "gps 1", "gps 32", "beidou 6", "beidou 37", "glonass 1", "glonass 32", "sbas 120", "sbas 158", "beidou 1",
      "beidou 5", "qzss 1", "qzss 10", "galileo 1", "galileo 36",
    ])
  let first = Satellite(
    constellation: .gps, number: 1, elevation: 45, azimuth: 180, signalStrength: 40, isUsed: true)
  #expect(satellites[0] == first)
  #expect(satellites[1] == Satellite(constellation: .gps, number: 32, isUsed: false))
  #expect(satellites[2].azimuth == 0)
}

@Test func `a NAV-SVINFO does not replace the satellites of NAV-SAT`() throws {
  let newer = sat([SampleSatellite(gnss: 0, number: 7)])
  let older = svinfo([(5, 40, 45, 180, 1)])
  for parts: [Part] in [
    [(.navSAT, newer), (.navSVINFO, older), (.navPVT, pvt)], [(.navSVINFO, older), (.navSAT, newer), (.navPVT, pvt)],
  ] {
    #expect(try #require(epochs(parts).first).satellites.map(\.number) == [7])
  }
}

@Test(arguments: [(47.285233, 8.565265), (0, 0), (-33.9, 151.2), (-89.9999, -45), (90, 0), (12, 180)])
func `the point of a coordinate is on the ellipsoid and has this coordinate`(
  latitude: Double, longitude: Double
) throws {
  let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
  let geodetic = try #require(EarthCentredPoint(coordinate).geodetic)
  #expect(abs(geodetic.coordinate.latitude - latitude) < 1e-9 && abs(geodetic.height) < 1e-3)
  #expect(latitude == 90 || abs(geodetic.coordinate.longitude - longitude) < 1e-9)
}

@Test(arguments: [
  (47.285233, 8.565265, 456.789, [4_286_406.201_01, 645_600.205_522, 4_663_669.024_776]),
  (-33.9, 151.2, -20, [-4_643_931.480_511, 2_553_022.935_875, -3_537_234.193_003]),
  (-89.9999, -45, 3000, [7.901_659_439_199, -7.901_659_439_199, -6_359_752.314_235]),
])
func `a point of the earth-centred frame is converted to a coordinate`(
  latitude: Double, longitude: Double, height: Double, point: [Double]
) throws {
  let geodetic = try #require(EarthCentredPoint(x: point[0], y: point[1], z: point[2]).geodetic)
  #expect(abs(geodetic.coordinate.latitude - latitude) < 1e-9)
  #expect(abs(geodetic.coordinate.longitude - longitude) < 1e-9)
  #expect(abs(geodetic.height - height) < 1e-3)
}

@Test(arguments: [(0.0, false), (999_999.999_999_7, false), (1e6, true)])
func `a point nearer than 1000 km to the centre of the earth has no coordinate`(distance: Double, hasCoordinate: Bool) {
  let points = [(distance, 0, 0), (0, distance, 0), (0, 0, -distance)].map { EarthCentredPoint(x: $0, y: $1, z: $2) }
  #expect(points.allSatisfy { ($0.geodetic != nil) == hasCoordinate })
}

@Test(arguments: [(47.285233, 8.565265), (0, 0), (-33.9, 151.2), (-80, -45), (12, 180)])
func `a step to the north or east in the earth-centred frame has this direction`(
  latitude: Double, longitude: Double
) throws {
  let here = EarthCentredPoint(try #require(Coordinate(latitude: latitude, longitude: longitude)))
  for (north, east) in [(1e-5, 0.0), (0, 1e-5)] {
    let coordinate = try #require(Coordinate(latitude: latitude, longitude: longitude))
    // At 180°, a step to the east leads to -180°.
    let turned = longitude + east > 180 ? longitude + east - 360 : longitude + east
    let there = EarthCentredPoint(try #require(Coordinate(latitude: latitude + north, longitude: turned)))
    let step = EarthCentredPoint(x: there.x - here.x, y: there.y - here.y, z: there.z - here.z)
      .directions(at: coordinate)
    let length = (step.north * step.north + step.east * step.east).squareRoot()
    #expect(abs(step.north / length - (north > 0 ? 1 : 0)) < 1e-6)
    #expect(abs(step.east / length - (east > 0 ? 1 : 0)) < 1e-6)
  }
}

@Test(arguments: [(1.0, 0.0, 0.0), (0, 1, 90), (-1, 0, 180), (0, -1, 270), (1, -1, 315), (1, -1e-20, 0)])
func `a course is below 360 degrees`(north: Double, east: Double, course: Double) {
  #expect(abs(EarthCentredPoint.course(north: north, east: east) - course) < 1e-9)
}

private let fine = Payload(36).with { payload in
  payload.put([545_512_200, 85_652_654, 472_852_330, 500_000, 452_000] as [Int32], at: 4)
  payload.put([99, -99, 9, -9] as [Int8], at: 24)
  payload.put([143, 200] as [UInt32], at: 28)
}

@Test func `NAV-HPPOSLLH adds digits to NAV-PVT, and stands for NAV-POSLLH`() throws {
  let expected = Coordinate(latitude: 47.285232901, longitude: 8.565265499)
  for parts: [Part] in [
    [(.navPVT, pvt), (.navHPPOSLLH, fine)], [(.navHPPOSLLH, fine), (.navPVT, pvt)],
    [(.navHPPOSLLH, fine), (.navSTATUS, status)], [(.navPOSLLH, posllh), (.navHPPOSLLH, fine), (.navSOL, sol)],
  ] {
    let epoch = try #require(epochs(parts).first)
    #expect(epoch.coordinate == expected)
    #expect((epoch.horizontalAccuracy, epoch.verticalAccuracy) == (0.0143, 0.02))
    #expect(epoch.altitude == 451.9991)
  }
  // A position that is marked as invalid changes nothing.
  let invalid = fine.with { $0.put(UInt8(1), at: 3) }
  let plain = try #require(epochs([(.navPVT, pvt)]).first)
  #expect(try epochs([(.navPVT, pvt), (.navHPPOSLLH, invalid)]).map(\.coordinate) == [plain.coordinate])
  #expect(throws: UBXError.payloadLength(.navHPPOSLLH, 35)) { try epochs([(.navHPPOSLLH, Payload(35))]) }
}

@Test(arguments: [(1980, 1, 7), (1980, 1, 1), (1979, 12, 31), (2080, 1, 6), (2155, 5, 5), (0, 1, 1), (65535, 12, 31)])
func `a date on which no receiver has measured is unknown`(year: UInt16, month: UInt8, day: UInt8) throws {
  let solution = pvt.with {
    $0.put(year, at: 4)
    ($0.bytes[6], $0.bytes[7]) = (month, day)
  }
  let epoch = try #require(epochs([(.navPVT, solution)]).first)
  #expect(epoch.date == nil && epoch.coordinate != nil && epoch.timeOfDay != nil)
}
