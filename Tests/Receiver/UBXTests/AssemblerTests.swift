import Base
import Decoding
import GNSS
import Testing

/// Runs an assembler with a script: `p`, `d`, `s`, `e` are NAV-PVT, NAV-DOP, NAV-SAT and NAV-EOE of the time of week
/// that follows, `|` is a silence. Returns the time of week of each epoch, with `d` and `s` if the epoch has dilutions
/// and satellites.
private func epochs(_ script: String, learnsEnd: Bool = true) throws -> [String] {
  var assembler = UBXEpochAssembler(rolloverFloor: nil, learnsEnd: learnsEnd)
  var epochs: [Epoch] = []
  for item in script.split(separator: " ") {
    guard item != "|" else {
      assembler.silence(into: &epochs)
      continue
    }
    let time = UInt32(item.dropFirst()) ?? 0
    let (identifier, payload) =
      switch item.first {
      // The number of satellites used identifies the epoch.
      case "p":
        (
          UBXIdentifier.navPVT,
          pvt.with {
            $0.put(time, at: 0); $0.bytes[23] = UInt8(time)
          }
        )
      case "d": (.navDOP, dop(time).with { $0.put(UInt16(time), at: 12) })
      case "s": (.navSAT, sat([SampleSatellite(gnss: 0, number: UInt8(time))], time))
      default: (.navEOE, Payload(4).with { $0.put(time, at: 0) })
      }
    try assembler.process(identifier, payload.bytes.span, began: at(0), ended: at(1), into: &epochs)
  }
  return epochs.map { epoch in
    let number = epoch.satellitesUsed ?? -1
    let isOwnDilution = epoch.dilutionOfPrecision.horizontal == Double(number) / 100
    return "\(number)" + (isOwnDilution ? "d" : "") + (epoch.satellites.first?.number == number ? "s" : "")
  }
}

@Test(arguments: [
  // One epoch for each time, with any order of its messages.
  ("p1 d1 s1 | d2 s2 p2 | s3 p3 d3 |", ["1ds", "2ds", "3ds"]),
  ("p1 d1 s1 p2 d2 s2 p3 d3 s3 p4", ["1ds", "2ds", "3ds"]),
  // The last message type of the previous epochs ends an epoch immediately; NAV-EOE always does.
  ("p1 d1 | p2 d2 | p3 d3", ["1d", "2d", "3d"]), ("p1 s1 e1", ["1s"]), ("p1 e1 p2 e2", ["1", "2"]),
  ("p1 p2 p3", ["1", "2", "3"]),
  // Repeated and late messages begin no epoch, and the first one counts.
  ("p1 p1 d1 d1 | p1 d1 | p2 |", ["1d", "2"]), ("p1 e1 p1 | p1 | p2 e2", ["1", "2"]),
  // The assembler waits for messages that were late before.
  ("p1 | p2 | p3 d3 | p4 d4 | p5 d5", ["1", "2", "3", "4d", "5d"]),
  // Satellites arrive in some epochs only: the other epochs do not wait.
  ("p1 s1 e1 p2 e2 p3 e3 p4", ["1s", "2", "3", "4"]),
  // If a message stops arriving, the epoch ends with the next one.
  ("p1 d1 | p2 d2 | p3 p4 p5 p6", ["1d", "2d", "3", "4", "5", "6"]),
  // There is no epoch without a solution.
  ("d1 s1 | s2 d2 | p3 |", ["3"]), ("e1 p1 e2 |", ["1"]), ("", []), ("| |", []),
])
func `each time of week makes one epoch`(script: String, result: [String]) throws {
  #expect(try epochs(script) == result)
}

@Test func `without learning no message of an epoch is late`() throws {
  #expect(try epochs("p1 p2 p3 d3 s3 p4 |", learnsEnd: false) == ["1", "2", "3ds", "4"])
}

/// The messages that can be the first or the last of an epoch.
private let parts: [Part] = [
  (.navDOP, dop()), (.navPOSLLH, posllh), (.navSAT, sat([])), (.navSOL, sol), (.navSTATUS, status),
  (.navSVINFO, svinfo([])), (.navTIMEGPS, timegps), (.navTIMEUTC, timeutc), (.navVELNED, velned),
]

@Test(arguments: parts.indices, [false, true])
func `an epoch begins with its first message and ends with its last one`(index: Int, isFirst: Bool) throws {
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var epochs: [Epoch] = []
  let part = parts[index]
  let order = isFirst ? [part, (.navPVT, pvt)] : [(.navPVT, pvt), part]
  for (message, began) in zip(order, [10, 20] as [Int64]) {
    try assembler.process(
      message.0, message.1.bytes.span, began: at(began), ended: at(began + 1), into: &epochs)
  }
  assembler.silence(into: &epochs)
  let epoch = try #require(epochs.first)
  #expect((epoch.began, epoch.ended) == (at(10), at(21)))
}

private func epoch(_ payload: Payload, floor: UTCDate? = nil) throws -> Epoch {
  try #require(epochs([(.navPVT, payload)], floor: floor).first)
}

