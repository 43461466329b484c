import Base
import Foundation
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

/// The error of the course that a receiver reports on a clockwise circle.
enum Said: CaseIterable {
  case right, frozen, reversed, random

  /// Degrees from true north.
  func course(at angle: Double, _ random: inout SplitMix64) -> Double {
    let truth = 90 + angle * 180 / .pi
    let said =
      switch self {
      case .right: truth
      case .frozen: 90.0
      case .reversed: 270 - angle * 180 / .pi
      case .random: random.uniform(0...359.9)
      }
    return said - 360 * (said / 360).rounded(.down)
  }
}

/// A circular drive. The receiver has slow errors and white noise.
private struct Round {
  var speed: Double
  /// Metres.
  var radius = 20.0
  var said: Said
  var rate = 2.0
  private let start = Coordinate(latitude: 47.3769, longitude: 8.5417)!
  /// The standard deviations along an axis in metres: of the errors that last for 30 s, and of the white noise.
  private let slow = 1.5
  private let quick = 0.5

  init(speed: Double, said: Said) { (self.speed, self.said) = (speed, said) }

  /// The filter's fixes after the first half minute, and how far they and the receiver's own positions are off.
  func fixes(seeds: ClosedRange<UInt64> = 1...4, seconds: Int = 600) -> [(fix: Fix, off: Double, raw: Double)] {
    seeds.flatMap { seed -> [(fix: Fix, off: Double, raw: Double)] in
      var random = SplitMix64(seed: seed)
      var filter = PositionFilter()
      let plane = Plane(at: start)
      let kept = exp(-1 / rate / 30)
      var error = Offset(x: random.normal(), y: random.normal()) * slow
      return (0..<Int(Double(seconds) * rate)).compactMap { index in
        let angle = Double(index) / rate * speed / radius
        let truth = Offset(x: sin(angle), y: cos(angle) - 1) * radius
        let fresh = Offset(x: random.normal(), y: random.normal()) * (slow * sqrt(1 - kept * kept))
        error = error * kept + fresh
        let seen = truth + error + Offset(x: random.normal(), y: random.normal()) * quick
        var epoch = Course.epoch(at: Double(index) / rate)
        epoch.coordinate = plane.coordinate(at: seen)
        (epoch.mode, epoch.quality) = (.twoDimensional, .autonomous)
        epoch.errorStatistics = ErrorStatistics(latitude: hypot(slow, quick), longitude: hypot(slow, quick))
        (epoch.speed, epoch.course) = (speed, said.course(at: angle, &random))
        guard let fix = filter.update(epoch), Double(index) >= 30 * rate else { return nil }
        return (fix, (plane.offset(of: fix.coordinate) - truth).length, (seen - truth).length)
      }
    }
  }
}

private func mean(_ squares: [Double]) -> Double { squares.reduce(0, +) / Double(max(1, squares.count)) }

@Test(arguments: [1, 1.4], [Said.frozen, .reversed, .random])
func `a wrong course of a slow receiver leaves the fix where its accuracy says, and is not reported as a velocity`(
  speed: Double, said: Said
) {
  let fixes = Round(speed: speed, said: said).fixes()
  let inside = fixes.count { $0.off <= $0.fix.horizontalAccuracy }
  #expect(Double(inside) >= 0.63 * Double(fixes.count))
  // A radius of anything would hold the position, too.
  #expect(fixes.allSatisfy { $0.off < 12 && $0.fix.horizontalAccuracy < 10 })
  let reported = fixes.count { $0.fix.course != nil || $0.fix.speed != nil }
  // A random course at 1 m/s has the largest share, 0.251: half of its velocities agree with the noise of the positions.
  #expect(Double(reported) < 0.26 * Double(fixes.count))
}

@Test(arguments: [Said.frozen, .reversed, .random])
func `a wrong course at half a metre per second costs more than the receiver's noise, and the accuracy says so`(
  said: Said
) {
  let fixes = Round(speed: 0.5, said: said).fixes()
  let inside = fixes.count { $0.off <= $0.fix.horizontalAccuracy }
  // A random course looks like white noise, which hacc leaves out: 0.42 of the true positions are inside.
  let least = said == .random ? 0.4 : 0.63
  #expect(Double(inside) >= least * Double(fixes.count))
  #expect(fixes.allSatisfy { $0.off < 25 && $0.off < 5 * $0.fix.horizontalAccuracy })
}

@Test(arguments: [0.5, 1.4], [20, 1e6])
func `a true course keeps its worth, on a circle and straight on`(speed: Double, radius: Double) {
  var round = Round(speed: speed, said: .right)
  round.radius = radius
  let fixes = round.fixes()
  #expect(fixes.allSatisfy { $0.fix.course != nil })
  #expect(mean(fixes.map { $0.off * $0.off }) < 0.85 * mean(fixes.map { $0.raw * $0.raw }))
}

@Test func `a course is believed again once it has been true for minutes`() throws {
  let course = Course(speed: 10, noise: 0.5)
  var epochs = course.epochs(900)
  for index in 0..<100 { epochs[index].course = 240 }
  let fixes = filtered(epochs)
  #expect(fixes[20..<100].allSatisfy { $0?.course == nil })
  #expect(fixes[700...].allSatisfy { $0?.course != nil })
}
