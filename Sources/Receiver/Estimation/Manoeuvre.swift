/// The turn of the vehicle in the latest epochs. While no measurement arrives, the filter predicts the motion from this
/// turn (coasting).
struct Manoeuvre: Hashable, Sendable {
  /// The minimum speed in m/s at which a turn is measured. At a lower speed, the direction of a measured velocity
  /// consists mostly of noise.
  private static let least = 2.0

  /// The turn rate in radians per second. A positive value means a turn from the plane's first axis to its second axis.
  private var turn = 0.0

  /// Adds the motion between two epochs.
  mutating func add(_ motion: Motion, _ parameters: FilterParameters) {
    guard let last = motion.before, let next = motion.after, min(last.length, next.length) > Self.least else {
      turn = 0
      return
    }
    turn += (last.angle(to: next) / motion.seconds - turn) * min(1, motion.seconds / parameters.turnMean)
  }

  /// Returns the displacement in metres after some seconds without a measurement, and the velocity in m/s at the end of
  /// this time. The vehicle turns up to the maximum angle, and then moves straight on.
  func coasted(_ seconds: Double, from start: Offset, _ parameters: FilterParameters) -> (way: Offset, end: Offset) {
    // Fast roads have long bends.
    let fastness = max(1, start.length / parameters.coastingSpeeds.upperBound)
    let turning = min(seconds, parameters.mostTurn * fastness * fastness / max(abs(turn), 1e-6))
    let (middle, end) = (start.rotated(by: turn * turning / 2), start.rotated(by: turn * turning))
    // Simpson's rule for the arc.
    return ((start + middle * 4 + end) * (turning / 6) + end * (seconds - turning), end)
  }
}
