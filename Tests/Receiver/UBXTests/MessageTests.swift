import Base
import GNSS
import Testing
@testable import Decoding

// The testing macros do not support spans.
private func solution(_ payload: Payload) throws -> NavPVT { try NavPVT(payload.bytes.span) }
private func dilution(_ payload: Payload) throws -> NavDOP { try NavDOP(payload.bytes.span) }
private func report(_ payload: Payload) throws -> [Satellite] {
  var satellites: [Satellite] = []
  _ = try NavSAT.read(payload.bytes.span, into: &satellites)
  return satellites
}
private func version(_ payload: Payload) throws -> MonVER { try MonVER(payload.bytes.span) }

/// Parses a message. Returns the epochs that it makes.
@discardableResult
private func parse(_ identifier: UBXIdentifier, _ payload: [UInt8]) throws(UBXError) -> [Epoch] {
  let now = MonotonicInstant(nanoseconds: 0)
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var epochs: [Epoch] = []
  switch identifier {
  case .monVER:
    let version = try MonVER(payload.span)
    #expect(version.protocolVersion.map { $0 >= 0 } ?? true)
  case .ack, .nak: _ = try Acknowledgement(identifier, payload.span)
  default: try assembler.process(identifier, payload.span, began: now, ended: now, into: &epochs)
  }
  assembler.silence(into: &epochs)
  return epochs
}

@Test(arguments: [
  (UBXIdentifier.monVER, [UInt8](), [0xB5, 0x62, 0x0A, 0x04, 0x00, 0x00, 0x0E, 0x34] as [UInt8]),
  (
    UBXIdentifier(0x06, 0x08), [0xC8, 0x00, 0x01, 0x00, 0x01, 0x00],
    [0xB5, 0x62, 0x06, 0x08, 0x06, 0x00, 0xC8, 0x00, 0x01, 0x00, 0x01, 0x00, 0xDE, 0x6A]
  ),
  (
    UBXIdentifier(0x06, 0x8A), [0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x21, 0x30, 0xC8, 0x00],
    [
      0xB5, 0x62, 0x06, 0x8A, 0x0A, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01, 0x00, 0x21, 0x30, 0xC8, 0x00, 0xB6, 0x8B,
    ]
  ),
])
func `an encoded frame matches those of u-blox's tools`(identifier: UBXIdentifier, payload: [UInt8], frame: [UInt8]) {
  #expect(UBXFrame.encode(identifier, payload) == frame)
}

@Test(arguments: [
  // hour, minute, second, fraction → the same time
  (7, 31, 34, -5, "2026-11-20", 7, 31, 33, 999_999_995), (7, 31, 0, -1, "2026-11-20", 7, 30, 59, 999_999_999),
  (0, 0, 0, -250_000, "2026-11-19", 23, 59, 59, 999_750_000), (0, 0, 0, 0, "2026-11-20", 0, 0, 0, 0),
  (7, 31, 34, -1_000_000_000, "2026-11-20", 7, 31, 33, 0), (23, 59, 59, 1_000_000_000, "2026-11-21", 0, 0, 0, 0),
  (23, 59, 60, 500_000_000, "2026-11-20", 23, 59, 60, 500_000_000),
  (23, 59, 60, -5, "2026-11-20", 23, 59, 59, 999_999_995),
  (23, 59, 60, 1_000_000_000, "2026-11-20", 23, 59, 60, 999_999_999),
])
func `a negative fraction belongs to the previous second, and a leap second to its minute`(
  hour: Int, minute: Int, second: Int, fraction: Int32, date: String, hour2: Int, minute2: Int, second2: Int,
  nanosecond: Int
) throws {
  let read = try solution(
    pvt.with { payload in
      payload.put([20, UInt8(hour), UInt8(minute), UInt8(second)], at: 7)
      payload.put(fraction, at: 16)
    })
  #expect(read.timeOfDay == TimeOfDay(hour: hour2, minute: minute2, second: second2, nanosecond: nanosecond))
  let time = try #require(read.timeOfDay)
  #expect(read.date.map { UTCTime(date: $0, timeOfDay: time).iso8601.hasPrefix(date) } == true)
}

