import Base
import Decoding
import Estimation
import GNSS
import Sentences
import Testing

private func epoch(_ change: (inout Epoch) -> Void = { _ in }) -> Epoch {
  var epoch = Epoch(began: MonotonicInstant(nanoseconds: 7), ended: MonotonicInstant(nanoseconds: 9))
  epoch.coordinate = Coordinate(latitude: 47.376888, longitude: 8.541694)
  change(&epoch)
  return epoch
}

private func measured(_ change: (inout Epoch) -> Void = { _ in }) throws -> Fix {
  try #require(Fix(measured: epoch(change)))
}

@Test func `an epoch without a position is no fix`() {
  #expect(Fix(measured: epoch { $0.coordinate = nil }) == nil)
}

@Test func `a fix is as old as the first byte of its epoch`() throws {
  #expect(try measured().arrived.nanoseconds == 7)
}

@Test(arguments: [
  (3.0 as Double?, 4.0 as Double?, nil as Double?, 5.34),  // 1.51 · √((9 + 16) / 2), rounded up
  (nil, nil, 1.0, 3.21),  // 1.51 · 3 / √2
  (nil, nil, 0.1, 1.13),  // never better than with a HDOP of 0.35
  (nil, nil, 176, 563.77),
  (nil, nil, nil, 3.78), (0.0, 0.0, 9.0, 28.83),  // an error of 0 is unknown
  (3.0, nil, 1.0, 4.53), (0.0, 5000.0, 0.9, 7550), (0.0, 5.0, 9.0, 28.83), (0.01, 0.0, nil, 3.78),  // 1.51 · 3
])
func `the radius comes from GST, else from HDOP, else from a cautious constant`(
  latitude: Double?, longitude: Double?, hdop: Double?, radius: Double
) throws {
  for deniesAccuracy in [false, true] {
    let fix = try measured {
      if latitude != nil || longitude != nil {
        $0.errorStatistics = ErrorStatistics(latitude: latitude, longitude: longitude)
      }
      ($0.dilutionOfPrecision.horizontal, $0.deniesAccuracy) = (hdop, deniesAccuracy)
    }
    let isKnown = hdop != nil || (latitude ?? 0) > 0 && (longitude ?? 0) > 0
    #expect((fix.horizontalAccuracy == radius) == (isKnown || !deniesAccuracy))
  }
}

@Test func `a fix on another datum has the shift in its radius`() throws {
  let fix = try measured { ($0.horizontalAccuracy, $0.datumUncertainty) = (40 / 1.51 * 2.0.squareRoot(), 30) }
  #expect((50.0...50.01).contains(fix.horizontalAccuracy))
}

@Test func `a two-dimensional fix has no altitude, whatever the receiver repeats`() throws {
  let fix = try measured {
    ($0.mode, $0.altitude, $0.geoidSeparation) = (.twoDimensional, 408, 47)
    $0.dilutionOfPrecision.vertical = 1
  }
  #expect((fix.altitude, fix.verticalAccuracy, fix.geoidSeparation) == (nil, nil, nil))
}

@Test func `without a mode an altitude makes a fix three-dimensional`() throws {
  #expect(try measured { $0.altitude = 408 }.mode == .threeDimensional)
  #expect(try measured().mode == .twoDimensional)
}

@Test func `a speed below its own error has no direction`() throws {
  let still = try measured { ($0.speed, $0.course) = (0.05, 120) }
  #expect((still.speed, still.course, still.courseAccuracy) == (0.05, nil, nil))
  let moving = try measured { ($0.speed, $0.course) = (10, 120) }
  // √(0.12² + 0.1²), and 0.156 / 10 radians in degrees, both rounded up.
  #expect((moving.course, moving.speedAccuracy, moving.courseAccuracy) == (120, 0.16, 0.9))
}

@Test func `a reported error of the speed or of the course may be 0`() throws {
  let fix = try measured {
    ($0.speed, $0.speedAccuracy) = (10, 0)
    ($0.course, $0.courseAccuracy) = (120, 0)
  }
  #expect((fix.speedAccuracy, fix.course, fix.courseAccuracy) == (0, 120, 0))
  let denied = try measured { ($0.speed, $0.speedAccuracy) = (10, -0.01) }
  #expect(denied.speedAccuracy == 0.16)
}

