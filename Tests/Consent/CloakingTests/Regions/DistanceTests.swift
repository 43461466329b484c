import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Cloaking

/// Returns the length of the geodesic in metres, accurate to 0.5 mm unless the positions are nearly antipodal. (T.
/// Vincenty: "Direct and inverse solutions of geodesics on the ellipsoid", Survey Review 1975)
private func vincenty(_ from: Coordinate, _ to: Coordinate) -> Double {
  let (a, f) = (6_378_137.0, 1 / 298.257_223_563)
  let b = a * (1 - f)
  let radian = Double.pi / 180
  let reduced1 = atan((1 - f) * tan(from.latitude * radian))
  let reduced2 = atan((1 - f) * tan(to.latitude * radian))
  let turn = (to.longitude - from.longitude).remainder(dividingBy: 360) * radian
  var lambda = turn
  for _ in 0..<200 {
    let across = cos(reduced2) * sin(lambda)
    let along = cos(reduced1) * sin(reduced2) - sin(reduced1) * cos(reduced2) * cos(lambda)
    let sinSigma = (across * across + along * along).squareRoot()
    if sinSigma == 0 { return 0 }
    let cosSigma = sin(reduced1) * sin(reduced2) + cos(reduced1) * cos(reduced2) * cos(lambda)
    let sigma = atan2(sinSigma, cosSigma)
    let sinAlpha = cos(reduced1) * cos(reduced2) * sin(lambda) / sinSigma
    let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
    let middle = cosSquaredAlpha < 1e-14 ? 0 : cosSigma - 2 * sin(reduced1) * sin(reduced2) / cosSquaredAlpha
    let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
    let before = lambda
    lambda =
      turn + (1 - c) * f * sinAlpha
      * (sigma + c * sinSigma * (middle + c * cosSigma * (2 * middle * middle - 1)))
    guard abs(lambda - before) < 1e-13 else { continue }
    let uSquared = cosSquaredAlpha * (a * a - b * b) / (b * b)
    let bigA = 1 + uSquared / 16384 * (4096 + uSquared * (uSquared * (320 - 175 * uSquared) - 768))
    let bigB = uSquared / 1024 * (256 + uSquared * (uSquared * (74 - 47 * uSquared) - 128))
    let inner =
      cosSigma * (2 * middle * middle - 1)
      - bigB / 6 * middle * (4 * sinSigma * sinSigma - 3) * (4 * middle * middle - 3)
    return b * bigA * (sigma - bigB * sinSigma * (middle + bigB / 4 * inner))
  }
  return .nan
}

private func distance(_ from: Coordinate, _ to: Coordinate) -> Double {
  GroundPosition(from).distance(to: GroundPosition(to))
}

@Test(
  arguments: [
    // A degree of the equator, and a degree of the meridian at each of its ends. (WGS 84: a·π/180, and the series of
    // the meridian's arc)
    (coordinate(0, 0), coordinate(0, 1), 111_319.491), (coordinate(0, 0), coordinate(1, 0), 110_574.389),
    (coordinate(89, 7), coordinate(90, 7), 111_693.865), (coordinate(0, 179.5), coordinate(0, -179.5), 111_319.491),
    (coordinate(90, 0), coordinate(90, 123), 0), (coordinate(-90, -180), coordinate(-90, 180), 0),
    (coordinate(12, 180), coordinate(12, -180), 0),
  ] as [(Coordinate, Coordinate, Double)])
func `distances agree with known values`(from: Coordinate, to: Coordinate, metres: Double) {
  #expect(abs(distance(from, to) - metres) < 0.05)
  #expect(distance(from, to) == distance(to, from))
}

@Test func `within 200 km, distances agree with the ellipsoid to 0.1 m, also at the antimeridian and the poles`() {
  var random = SplitMix64(seed: 5)
  var worst = 0.0
  for _ in 0..<20_000 {
    let latitude = Double.random(in: -90...90, using: &random)
    let longitude = [Double.random(in: -180...180, using: &random), 180, -180, 179.9999].randomElement(using: &random)!
    let from = coordinate(latitude, longitude)
    let span = pow(10, Double.random(in: -5...0.2, using: &random))
    let turn = Double.random(in: -1...1, using: &random) * span / max(0.01, cos(latitude * .pi / 180))
    let to = coordinate(
      min(90, max(-90, latitude + Double.random(in: -1...1, using: &random) * span)),
      (longitude + turn).remainder(dividingBy: 360))
    let truth = vincenty(from, to)
    guard truth.isFinite, truth < 200_000 else { continue }
    worst = max(worst, abs(distance(from, to) - truth))
  }
  #expect(worst < 0.1)
}

@Test(arguments: [(0.0, 7.0), (47.4, 179.99), (-80, -180)])
func `up to a few kilometres, the flat distance differs from the ground distance by at most 0.6 %`(
  latitude: Double, longitude: Double
) {
  let from = coordinate(latitude, longitude)
  for (north, east) in [(0.02, 0.0), (0, 0.02), (-0.01, 0.015)] {
    let to = coordinate(latitude + north, (longitude + east).remainder(dividingBy: 360))
    #expect(abs(from.flatDistance(to: to) / distance(from, to) - 1) < 0.006)
    #expect((from.flatOffset(to: to).north > 0) == (north > 0) && (from.flatOffset(to: to).east > 0) == (east > 0))
  }
}

@Test func `antipodes have a finite distance`() {
  for (from, to) in [
    (coordinate(0, 0), coordinate(0, 180)), (coordinate(90, 0), coordinate(-90, 0)),
    (coordinate(45, 10), coordinate(-45, -170)),
  ] {
    #expect((19_000_000.0...20_200_000).contains(distance(from, to)))
  }
}
