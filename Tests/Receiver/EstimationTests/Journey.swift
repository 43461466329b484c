import Foundation
import GNSS
import SeededNumbers

@testable import Estimation

/// A journey in a plane, and how its receiver measures it: metres, seconds and m/s.
struct Journey {
  /// One epoch, before and after a fault.
  struct Sample {
    let index: Int
    let seconds: Double
    let truth: Offset
    /// Nil if the receiver has no position.
    var position: Offset?
    var velocity: Offset?
    /// Degrees from true north, in place of the direction of the velocity.
    var course: Double?
  }

  /// A fix and the errors of its epoch.
  struct Result {
    let seconds: Double
    /// Distances of the fix and of the measured position from the truth, metres.
    let error: Double
    let raw: Double?
    let position: Offset
    let accuracy: Double
  }

  var rate = 1.0
  var seconds = 120.0
  /// Standard deviation of the white noise, of the lasting error, and the one that the receiver reports, metres.
  var noise = 0.3
  var wander = 0.0
  var deviation = 2.0
  var hasSpeed = true
  /// The position after some seconds.
  var position: (Double) -> Offset
  /// The fault of the receiver.
  var fault: (inout Sample, inout SplitMix64) -> Void = { _, _ in }

  static func straight(_ speed: Double) -> (Double) -> Offset {
    { Offset(x: 0.6, y: 0.8) * (speed * $0) }
  }

  static func circle(_ speed: Double, radius: Double) -> (Double) -> Offset {
    { Offset(x: sin($0 * speed / radius), y: cos($0 * speed / radius) - 1) * radius }
  }

  /// Stops and starts, one after the other: 5 s at 3 m/s² up, 10 s at 15 m/s, 5 s down, 20 s at rest. That is 225 m.
  static func town(_ time: Double) -> Offset {
    let seconds = max(0, time)
    let (cycle, part) = (floor(seconds / 40), seconds.truncatingRemainder(dividingBy: 40))
    let up = min(part, 5)
    let down = min(max(part - 15, 0), 5)
    let way = 1.5 * up * up + 15 * min(max(part - 5, 0), 10) + 15 * down - 1.5 * down * down
    return Offset(x: 0.6, y: 0.8) * (225 * cycle + way)
  }

  /// A straight way whose speed changes at a constant rate from one instant on.
  static func change(from first: Double, to second: Double, at instant: Double, by acceleration: Double)
    -> (Double) -> Offset
  {
    let lasting = abs(second - first) / acceleration
    return { seconds in
      let changing = min(max(0, seconds - instant), lasting)
      let speed = first + (second - first) * changing / lasting
      let way = first * min(seconds, instant) + (first + speed) / 2 * changing
      return Offset(x: 0.6, y: 0.8) * (way + second * max(0, seconds - instant - lasting))
    }
  }

  func samples(seed: UInt64) -> [Sample] {
    var random = SplitMix64(seed: seed)
    let kept = exp(-1 / rate / 40)
    var lasting = Offset(x: random.normal(), y: random.normal()) * wander
    return (0..<Int(seconds * rate)).map { index in
      let time = Double(index) / rate
      let truth = position(time)
      lasting = lasting * kept + Offset(x: random.normal(), y: random.normal()) * (wander * sqrt(1 - kept * kept))
      let white = Offset(x: random.normal(), y: random.normal()) * noise
      let velocity = (position(time + 0.01) - position(time - 0.01)) * 50
      var sample = Sample(
        index: index, seconds: time, truth: truth, position: truth + lasting + white,
        velocity: hasSpeed ? velocity : nil)
      fault(&sample, &random)
      return sample
    }
  }

  /// Returns the fixes of the epochs. Without a position of the receiver, the fixes are coasted.
  func results(seed: UInt64 = 1, _ parameters: FilterParameters = .standard) -> [Result] {
    let plane = Plane(at: Course().start)
    var filter = PositionFilter(parameters: parameters)
    return samples(seed: seed).compactMap { sample in
      var epoch = Course.epoch(at: sample.seconds)
      epoch.coordinate = sample.position.flatMap { plane.coordinate(at: $0) }
      if let coordinate = epoch.coordinate {
        (epoch.quality, epoch.mode) = (.autonomous, .twoDimensional)
        epoch.errorStatistics = ErrorStatistics(latitude: deviation, longitude: deviation)
        if let velocity = sample.velocity {
          epoch.speed = velocity.length
          if velocity.length > 0 { epoch.course = sample.course ?? plane.course(of: velocity, at: coordinate) }
        }
      }
      guard let fix = filter.update(epoch) else { return nil }
      let position = plane.offset(of: fix.coordinate)
      return Result(
        seconds: sample.seconds, error: (position - sample.truth).length,
        raw: sample.position.map { ($0 - sample.truth).length }, position: position, accuracy: fix.horizontalAccuracy)
    }
  }
}