@Test(arguments: [(1e8, true), (1.01e8, false)])
func `a number above 1e8 is unknown`(number: Double, isKnown: Bool) throws {
  let fix = try measured {
    ($0.mode, $0.altitude, $0.geoidSeparation) = (.threeDimensional, number, -number)
    ($0.speed, $0.course) = (number, 90)
  }
  let known = isKnown ? number : nil
  #expect((fix.altitude, fix.geoidSeparation, fix.speed) == (known, known.map { -$0 }, known))
  #expect(fix.course == (isKnown ? 90 : nil))
  #expect(try measured { ($0.speed, $0.course) = (10, number) }.course == known)
}

@Test(
  arguments: [
    (0.25, 0.25, nil, nil), (0.26, 0.25, 400, 180), (0.26, 0.25, 6, 6), (10, -1, -1, 0.9), (10, 0.5, 1e9, 2.87),
  ] as [(Double, Double, Double?, Double?)])
func `the error of a course is at most 180 degrees, and a negative error is unknown`(
  speed: Double, speedAccuracy: Double, courseAccuracy: Double?, expected: Double?
) throws {
  let fix = try measured {
    ($0.speed, $0.course, $0.speedAccuracy, $0.courseAccuracy) = (speed, 90, speedAccuracy, courseAccuracy)
  }
  #expect((fix.course, fix.courseAccuracy) == (expected.map { _ in 90 }, expected))
}

@Test(
  arguments: [
    (nil, nil, .autonomous, nil), (nil, 1, .autonomous, 3), (nil, 0.1, .autonomous, 1.05), (nil, 1, .differential, 2),
    (nil, 1, .rtkFixed, 0.6), (nil, 9e6, .autonomous, 1e7), (7, 1, .autonomous, 7), (0, 1, .autonomous, 3),
  ] as [(Double?, Double?, FixQuality, Double?)])
func `the vertical accuracy comes from GST, else from VDOP`(
  error: Double?, vdop: Double?, quality: FixQuality, accuracy: Double?
) throws {
  let fix = try measured {
    ($0.mode, $0.altitude, $0.quality) = (.threeDimensional, 400, quality)
    $0.errorStatistics = ErrorStatistics(altitude: error)
    $0.dilutionOfPrecision.vertical = vdop
  }
  #expect(fix.verticalAccuracy == accuracy)
}

@Test func `what the receiver says of its own errors goes before everything else`() throws {
  let fix = try measured {
    ($0.mode, $0.altitude, $0.speed, $0.course) = (.threeDimensional, 400, 3, 90)
    ($0.horizontalAccuracy, $0.verticalAccuracy, $0.speedAccuracy, $0.courseAccuracy) = (2, 3, 0.25, 6)
    $0.errorStatistics = ErrorStatistics(latitude: 9, longitude: 9, altitude: 9)
    $0.dilutionOfPrecision = DilutionOfPrecision(horizontal: 9, vertical: 9)
  }
  // 1.51 · 2 / √2, rounded up: u-blox's figure is that of both axes together.
  #expect(fix.horizontalAccuracy == 2.14)
  #expect((fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy) == (3, 0.25, 6))
}

// MARK: The order of the figures

private func radius(_ change: (inout Epoch) -> Void) throws -> Double { try measured(change).horizontalAccuracy }

/// Figures from good to bad, among them those at the limits of the formats.
private let figures: [Double] =
  [0.001, 0.01, 0.1, 0.35, 0.5, 0.9, 1, 2.5, 5, 10, 49.9, 50, 98.9, 98.99, 99, 99.98, 99.99, 100, 176, 655.35, 999.9]
  + [9999, 1e5, 4_294_967.294, 4_294_967.295, 1e7, 1e8, 1e9, 1e30, .greatestFiniteMagnitude]

