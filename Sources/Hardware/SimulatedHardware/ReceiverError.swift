import Glibc

/// One standard deviation of the position in each direction, metres, and the covariance of the two level ones.
struct ErrorSize: Hashable, Sendable {
  var east: Double
  var north: Double
  /// Square metres.
  var eastNorth: Double
  /// Nil without altitude.
  var up: Double?

  init(geometry: Geometry, rangeError: Double) {
    east = rangeError * sqrt(geometry.east)
    north = rangeError * sqrt(geometry.north)
    eastNorth = rangeError * rangeError * geometry.eastNorth
    up = geometry.up.map { rangeError * sqrt($0) }
  }

  /// The error ellipse: standard deviations along its axes and the direction of the longer one, 0..<180° from north.
  var ellipse: (semiMajor: Double, semiMinor: Double, orientation: Double) {
    let mean = (east * east + north * north) / 2
    let half = (north * north - east * east) / 2
    let root = sqrt(half * half + eastNorth * eastNorth)
    var degrees = 0.5 * atan2(eastNorth, half) * 180 / .pi
    if degrees < 0 { degrees += 180 }
    return (sqrt(mean + root), sqrt(max(0, mean - root)), degrees)
  }
}

/// What the receiver's position is off by. A receiver has filtered already, so its errors have a memory: most of them
/// last for tens of seconds, and averaging them takes minutes. Autocorrelation about 0.9 after 1 s and 0.6 after 10 s,
/// as measured on phones and cheap receivers.
struct ReceiverError: Sendable {
  /// Shares of the variance: what drifts with the atmosphere and the orbits, what the surroundings reflect, and noise.
  private static let (slowShare, fastShare, whiteShare) = (0.30, 0.66, 0.04)

  private struct Axis: Sendable {
    var slow: GaussMarkov
    var fast: GaussMarkov

    init(random: inout RandomSource) {
      slow = GaussMarkov(timeConstant: 600, random: &random)
      fast = GaussMarkov(timeConstant: 12, random: &random)
    }

    /// Standard deviation 1.
    mutating func next(after seconds: Double, random: inout RandomSource) -> Double {
      slow.advance(by: seconds, random: &random)
      fast.advance(by: seconds, random: &random)
      return sqrt(ReceiverError.slowShare) * slow.value + sqrt(ReceiverError.fastShare) * fast.value
        + sqrt(ReceiverError.whiteShare) * random.normal()
    }
  }

  /// An epoch's error, metres. An outlier is what no receiver tells: it is in no reported figure.
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

  /// - Parameters:
  ///   - seconds: since the epoch before.
  ///   - size: what the error's standard deviation is at this epoch.
  ///   - mayStray: whether this epoch can be an outlier, as about one in 600 s is.
  mutating func next(after seconds: Double, size: ErrorSize, mayStray: Bool) -> Sample {
    let first = axes.0.next(after: seconds, random: &random)
    let second = axes.1.next(after: seconds, random: &random)
    let third = axes.2.next(after: seconds, random: &random)
    // Cholesky's factor of the covariance gives the two level errors their common part.
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

  /// Error of a velocity by Doppler along one axis: metres per second, white.
  mutating func velocityError() -> Double {
    0.06 * random.normal()
  }
}
