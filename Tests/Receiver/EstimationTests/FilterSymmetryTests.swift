import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// A drive that turns, stops and speeds up, as its receiver measures it in a plane: metres and m/s.
private struct MeasuredDrive: CustomTestStringConvertible {
  var rate = 1.0
  var hasSpeed = true
  var hasOutliers = false

  var testDescription: String {
    "\(Int(rate)) Hz, \(hasSpeed ? "with" : "without") speed, \(hasOutliers ? "with" : "without") outliers"
  }

  static let all = [1.0, 10].flatMap { rate in
    [(true, false), (true, true), (false, false), (false, true)].map {
      MeasuredDrive(rate: rate, hasSpeed: $0, hasOutliers: $1)
    }
  }

  private static let seconds = 160.0
  /// Seconds during which the receiver has no position.
  private static let outage = 100.0..<108

  private struct Sample {
    /// Nil during the outage.
    var position: Offset?
    var velocity: Offset
  }

  private func samples(seed: UInt64) -> [Sample] {
    var random = SplitMix64(seed: seed)
    var (position, heading) = (Offset.zero, 1.0)
    return (0..<Int(Self.seconds * rate)).map { index in
      let seconds = Double(index) / rate
      let speed = max(0, 15 + 18 * sin(seconds / 20))
      heading += 0.1 * sin(seconds / 9) / rate
      let velocity = Offset(x: sin(heading), y: cos(heading)) * speed
      position = position + velocity * (1 / rate)
      let noise = Offset(x: random.normal(), y: random.normal()) * 2
      let direction = random.uniform(0...2 * .pi)
      let isOutlier = random.uniform(0...1) < 0.02 / rate
      let outlier = Offset(x: sin(direction), y: cos(direction)) * (isOutlier && hasOutliers ? 60 : 0)
      let measured = Self.outage.contains(seconds) ? nil : position + noise + outlier
      return Sample(position: measured, velocity: velocity + Offset(x: random.normal(), y: random.normal()) * 0.05)
    }
  }

  /// A fix in the coordinates of the plane at the start.
  struct PlaneFix {
    var position: Offset
    var accuracy: Double
    var isCoasted: Bool
  }

  /// Returns the filter's fix of each epoch.
  /// - Parameter change: applied to the positions and velocities of the drive before the filter sees them.
  func fixes(seed: UInt64, at start: Coordinate = Course().start, _ change: (Offset) -> Offset = { $0 }) -> [PlaneFix?]
  {
    let plane = Plane(at: start)
    var filter = PositionFilter()
    return samples(seed: seed).enumerated().map { index, sample in
      var epoch = Course.epoch(at: Double(index) / rate)
      epoch.coordinate = sample.position.flatMap { plane.coordinate(at: change($0)) }
      if let coordinate = epoch.coordinate {
        (epoch.quality, epoch.mode) = (.autonomous, .twoDimensional)
        epoch.errorStatistics = ErrorStatistics(latitude: 2, longitude: 2)
        if hasSpeed {
          epoch.speed = sample.velocity.length
          epoch.course = plane.course(of: change(sample.velocity), at: coordinate)
        }
      }
      return filter.update(epoch).map {
        PlaneFix(
          position: plane.offset(of: $0.coordinate), accuracy: $0.horizontalAccuracy, isCoasted: $0.isCoasted)
      }
    }
  }

  /// Checks that the fixes of the changed drive are the changed fixes of the drive.
  /// - Parameter tolerance: of positions, metres, by the distance from the start in metres.
  func expectSymmetry(
    at start: Coordinate = Course().start, tolerance: (Double) -> Double, _ change: (Offset) -> Offset
  ) {
    for seed in 1...2 as ClosedRange<UInt64> {
      let expected = fixes(seed: seed)
      let changed = fixes(seed: seed, at: start, change)
      #expect(changed.count { $0 == nil } == 0)
      for (index, (one, other)) in zip(expected, changed).enumerated() {
        guard let one, let other else { continue }
        let off = (change(one.position) - other.position).length
        #expect(off <= tolerance(one.position.length), "seed \(seed), epoch \(index)")
        // The accuracy is rounded up to a centimetre.
        #expect(abs(one.accuracy - other.accuracy) < 0.0101, "seed \(seed), epoch \(index)")
        #expect(one.isCoasted == other.isCoasted, "seed \(seed), epoch \(index)")
      }
    }
  }
}

/// An ellipsoid of revolution is symmetric about its axis, about each meridian and about the equator. Only the rounding
/// of degrees, 2e-9 m, makes a difference. The filter enlarges it up to a thousand times if a doubtful fix makes the
/// filter widen its covariance.
private let rounding = 1e-5

@Test(arguments: MeasuredDrive.all, [-120.3, 0, 179.999])
private func `a track at another longitude gives the same fixes there`(drive: MeasuredDrive, longitude: Double) throws {
  let start = try #require(Coordinate(latitude: Course().start.latitude, longitude: longitude))
  drive.expectSymmetry(at: start, tolerance: { _ in rounding }) { $0 }
}

@Test(arguments: MeasuredDrive.all)
private func `a track mirrored at its meridian gives the mirrored fixes`(drive: MeasuredDrive) {
  drive.expectSymmetry(tolerance: { _ in rounding }) { Offset(x: -$0.x, y: $0.y) }
}

@Test(arguments: MeasuredDrive.all)
private func `a track mirrored at the equator gives the mirrored fixes`(drive: MeasuredDrive) throws {
  let start = Course().start
  let mirrored = try #require(Coordinate(latitude: -start.latitude, longitude: start.longitude))
  drive.expectSymmetry(at: mirrored, tolerance: { _ in rounding }) { Offset(x: $0.x, y: -$0.y) }
}

/// The curvature of the ellipsoid depends on the direction, by 0.7 %. That moves a position 1 km away by 1e-7 m.
@Test(arguments: MeasuredDrive.all, [30.0, 90, 215])
private func `a rotated track gives the rotated fixes`(drive: MeasuredDrive, degrees: Double) {
  let angle = degrees * .pi / 180
  drive.expectSymmetry(tolerance: { 10 * rounding + 1e-7 * $0 }) {
    Offset(x: $0.x * cos(angle) + $0.y * sin(angle), y: $0.y * cos(angle) - $0.x * sin(angle))
  }
}
