/// The turn rate of the vehicle. The filter uses the turn rate to predict the path while no measurement arrives.
struct Manoeuvre: Hashable, Sendable {
  /// The minimum speed in m/s at which the turn rate is measured. At a lower speed, the direction of a velocity is
  /// mostly noise.
  private static let least = 2.0

  /// The turn rate in radians per second, positive from the first axis of the filter's plane to the second axis.
  private var turn = 0.0

  mutating func add(_ motion: Motion, _ parameters: FilterParameters) {
    guard let last = motion.before, let next = motion.after, min(last.length, next.length) > Self.least else {
      turn = 0
      return
    }
    turn += (last.angle(to: next) / motion.seconds - turn) * min(1, motion.seconds / parameters.turnMean)
  }

  /// Returns the predicted displacement in metres and the final velocity in m/s, after some seconds without a
  /// measurement. The vehicle turns by a limited angle, and then moves straight on.
  func coasted(_ seconds: Double, from start: Offset, _ parameters: FilterParameters) -> (way: Offset, end: Offset) {
    // Fast roads have long bends.
    let fastness = max(1, start.length / parameters.coastingSpeeds.upperBound)
    let turning = min(seconds, parameters.mostTurn * fastness * fastness / max(abs(turn), 1e-6))
    let (middle, end) = (start.rotated(by: turn * turning / 2), start.rotated(by: turn * turning))
    // Simpson's rule for the arc.
    return ((start + middle * 4 + end) * (turning / 6) + end * (seconds - turning), end)
  }
}
