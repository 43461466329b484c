import Base
import Foundation
import GNSS
import Testing

@testable import Estimation

/// Returns the filter after the epochs, and its latest fix.
private func run(_ epochs: [Epoch]) throws -> (filter: PositionFilter, fix: Fix) {
  var filter = PositionFilter()
  let fixes = epochs.map { filter.update($0) }
  return (filter, try #require(fixes.last ?? nil))
}

@Test(arguments: [0.3, 1.0, 3.0], [true, false])
func `the predicted position of the fix's own instant is the fix`(noise: Double, hasDoppler: Bool) throws {
  let course = Course(speed: 15, noise: noise, hasDoppler: hasDoppler)
  for count in [1, 2, 10, 60] {
    let (filter, fix) = try run(course.epochs(count))
    let now = try #require(filter.state?.prediction(after: 0))
    #expect(Course.distance(now.coordinate, fix.coordinate) < 0.001)
    #expect(abs(now.horizontalAccuracy - fix.horizontalAccuracy) < 0.000_1)
  }
}

@Test(arguments: [1.0, 5, 15, 40], [true, false])
func `a predicted position moves with the vehicle, and its radius grows with its age`(
  speed: Double, hasDoppler: Bool
) throws {
  let course = Course(speed: speed, noise: 0.3, hasDoppler: hasDoppler)
  let (filter, fix) = try run(course.epochs(60))
  var radius = fix.horizontalAccuracy
  for age in [0, 0.1, 0.5, 0.9, 1.5, 2] {
    let then = try #require(filter.state?.prediction(after: age))
    #expect(Course.distance(then.coordinate, course.truth(after: 59 + age)) < 3)
    #expect(then.horizontalAccuracy >= radius)
    radius = then.horizontalAccuracy
  }
  #expect(radius > fix.horizontalAccuracy)
}

/// A case without a known velocity: the speed that the receiver sends, and the speed in m/s with which the radius grows.
@Test(arguments: [(speed: 15.0, bound: 15.0), (3, 3), (nil, 50)] as [(speed: Double?, bound: Double)])
func `without a velocity the position stays, and its radius grows by speed times age`(
  rule: (speed: Double?, bound: Double)
) throws {
  var epoch = Course(speed: 0).epochs(1)[0]
  (epoch.speed, epoch.course) = (rule.speed, nil)
  let (filter, fix) = try run([epoch])
  for age in [0.2, 0.9, 2] {
    let then = try #require(filter.state?.prediction(after: age))
    #expect(Course.distance(then.coordinate, fix.coordinate) < 0.001)
    let growth = then.horizontalAccuracy - fix.horizontalAccuracy
    #expect(growth >= rule.bound * age - 0.02 && growth < rule.bound * age + 2, "\(age) s: \(growth) m")
  }
}

@Test func `a radius with an unknown datum stays as large as the datum's shift`() throws {
  var epochs = Course().epochs(60)
  for index in epochs.indices { epochs[index].datumUncertainty = 1000 }
  let state = try #require(run(epochs).filter.state)
  #expect(try #require(state.prediction(after: 1)).horizontalAccuracy > 1000)
}

@Test func `the prediction after a coasted or a repeated position begins at the last new one`() throws {
  let course = Course(speed: 15)
  var repeated = course.epochs(63)
  for index in 60..<63 { repeated[index].coordinate = repeated[59].coordinate }
  for epochs in [course.epochs(60) + [Course.epoch(at: 60), Course.epoch(at: 61)], repeated] {
    let (filter, fix) = try run(epochs)
    #expect(fix.isCoasted && fix.arrived == epochs[59].began)
    let age = Double(epochs.count - 60) + 0.5
    let then = try #require(filter.state?.prediction(after: age))
    #expect(Course.distance(then.coordinate, course.truth(after: 59 + age)) < 1)
    #expect(then.horizontalAccuracy > fix.horizontalAccuracy)
  }
}

@Test(arguments: [FixQuality.estimated, .manual, .invalid])
func `a position that the receiver did not measure has no state`(quality: FixQuality) throws {
  var epochs = Course().epochs(60)
  epochs[59].quality = quality
  #expect(try run(epochs).filter.state == nil)
}

/// A speed, and the power spectral density of the acceleration in m²/s³ that the prediction assumes at this speed.
@Test(
  arguments: [
    (0, 0.3), (0.5, 0.3), (2.5, 1.25), (5, 5), (10, 5), (15, 5), (30, 1.25), (1000, 0.3),
  ] as [(Double, Double)])
func `a prediction assumes the largest acceleration at the speeds of road vehicles`(
  speed: Double, acceleration: Double
) throws {
  let state = FilterState(
    plane: Plane(at: Course().start), position: .zero, velocity: Offset(x: speed, y: 0), manoeuvre: Manoeuvre(),
    variance: 4, covariance: 0.5, velocityVariance: 0, fastest: 50)
  let then = try #require(state.prediction(after: 3))
  #expect(abs(then.velocityDeviation * then.velocityDeviation - 3 * acceleration) < 1e-9)
  // The variance is 4 + 2 · 0.5 · 3 + q · 3³ / 3.
  let deviation = (7 + 9 * acceleration).squareRoot()
  #expect((0...0.01).contains(then.horizontalAccuracy - AccuracyModel.radius68 * deviation))
  // An instant before the state is the state's own instant.
  #expect(state.prediction(after: -1) == state.prediction(after: 0))
}

/// Returns the manoeuvre of a vehicle whose course changes by an angle in radians in each second.
private func turning(_ angle: Double, speed: Double, seconds: Int = 60) -> Manoeuvre {
  var manoeuvre = Manoeuvre()
  for second in 0..<seconds {
    let before = Offset(x: speed, y: 0).rotated(by: angle * Double(second))
    manoeuvre.add(
      Motion(seconds: 1, displacement: before, before: before, after: before.rotated(by: angle)), .standard)
  }
  return manoeuvre
}

/// A turn rate in radians per second, a speed in m/s, and the angle in radians by which the path of 5 s turns.
@Test(
  arguments: [
    (0.05, 10, 0.25), (-0.05, 10, -0.25), (0.2, 10, 0.4), (-0.2, 10, -0.4), (0.2, 30, 1), (0.5, 30, 1.6),
    (0.2, 2.01, 0.4), (0.2, 1.99, 0), (0, 10, 0),
  ] as [(Double, Double, Double)])
func `a predicted path turns by a limited angle, which is larger at a high speed`(
  rate: Double, speed: Double, angle: Double
) {
  let start = Offset(x: speed, y: 0)
  let (way, end) = turning(rate, speed: speed).coasted(5, from: start, .standard)
  #expect(abs(start.angle(to: end) - angle) < 1e-6)
  #expect(abs(end.length - speed) < 1e-9)
  // The path is an arc of this angle, and then a straight line.
  let seconds = rate == 0 || angle == 0 ? 5 : min(5, angle / rate)
  let arc = angle == 0 ? start * seconds : Offset(x: sin(angle), y: 1 - cos(angle)) * (speed / rate)
  #expect((way - arc - end * (5 - seconds)).length < 0.3)
}

@Test func `the turn rate is a mean over 1.5 s`() {
  let start = Offset(x: 10, y: 0)
  let (_, end) = turning(0.3, speed: 10, seconds: 1).coasted(1, from: start, .standard)
  #expect(abs(start.angle(to: end) - 0.2) < 1e-9)
}