@Test func `a fix becomes an epoch with its accuracies`() throws {
  let epoch = try epoch(pvt)
  #expect(epoch.time?.iso8601 == "2026-11-21T07:31:34.200Z")
  #expect(epoch.coordinate == Coordinate(latitude: 47.285233, longitude: 8.565265))
  #expect((epoch.mode, epoch.quality) == (.threeDimensional, .autonomous))
  #expect((epoch.altitude, epoch.geoidSeparation) == (409.123, 47.666))
  #expect((epoch.speed, epoch.course) == (3.302, 92.083))
  #expect((epoch.horizontalAccuracy, epoch.verticalAccuracy) == (1.843, 2.95))
  #expect((epoch.speedAccuracy, epoch.courseAccuracy) == (0.21, 5.4))
  #expect(epoch.satellitesUsed == 14)
  #expect(epoch.dilutionOfPrecision == DilutionOfPrecision(position: 1.31))
  #expect((epoch.began, epoch.ended) == (at(10), at(12)))
}

@Test(
  arguments: [
    // type, flags, flags3 → quality, mode
    (3, 0x01, 0, FixQuality.autonomous, FixMode.threeDimensional), (2, 0x01, 0, .autonomous, .twoDimensional),
    (4, 0x01, 0, .autonomous, .threeDimensional), (3, 0x03, 0, .differential, .threeDimensional),
    (3, 0x43, 0, .rtkFloat, .threeDimensional), (3, 0x83, 0, .rtkFixed, .threeDimensional),
    (1, 0x01, 0, .estimated, .twoDimensional), (0, 0x00, 0, .invalid, nil), (5, 0x01, 0, .invalid, nil),
    (3, 0x00, 0, .invalid, nil), (3, 0x01, 1, .invalid, nil), (9, 0x01, 0, .invalid, nil),
  ] as [(UInt8, UInt8, UInt8, FixQuality, FixMode?)])
func `only a solution that the receiver marks as valid is a fix`(
  type: UInt8, flags: UInt8, flags3: UInt8, quality: FixQuality, mode: FixMode?
) throws {
  let epoch = try epoch(
    pvt.with { payload in
      payload.put([type, flags], at: 20)
      payload.put(flags3, at: 78)
    })
  #expect((epoch.quality, epoch.mode) == (quality, mode))
  #expect((epoch.coordinate != nil) == (mode != nil))
  #expect((epoch.altitude != nil) == (mode == .threeDimensional))
  #expect((epoch.verticalAccuracy != nil) == (mode == .threeDimensional))
  #expect((epoch.horizontalAccuracy != nil && epoch.speed != nil) == (mode != nil))
}

@Test func `a course with unknown accuracy is nil`() throws {
  let epoch = try epoch(pvt.with { $0.put(UInt32(18_000_000), at: 72) })
  #expect(epoch.course == nil && epoch.courseAccuracy == nil)
  #expect(epoch.speed == 3.302)
}

@Test func `a week rollover is corrected and marked, and a clock that was never set has no date`() throws {
  let floor = try #require(UTCDate(year: 2026, month: 1, day: 1))
  let old = pvt.with { payload in
    payload.put(UInt16(2007), at: 4)
    payload.put([4, 7] as [UInt8], at: 6)
  }
  let corrected = try epoch(old, floor: floor)
  #expect(corrected.date == UTCDate(year: 2026, month: 11, day: 21))
  #expect(corrected.isDateCorrected)
  #expect(try epoch(old).date == UTCDate(year: 2007, month: 4, day: 7))
  let unset = try epoch(old.with { $0.put(UInt8(0), at: 20) }, floor: floor)
  #expect(unset.date == nil && !unset.isDateCorrected)
  #expect(try !epoch(pvt, floor: floor).isDateCorrected)
}

@Test func `a time that goes back starts a sequence, and the end of a week does not`() throws {
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var epochs: [Epoch] = []
  for time: UInt32 in [604_799_000, 0, 1000, 500, 1500] {
    try assembler.process(
      .navPVT, pvt.with { $0.put(time, at: 0) }.bytes.span, began: at(0), ended: at(0), into: &epochs)
    assembler.silence(into: &epochs)
  }
  #expect(epochs.map(\.startsSequence) == [false, false, false, true, false])
}

@Test func `random frames never stop the assembler`() {
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var random = SeededBytes(state: 42)
  var epochs: [Epoch] = []
  let identifiers = [
    UBXIdentifier.navPVT, .navDOP, .navSAT, .navEOE, .navSOL, .navPOSLLH, .navVELNED, .navSTATUS, .navTIMEUTC,
    .navTIMEGPS, .navSVINFO, .hnrPVT,
  ]
  for _ in 0..<40_000 {
    let identifier = identifiers[Int(random.next() % UInt64(identifiers.count))]
    var bytes = random.bytes(Int(random.next() % 100))
    // Times of week that collide.
    for index in 0..<min(4, bytes.count) { bytes[index] = index == 0 ? bytes[0] & 7 : 0 }
    _ = try? assembler.process(identifier, bytes.span, began: at(0), ended: at(0), into: &epochs)
  }
  #expect(epochs.count > 100)
}
