/// A detector that uses the Doppler velocity to decide whether the receiver is at rest.
struct Standstill: Hashable, Sendable {
  private var mean = Offset.zero
  /// The time in seconds for which the mean velocity has been below the limit. The value is 0 before the first
  /// velocity.
  private var quiet = 0.0
  private(set) var isAtRest = false

  /// Adds the Doppler velocity of an epoch in m/s. The velocity is nil if the epoch has no velocity.
  mutating func add(_ velocity: Offset?, after seconds: Double, _ parameters: FilterParameters) {
    guard let velocity, velocity.length < parameters.restMost else {
      self = Standstill()
      return
    }
    let share = quiet > 0 ? min(1, seconds / parameters.restTime) : 1
    mean = mean + (velocity - mean) * share
    quiet = mean.length < parameters.restSpeed ? quiet + seconds : .leastNormalMagnitude
    isAtRest = quiet >= parameters.restTime
  }
}

/// The mean position of a receiver that reports a low speed without a course. Such a receiver is at rest, so the
/// distances of its positions from the mean are errors, also where the noise of a weak signal hides the rest from
/// `Standstill`.
struct RestingPosition: Hashable, Sendable {
  private var average = Offset.zero
  private var lasted = 0.0
  /// The mean in metres; nil if the receiver moves, or has not been at rest for long.
  private(set) var mean: Offset?

  mutating func add(
    _ position: Offset, hasCourse: Bool, speed: Double?, after seconds: Double, _ parameters: FilterParameters
  ) {
    guard !hasCourse, let speed, speed < parameters.restMost else { return self = RestingPosition() }
    lasted += seconds
    // The positions of a vehicle that moves, although its speed is stuck, leave the mean.
    if lasted > seconds, (position - average).length > parameters.restReach { return self = RestingPosition() }
    average = average + (position - average) * (seconds / min(lasted, parameters.restMean))
    mean = lasted >= parameters.restTime ? average : nil
  }

  /// Converts the state to a plane whose origin is at a different point.
  mutating func move(to origin: Offset) { (average, mean) = (average - origin, mean.map { $0 - origin }) }
}
