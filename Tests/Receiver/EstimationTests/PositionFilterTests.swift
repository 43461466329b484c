import Base
import GNSS
import Testing

@testable import Estimation

@Test func `a position that nothing speaks against passes untouched`() {
  let epochs = Course().epochs(120)
  for (epoch, fix) in zip(epochs, filtered(epochs)) { #expect(fix?.coordinate == epoch.coordinate) }
}

@Test func `an epoch with a position gives one measured fix, whatever the way`() throws {
  for rate in [0.2, 0.5, 1, 5, 10, 25, 100] {
    let epochs = Course(rate: rate, noise: 2, seed: 3).epochs(400)
    for (epoch, fix) in zip(epochs, filtered(epochs)) {
      let fix = try #require(fix)
      #expect((fix.isCoasted, fix.time, fix.arrived) == (false, epoch.time, epoch.began))
    }
  }
}

@Test(arguments: [0.2, 0.5, 1, 5, 20, 100])
func `noise that the receiver has not filtered becomes less at every rate, and never more`(rate: Double) throws {
  let course = Course(rate: rate, noise: 3, deviation: 3.5, seed: 11)
  let count = max(120, Int(60 * rate))
  let epochs = course.epochs(count)
  var (raw, smoothed) = (0.0, 0.0)
  for (index, fix) in filtered(epochs).enumerated() where index >= count / 2 {
    let truth = course.truth(after: Double(index) / rate)
    let (before, after) = try (
      Course.distance(truth, #require(epochs[index].coordinate)), Course.distance(truth, #require(fix).coordinate)
    )
    raw += before * before
    smoothed += after * after
  }
  #expect(smoothed < raw * (rate < 0.4 ? 1.01 : 0.7))
}

@Test(arguments: [1.0, 2, 5, 10, 25], [true, false])
func `a single outlier does not pass from the fifth position on`(rate: Double, hasDoppler: Bool) throws {
  for deviation in [0.3, 1, 3] {
    for seed in 1...4 as ClosedRange<UInt64> {
      let course = Course(
        speed: 14, rate: rate, noise: 0.3, deviation: deviation, hasDoppler: hasDoppler, seed: seed)
      for seconds in [1.0, 1.5, 2, 3, 4, 6] where seconds * rate > 4 {
        var epochs = course.epochs(Int(12 * rate))
        let outlier = Int(seconds * rate)
        epochs[outlier].coordinate = Course.moved(epochs[outlier].coordinate, by: Offset(x: 60, y: -80))
        for (index, fix) in filtered(epochs).enumerated() {
          let truth = course.truth(after: Double(index) / rate)
          #expect(try Course.distance(#require(fix).coordinate, truth) < 4, "\(deviation) m, \(seconds) s, \(index)")
        }
      }
    }
  }
}

@Test(arguments: [(true, 5), (false, 4)], [1_000_000.0, 5_000, 300])
func `a real jump is followed once the positions after it agree for some seconds`(
  rule: (hasDoppler: Bool, seconds: Int), metres: Double
) throws {
  let course = Course(speed: 0, noise: 0.5, hasDoppler: rule.hasDoppler)
  var epochs = course.epochs(120)
  let there = try #require(Course.moved(course.start, by: Offset(x: metres, y: 0)))
  for index in 60..<120 {
    let off = Plane(at: course.start).offset(of: try #require(epochs[index].coordinate))
    epochs[index].coordinate = Plane(at: there).coordinate(at: off)
  }
  let fixes = filtered(epochs)
  #expect(try Course.distance(#require(fixes[60]).coordinate, course.start) < 20)
  for index in (60 + rule.seconds)..<120 {
    #expect(try Course.distance(#require(fixes[index]).coordinate, there) < 10, "\(index)")
  }
}

@Test(arguments: [1, 2, 3], [true, false])
func `a receiver that begins with old positions is believed as soon as it says the true one`(
  stale: Int, hasDoppler: Bool
) throws {
  for metres in [9_000_000.0, 5000, 200] {
    let course = Course(speed: 0, noise: 0.1, hasDoppler: hasDoppler)
    var epochs = course.epochs(60)
    for index in 0..<stale {
      epochs[index].coordinate = Course.moved(epochs[index].coordinate, by: Offset(x: metres, y: -metres / 2))
    }
    for (index, fix) in filtered(epochs).enumerated().dropFirst(stale) {
      #expect(try Course.distance(#require(fix).coordinate, course.start) < 1, "\(metres) m, \(index)")
    }
  }
}

@Test(arguments: [
  Coordinate(latitude: 0.001, longitude: 179.9995)!, Coordinate(latitude: -16.5, longitude: -179.9999)!,
  Coordinate(latitude: 89.9995, longitude: 30)!, Coordinate(latitude: -89.9999, longitude: -120)!,
  Coordinate(latitude: 90, longitude: 0)!, Coordinate(latitude: -90, longitude: 0)!,
])
func `the antimeridian and the poles are positions like others`(start: Coordinate) throws {
  var usual = Course(speed: 3, noise: 2, seed: 5)
  let expected = filtered(usual.epochs(150))
  let origin = Plane(at: usual.start)
  usual.start = start
  let plane = Plane(at: start)
  for (index, (there, here)) in zip(filtered(usual.epochs(150)), expected).enumerated() {
    let (a, b) = try (
      plane.offset(of: #require(there).coordinate), origin.offset(of: #require(here).coordinate)
    )
    // A metre is a metre everywhere; the ellipsoid's curvature is not the same.
    #expect((a - b).length < 0.02, "\(index)")
    #expect(abs(try #require(there).horizontalAccuracy - #require(here).horizontalAccuracy) < 0.011)
  }
}

@Test(arguments: [0.05, 0.09, 0.14, 0.3])
func `a boat that drifts at anchor is not nailed down`(speed: Double) throws {
  let course = Course(speed: speed, noise: 1, seed: 6)
  let epochs = course.epochs(900)
  for (index, fix) in filtered(epochs).enumerated() {
    #expect(try Course.distance(#require(fix).coordinate, course.truth(after: Double(index))) < 7, "\(index)")
  }
}

@Test(
  arguments: [(30.0, 0.0, 3.0), (30, 0, 6), (30, 0, 10), (0, 40, 3), (0, 40, 10), (10, 40, 8)], [1.0, 5, 10])
func `hard braking and acceleration leave the fix within 3 m`(
  change: (from: Double, to: Double, at: Double), rate: Double
) throws {
  let position = Journey.change(from: change.from, to: change.to, at: 40.3, by: change.at)
  for deviation in [0.3, 1, 3] {
    let results = Journey(rate: rate, seconds: 90, deviation: deviation, position: position).results()
    #expect(results.count == Int(90 * rate))
    for result in results { #expect(result.error < 3, "\(result.seconds) s, \(deviation) m") }
  }
}
