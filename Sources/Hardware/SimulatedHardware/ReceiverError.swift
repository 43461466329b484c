import Glibc

/// The standard deviations in metres and the covariance of a position error.
struct ErrorSize: Hashable, Sendable {
  var east: Double
  var north: Double
  /// The covariance of the errors to the east and to the north in m².
  var eastNorth: Double
  /// The standard deviation of the altitude error in metres; nil if the solution has no altitude.
  var up: Double?

  init(geometry: Geometry, rangeError: Double) {
    east = rangeError * sqrt(geometry.east)
    north = rangeError * sqrt(geometry.north)
    eastNorth = rangeError * rangeError * geometry.eastNorth
    up = geometry.up.map { rangeError * sqrt($0) }
  }

  /// The error ellipse of the position. The axes are standard deviations in metres. The orientation is the direction of
  /// the longer axis in degrees from north, 0..<180.
  var ellipse: (semiMajor: Double, semiMinor: Double, orientation: Double) {
    let mean = (east * east + north * north) / 2
    let half = (north * north - east * east) / 2
    let root = sqrt(half * half + eastNorth * eastNorth)
    var degrees = 0.5 * atan2(eastNorth, half) * 180 / .pi
    if degrees < 0 { degrees += 180 }
    return (sqrt(mean + root), sqrt(max(0, mean - root)), degrees)
  }
}

/// A generator of the position errors of a simulated receiver. A real receiver smooths its positions, so the errors of
/// successive positions are similar. The autocorrelation is about 0.9 after 1 s and 0.6 after 10 s, as measured on
/// phones and low-cost receivers.
struct ReceiverError: Sendable {
  /// The contributions of three simulated errors to the variance of the position; the sum is 1. The slow error comes
  /// from the atmosphere and the orbits. The fast error comes from reflections. The third error is white noise.
  private static let (slowShare, fastShare, whiteShare) = (0.30, 0.66, 0.04)

  private struct Axis: Sendable {
    var slow: GaussMarkov
    var fast: GaussMarkov

    init(random: inout RandomSource) {
      slow = GaussMarkov(timeConstant: 600, random: &random)
      fast = GaussMarkov(timeConstant: 12, random: &random)
    }

    mutating func next(after seconds: Double, random: inout RandomSource) -> Double {
      slow.advance(by: seconds, random: &random)
      fast.advance(by: seconds, random: &random)
      return sqrt(ReceiverError.slowShare) * slow.value + sqrt(ReceiverError.fastShare) * fast.value
        + sqrt(ReceiverError.whiteShare) * random.normal()
    }
  }

  /// The error of one simulated position, in metres.
  struct Sample: Sendable {
    var east: Double
    var north: Double
    var up: Double
    var isOutlier: Bool
  }

  private var random: RandomSource
  private var axes: (Axis, Axis, Axis)

  init(seed: UInt64) {
    var random = RandomSource(seed: seed, stream: 3)
    axes = (Axis(random: &random), Axis(random: &random), Axis(random: &random))
    self.random = random
  }

  /// Returns the error of the next simulated position.
  /// - Parameters:
  ///   - seconds: the time since the previous position.
  ///   - size: the standard deviations of the error.
  ///   - mayStray: whether the error may be an outlier (a very large error), which occurs about once in 600 s.
  mutating func next(after seconds: Double, size: ErrorSize, mayStray: Bool) -> Sample {
    let first = axes.0.next(after: seconds, random: &random)
    let second = axes.1.next(after: seconds, random: &random)
    let third = axes.2.next(after: seconds, random: &random)
    // The errors to the east and to the north are correlated. Both factors come from the Cholesky decomposition of the
    // covariance matrix.
    let common = size.eastNorth / size.east
    var sample = Sample(
      east: size.east * first,
      north: common * first + sqrt(max(0, size.north * size.north - common * common)) * second,
      up: (size.up ?? 0) * third, isOutlier: false)
    if random.happens(seconds / 600), mayStray {
      let (distance, direction) = (random.uniform(10...40), random.uniform(0...2 * .pi))
      sample.east += distance * sin(direction)
      sample.north += distance * cos(direction)
      sample.isOutlier = true
    }
    return sample
  }

  /// Returns a random error of the simulated velocity along one axis, in m/s.
  mutating func velocityError() -> Double {
    0.06 * random.normal()
  }
}