@Test(arguments: [
  (0x00 as UInt8, false, false), (0x01, true, false), (0x02, false, true), (0x03, true, true), (0x07, true, true),
  (0x04, false, false),
])
func `a date or a time that is not valid is unknown`(flags: UInt8, hasDate: Bool, hasTime: Bool) throws {
  let read = try solution(pvt.with { $0.put(flags, at: 11) })
  #expect((read.date != nil) == hasDate)
  #expect((read.timeOfDay != nil) == hasTime)
}

@Test(arguments: [(6, 0), (6, 13), (7, 0), (7, 32), (8, 24), (9, 60), (10, 61)])
func `a time that does not exist is unknown`(offset: Int, value: UInt8) throws {
  let read = try solution(pvt.with { $0.put(value, at: offset) })
  #expect(read.date == nil || read.timeOfDay == nil)
}

@Test func `a missing estimate is unknown`() throws {
  let read = try solution(
    pvt.with { payload in for offset in [12, 40, 44, 68, 72] { payload.put(UInt32(0), at: offset) } })
  #expect(read.horizontalAccuracy == nil && read.verticalAccuracy == nil)
  #expect(read.speedAccuracy == nil && read.courseAccuracy == nil)
  #expect(try solution(pvt.with { $0.put(UInt16(0), at: 76) }).positionDilution == nil)
  // The largest number is the worst error, and not an unknown one.
  #expect(try solution(pvt.with { $0.put(UInt32.max, at: 40) }).horizontalAccuracy == 4_294_967.295)
  let invalid = try solution(pvt.with { $0.put(UInt8(1), at: 78) })
  #expect(invalid.coordinate == nil && invalid.height == nil && invalid.altitude == nil)
  let beyond = try solution(pvt.with { $0.put(Int32(900_000_001), at: 28) })
  #expect(beyond.coordinate == nil)
}

@Test(arguments: [(-100_000, 359.0), (36_000_000, 0), (0, 0), (35_999_999, 359.99999), (-36_000_000, 0)])
func `a course is from 0 to below 360 degrees`(raw: Int32, course: Double) throws {
  #expect(try solution(pvt.with { $0.put(raw, at: 64) }).course == course)
}

@Test func `a dilution of 0 is unknown, and one of 99.99 is a bad one`() throws {
  let known = try dilution(dop())
  #expect((known.position, known.vertical, known.horizontal) == (1.31, 1.08, 0.74))
  let unknown = try dilution(dop().with { $0.put([0, 0, 0, 0, 0, 0, 0] as [UInt16], at: 4) })
  #expect(unknown.position == nil && unknown.horizontal == nil && unknown.vertical == nil)
  #expect(try dilution(dop().with { $0.put(UInt16(9999), at: 12) }).horizontal == 99.99)
}

@Test func `satellites keep their systems' numbers, and unknown values are nil`() throws {
  let read = try report(
    sat([
      SampleSatellite(gnss: 0, number: 5), SampleSatellite(gnss: 1, number: 131, strength: 0, flags: 0),
      SampleSatellite(gnss: 2, number: 12, elevation: -91, azimuth: 0), SampleSatellite(gnss: 3, number: 37),
      SampleSatellite(gnss: 4, number: 1), SampleSatellite(gnss: 5, number: 2, azimuth: 360),
      SampleSatellite(gnss: 6, number: 255), SampleSatellite(gnss: 6, number: 9, flags: 0x17),
      SampleSatellite(gnss: 7, number: 3), SampleSatellite(gnss: 99, number: 1),
    ]))
  #expect(
    read == [
      Satellite(constellation: .gps, number: 5, elevation: 45, azimuth: 180, signalStrength: 40, isUsed: true),
      Satellite(constellation: .sbas, number: 131, elevation: 45, azimuth: 180, isUsed: false),
      Satellite(constellation: .galileo, number: 12, signalStrength: 40, isUsed: true),
      Satellite(constellation: .beidou, number: 37, elevation: 45, azimuth: 180, signalStrength: 40, isUsed: true),
      Satellite(constellation: .qzss, number: 2, elevation: 45, azimuth: 0, signalStrength: 40, isUsed: true),
      Satellite(constellation: .glonass, number: 9, elevation: 45, azimuth: 180, signalStrength: 40, isUsed: false),
      Satellite(constellation: .navic, number: 3, elevation: 45, azimuth: 180, signalStrength: 40, isUsed: true),
    ])
  #expect(throws: UBXError.version(.navSAT, 2)) {
    _ = try report(sat([]).with { $0.put(UInt8(2), at: 4) })
  }
}

