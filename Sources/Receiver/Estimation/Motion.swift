/// The motion between two epochs, measured by the positions and by the Doppler velocities.
struct Motion: Hashable, Sendable {
  let seconds: Double
  /// The difference between both positions in metres.
  let displacement: Offset
  /// The Doppler velocities at both epochs in m/s; nil if an epoch has no velocity.
  let before, after: Offset?

  /// The displacement in metres that follows from the Doppler velocities: the product of the interval and the mean of
  /// both velocities. The value is nil if a velocity is missing.
  var way: Offset? { before.flatMap { before in after.map { (before + $0) * (seconds / 2) } } }
  /// The change of the Doppler velocity in m/s; nil if one of the velocities is missing.
  var change: Offset? { before.flatMap { before in after.map { $0 - before } } }

  /// Returns the motion of this interval and the next interval together.
  func followed(by next: Motion) -> Motion {
    Motion(
      seconds: seconds + next.seconds, displacement: displacement + next.displacement, before: before,
      after: next.after)
  }
}
