import Base
import Foundation
import GNSS
import SeededNumbers

@testable import Estimation

extension SplitMix64 {
  mutating func uniform(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &self) }

  mutating func normal() -> Double { sqrt(-2 * log(1 - uniform(0...0.999_999))) * cos(2 * .pi * uniform(0...1)) }
}

/// Epochs on a course at constant speed, with errors.
struct Course {
  /// The start of the course.
  var start = Coordinate(latitude: 47.3769, longitude: 8.5417)!
  /// Metres per second.
  var speed = 10.0
  /// Degrees from true north, at the start.
  var direction = 60.0
  /// Epochs per second.
  var rate = 1.0
  /// The standard deviation of white noise along each axis, and the deviation that the receiver reports, in metres.
  var noise = 0.0
  var deviation = 3.0
  var hasDoppler = true
  var seed: UInt64 = 1

  private var plane: Plane { Plane(at: start) }

  /// Metres east and north of the start as the plane there has them.
  func position(after seconds: Double) -> Offset {
    let angle = direction * .pi / 180
    return Offset(x: sin(angle), y: cos(angle)) * (speed * seconds)
  }

  func truth(after seconds: Double) -> Coordinate { plane.coordinate(at: position(after: seconds))! }

  func epochs(_ count: Int) -> [Epoch] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { index in
      let seconds = Double(index) / rate
      var epoch = Course.epoch(at: seconds)
      let off = Offset(x: random.normal(), y: random.normal()) * noise
      epoch.coordinate = plane.coordinate(at: position(after: seconds) + off)
      epoch.quality = .autonomous
      epoch.mode = .twoDimensional
      epoch.errorStatistics = ErrorStatistics(latitude: deviation, longitude: deviation)
      if hasDoppler {
        epoch.speed = speed
        // The course of a straight way depends on the position, above all near a pole. A receiver reports the
        // course at its own position.
        let velocity = position(after: 1) - position(after: 0)
        if speed > 0 { epoch.course = epoch.coordinate.map { plane.course(of: velocity, at: $0) } }
      }
      return epoch
    }
  }

  /// Returns an epoch that contains only its time.
  static func epoch(at seconds: Double) -> Epoch {
    let nanoseconds = Int64((seconds * 1e9).rounded())
    let arrived = MonotonicInstant(nanoseconds: nanoseconds)
    var epoch = Epoch(began: arrived, ended: arrived)
    let time = UTCTime(nanosecondsSince1970: 1_780_000_000_000_000_000 + nanoseconds)
    (epoch.date, epoch.timeOfDay) = (time.date, time.timeOfDay)
    return epoch
  }

  static func moved(_ coordinate: Coordinate?, by offset: Offset) -> Coordinate? {
    coordinate.flatMap { Plane(at: $0).coordinate(at: offset) }
  }

  static func distance(_ a: Coordinate, _ b: Coordinate) -> Double { Plane(at: a).offset(of: b).length }
}

/// The filter's fix of each epoch.
func filtered(_ epochs: [Epoch]) -> [Fix?] {
  var filter = PositionFilter()
  return epochs.map { filter.update($0) }
}
