/// The motion between two successive measurements of a receiver, according to its positions and according to its
/// velocities.
struct Motion: Hashable, Sendable {
  let seconds: Double
  /// The displacement in metres, according to the two positions.
  let displacement: Offset
  /// The Doppler velocities in m/s at the first and at the second measurement; nil if the receiver reported none.
  let before, after: Offset?

  /// The displacement in metres according to the velocities: the mean of both velocities multiplied by the interval.
  /// The value is nil if a velocity is missing.
  var way: Offset? { before.flatMap { before in after.map { (before + $0) * (seconds / 2) } } }
  /// The change of the velocity in m/s; nil if a velocity is missing.
  var change: Offset? { before.flatMap { before in after.map { $0 - before } } }

  /// Returns the motion over this interval and the next interval.
  func followed(by next: Motion) -> Motion {
    Motion(
      seconds: seconds + next.seconds, displacement: displacement + next.displacement, before: before,
      after: next.after)
  }
}
