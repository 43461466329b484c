import Clocks
import Estimation
import GNSS
import Testing

private func epoch(_ change: (inout Epoch) -> Void = { _ in }) -> Epoch {
  var epoch = Epoch(began: MonotonicInstant(nanoseconds: 7), ended: MonotonicInstant(nanoseconds: 9))
  epoch.coordinate = Coordinate(latitude: 47.376888, longitude: 8.541694)
  change(&epoch)
  return epoch
}

@Test func `an epoch without a position is no fix`() {
  #expect(Fix(measured: epoch { $0.coordinate = nil }) == nil)
}

@Test func `a fix is as old as the first byte of its epoch`() throws {
  #expect(try #require(Fix(measured: epoch())).arrived.nanoseconds == 7)
}

@Test(arguments: [
  (3.0 as Double?, 4.0 as Double?, nil as Double?, 5.34),  // 1.51 · √((9 + 16) / 2), rounded up
  (3.0, nil, 1.0, 3.21), (nil, nil, 1.0, 3.21),  // 1.51 · 3 / √2
  (nil, nil, 0.1, 1.13),  // never better than with a HDOP of 0.35
  (nil, nil, nil, 3.78), (0.0, 0.0, 9.0, 0.0),
])
func `the radius comes from GST, else from HDOP, else from a cautious constant`(
  latitude: Double?, longitude: Double?, hdop: Double?, radius: Double
) throws {
  let fix = try #require(
    Fix(
      measured: epoch {
        if latitude != nil || longitude != nil {
          $0.errorStatistics = ErrorStatistics(latitude: latitude, longitude: longitude)
        }
        $0.dilutionOfPrecision.horizontal = hdop
      }))
  #expect(fix.horizontalAccuracy == radius)
}

@Test func `a fix on another datum has the shift in its radius`() throws {
  let fix = try #require(
    Fix(
      measured: epoch {
        $0.horizontalAccuracy = 40 / 1.51 * 2.0.squareRoot()
        $0.datumUncertainty = 30
      }))
  #expect((50.0...50.01).contains(fix.horizontalAccuracy))
}

@Test func `a two-dimensional fix has no altitude, whatever the receiver repeats`() throws {
  let fix = try #require(
    Fix(
      measured: epoch {
        $0.mode = .twoDimensional
        $0.altitude = 408
        $0.dilutionOfPrecision.vertical = 1
      }))
  #expect(fix.altitude == nil)
  #expect(fix.verticalAccuracy == nil)
  #expect(fix.geoidSeparation == nil)
}

@Test func `without a mode an altitude makes a fix three-dimensional`() throws {
  #expect(try #require(Fix(measured: epoch { $0.altitude = 408 })).mode == .threeDimensional)
  #expect(try #require(Fix(measured: epoch())).mode == .twoDimensional)
}

@Test func `a speed below its own error has no direction`() throws {
  let still = try #require(Fix(measured: epoch { ($0.speed, $0.course) = (0.05, 120) }))
  #expect(still.speed == 0.05)
  #expect(still.course == nil)
  #expect(still.courseAccuracy == nil)
  let moving = try #require(Fix(measured: epoch { ($0.speed, $0.course) = (10, 120) }))
  #expect(moving.course == 120)
  #expect(moving.speedAccuracy == 0.16)  // √(0.12² + 0.1²), rounded up
  #expect(moving.courseAccuracy == 0.9)  // 0.156 / 10 radians, in degrees, rounded up
}

@Test func `what the receiver says of its own errors goes before everything else`() throws {
  let fix = try #require(
    Fix(
      measured: epoch {
        $0.mode = .threeDimensional
        $0.altitude = 400
        $0.speed = 3
        $0.course = 90
        $0.horizontalAccuracy = 2
        $0.verticalAccuracy = 3
        $0.speedAccuracy = 0.25
        $0.courseAccuracy = 6
        $0.errorStatistics = ErrorStatistics(latitude: 9, longitude: 9, altitude: 9)
        $0.dilutionOfPrecision = DilutionOfPrecision(horizontal: 9, vertical: 9)
      }))
  // 1.51 · 2 / √2, rounded up: u-blox's figure is that of both axes together.
  #expect(fix.horizontalAccuracy == 2.14)
  #expect((fix.verticalAccuracy, fix.speedAccuracy, fix.courseAccuracy) == (3, 0.25, 6))
}