@Test func `a worse figure never gives a smaller radius, and an unknown one never a better radius`() throws {
  let sources: [(String, (inout Epoch, Double) -> Void)] = [
    ("the solution", { $0.horizontalAccuracy = $1 }),
    ("GST", { $0.errorStatistics = ErrorStatistics(latitude: $1, longitude: $1) }),
    ("GST, latitude", { $0.errorStatistics = ErrorStatistics(latitude: $1, longitude: 1) }),
    ("GST, longitude of 0", { $0.errorStatistics = ErrorStatistics(latitude: $1, longitude: 0) }),
    ("HDOP", { $0.dilutionOfPrecision.horizontal = $1 }),
  ]
  for quality in [FixQuality.autonomous, .differential, .rtkFixed, .estimated] {
    for (name, set) in sources {
      let radii = try figures.map { figure in
        try radius {
          $0.quality = quality
          set(&$0, figure)
        }
      }
      #expect(radii == radii.sorted(), "\(name)")
      // The receiver writes a figure that means unknown, and no other.
      let unknown = try radius {
        $0.quality = quality
        set(&$0, 0)
        $0.deniesAccuracy = true
      }
      #expect(unknown >= radii.last ?? .infinity, "\(name)")
    }
  }
}

/// Sentences with one figure about the horizontal accuracy, as an addition to RMC.
private let sentences: [@Sendable (String) -> String] = [
  { "GPGGA,120000,4722.1,N,00832.5,E,1,08,\($0),400,M,48,M,," },
  { "GNGNS,120000,4722.1,N,00832.5,E,AA,08,\($0),400,48,,,V" }, { "GPGSA,A,3,01,,,,,,,,,,,,1.5,\($0),1.5" },
  { "GPGST,120000,,,,,\($0),\($0),3.0" }, { "GPGST,120000,,,,,1.0,\($0),3.0" }, { "PGRME,\($0),M,6.2,M,7.8,M" },
  { "PQTMEPE,2,1,1,1,\($0),1" }, { "PUBX,00,120000,4722.1,N,00832.5,E,5,G3,\($0),2,36,77,0,,,1,1,9,0,0" },
]

@Test(arguments: sentences.indices)
func `a worse figure in a sentence never gives a smaller radius, and one that cannot be read gives the largest`(
  index: Int
) throws {
  func radius(_ figure: String) throws -> Double {
    var decoder = ReceiverDecoder(configuration: .replay)
    var epochs: [Epoch] = []
    let rmc = nmeaSentence("GPRMC,120000,A,4722.1,N,00832.5,E,,,211126,,,A")
    let bytes = Array((rmc + nmeaSentence(sentences[index](figure))).utf8)
    decoder.consume(bytes.span, at: MonotonicInstant(nanoseconds: 0)) { epochs.append($0) }
    decoder.finish { epochs.append($0) }
    let epoch = try #require(epochs.first)
    return try #require(Fix(measured: epoch)).horizontalAccuracy
  }
  let figures = ["0.5", "1", "9.9", "98.9", "99", "99.99", "176", "655.35", "999.9", "99999.9", "99999999999999999999"]
  let radii = try figures.map(radius)
  #expect(radii == radii.sorted())
  for unknown in ["0", "0.0", "-1", "x"] { #expect(try radius(unknown) >= radii.last ?? .infinity) }
}

@Test func `the filter keeps the worst radius of a receiver that does not know its accuracy`() throws {
  var filter = PositionFilter()
  for second in 0..<20 {
    var next = epoch { $0.deniesAccuracy = true }
    next.began = MonotonicInstant(nanoseconds: Int64(second) * 1_000_000_000)
    let updated = filter.update(next)
    let fix = try #require(updated)
    #expect(fix.horizontalAccuracy > 1e6)
    #expect(fix.coordinate == next.coordinate)
  }
  var none = Epoch(began: MonotonicInstant(nanoseconds: 20_000_000_000), ended: MonotonicInstant(nanoseconds: 0))
  none.quality = .invalid
  if let coasted = filter.update(none) { #expect(coasted.horizontalAccuracy > 1e6) }
}
