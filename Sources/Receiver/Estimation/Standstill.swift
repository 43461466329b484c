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
