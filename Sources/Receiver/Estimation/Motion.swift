/// The motion between two epochs, measured by the positions and by the Doppler velocities.
struct Motion: Hashable, Sendable {
  let seconds: Double
  /// The difference of the positions, metres.
  let displacement: Offset
  /// The Doppler velocities at both epochs, m/s; nil if an epoch has no velocity.
  let before, after: Offset?

  /// The displacement by Doppler, metres: the mean of both velocities times the interval; nil without both velocities.
  var way: Offset? { before.flatMap { before in after.map { (before + $0) * (seconds / 2) } } }
  /// The change of the Doppler velocity, m/s; nil without both velocities.
  var change: Offset? { before.flatMap { before in after.map { $0 - before } } }
}