@Test(
  arguments: [
    (["PROTVER=34.10", "MOD=MAX-M10S"], 3410, true, "MAX-M10S"),
    (["FWVER=SPG 3.01", "PROTVER=18.00"], 1800, false, nil),
    (["PROTVER 14.00"], 1400, false, nil), (["PROTVER=23.01"], 2301, true, nil), (["PROTVER=32"], 3200, true, nil),
    ([], nil, true, nil), (["PROTVER="], nil, true, nil), (["PROTVER=x.y"], nil, true, nil),
    (["PROTVER=-1.00"], nil, true, nil), (["PROTVERSE=34.10"], nil, true, nil),
  ] as [([String], Int?, Bool, String?)])
func `the version shows whether the receiver may support keys`(
  extensions: [String], number: Int?, maySupportKeys: Bool, model: String?
) throws {
  let read = try version(ver("ROM SPG 5.10 (7b202e)", "000A0000", extensions))
  #expect((read.software, read.hardware, read.extensions) == ("ROM SPG 5.10 (7b202e)", "000A0000", extensions))
  #expect((read.protocolVersion, read.maySupportKeys, read.model) == (number, maySupportKeys, model))
}

private let samples: [(UBXIdentifier, [UInt8], least: Int)] = [
  (.navPVT, pvt.bytes, 84), (.hnrPVT, hnr().bytes, 72), (.navDOP, dop().bytes, 18), (.navEOE, [1, 2, 3, 4], 4),
  (.ack, [6, 1], 2), (.nak, [6, 1], 2),
  (.navSAT, sat([SampleSatellite(gnss: 0, number: 5), SampleSatellite(gnss: 2, number: 6)]).bytes, 32),
  (.monVER, ver("EXT CORE 3.01", "00080000", ["PROTVER=18.00"]).bytes, 40), (.navSOL, sol.bytes, 52),
  (.navPOSLLH, posllh.bytes, 28), (.navVELNED, velned.bytes, 36), (.navSTATUS, status.bytes, 16),
  (.navTIMEUTC, timeutc.bytes, 20), (.navTIMEGPS, timegps.bytes, 16),
  (.navSVINFO, svinfo([(5, 40, 45, 180, 1), (211, 0, -91, 0, 0)]).bytes, 32),
]

@Test func `a truncated message is refused, or parsed without the missing part`() throws {
  for (identifier, bytes, least) in samples {
    for count in 0...bytes.count {
      let cut = Array(bytes[..<count])
      if count < least {
        #expect(throws: UBXError.payloadLength(identifier, count)) { try parse(identifier, cut) }
      } else {
        try parse(identifier, cut)
      }
    }
  }
}

@Test func `the values of a random message are in their ranges`() throws {
  for (identifier, bytes, _) in samples {
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      check(try? parse(identifier, flipped))
    }
  }
  var random = SeededBytes(state: 7)
  for _ in 0..<20_000 {
    let identifier = samples[Int(random.next() % UInt64(samples.count))].0
    check(try? parse(identifier, random.bytes(Int(random.next() % 120))))
  }
}

private func check(_ epochs: [Epoch]?) {
  for epoch in epochs ?? [] {
    #expect(epoch.course.map { (0..<360).contains($0) } ?? true)
    #expect([epoch.horizontalAccuracy, epoch.verticalAccuracy, epoch.speedAccuracy].allSatisfy { $0 ?? 1 > 0 })
    #expect([epoch.dilutionOfPrecision.horizontal, epoch.dilutionOfPrecision.position].allSatisfy { $0 ?? 1 > 0 })
    for satellite in epoch.satellites {
      #expect(satellite.elevation.map { (-90...90).contains($0) } ?? true)
      #expect(satellite.azimuth.map { (0..<360).contains($0) } ?? true)
      #expect(satellite.signalStrength.map { (1...99).contains($0) } ?? true)
    }
  }
}
