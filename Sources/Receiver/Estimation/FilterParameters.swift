/// The parameters of the filter. `Sources/Documentation/reference/positioning.md` contains the equations and the
/// measurements.
///
/// A parameter without a source was tuned on simulated drives. `Scripts/bench positioning` measures the effect of its
/// value.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: Process models

  /// The power spectral density of the horizontal acceleration of a car in a town, in m²/s³.
  package var acceleration = 1.5
  /// The power spectral density of the horizontal acceleration in m²/s³, if the filter does not trust the Doppler
  /// velocities. The value is larger than `acceleration`, because the filter must then recognise hard braking from the
  /// positions alone.
  package var accelerationAlone = 3.0
  /// The power spectral density of the vertical acceleration on roads and stairs, in m²/s³. (A lift reaches a speed of
  /// 1 m/s within 2 s.)
  package var climbing = 0.05
  /// The standard deviation of a velocity that is unknown, in m/s.
  package var unknownVelocity = 50.0
  /// The standard deviation of a vertical speed that is unknown, in m/s.
  package var unknownClimb = 1.0
  /// The minimum standard deviation of the receiver error in metres. No receiver measures the position of its antenna
  /// more precisely.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// The standard deviation in m/s of a Doppler velocity along one axis, for a receiver at rest.
  package var velocityDeviation = 0.05
  /// The fraction of the speed that the standard deviation of a Doppler velocity contains. The standard deviation is
  /// √(`velocityDeviation`² + (`velocityShare` · speed)²).
  package var velocityShare = 0.02
  /// The possible latency of a Doppler velocity in seconds. The product of this latency and the change of velocity is
  /// the possible error of a displacement that follows from the Doppler velocities.
  package var velocityLag = 0.5
  /// The maximum plausible acceleration in m/s². If a velocity requires a larger acceleration, the velocity is wrong.
  package var mostAcceleration = 15.0
  /// The standard deviation of the scale error of the Doppler velocities before the first measurement. The scale error
  /// is a fraction of the velocity.
  package var scaleDeviation = 0.05
  /// The standard deviation of the latency of the Doppler velocities in seconds, before the first measurement.
  package var latencyDeviation = 0.6
  /// The time constant in seconds with which the calibration of the Doppler velocities forgets old measurements.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// The minimum standard deviation of the white noise along one axis in metres.
  package var leastWhite = 0.1
  /// The minimum standard deviation of the white noise along one axis, as a fraction of the receiver error.
  package var leastWhiteShare = 0.1
  /// The maximum standard deviation of the white noise along one axis in metres.
  package var mostWhite = 40.0
  /// The white noise that the filter assumes before the white noise is measured, as a fraction of the standard
  /// deviation that the receiver reports. With a smaller fraction, the filter would reject correct positions, restart
  /// often, and accept outliers after each restart.
  package var assumedWhiteShare = 0.8
  /// The maximum time in seconds between two positions whose difference is used. Over a longer time, the difference
  /// contains more motion than noise.
  package var longestDifference = 4.5
  /// The speed in m/s above which a repeated position counts as old.
  package var repeatedSpeed = 2.0
  /// The deceleration in m/s² with which a vehicle may stop at a repeated position, if the filter does not trust Doppler
  /// velocities. Few drivers brake harder.
  package var braking = 6.0
  /// The error of a receiver that has just found its first position, as a multiple of the receiver error.
  package var settlingShare = 5.4
  /// The time constant in seconds with which the error of `settlingShare` decreases. During the first minute the
  /// receiver finds more satellites, and receives their orbits. (A GPS satellite repeats its orbit every 30 s:
  /// IS-GPS-200, section 20.3.2)
  package var settlingTime = 25.0
  /// The time in seconds after the first position during which the filter reports the receiver's own position.
  package var settlingOwn = 16.0
  /// The time in seconds after the first position during which successive fixes of a receiver at rest do not keep the
  /// same position, because the position still improves.
  package var settlingRest = 60.0

  // MARK: Gates

  /// The limit for the normalised innovation squared. Above this limit, a hypothesis rejects the position. The limit is
  /// the 99 % quantile of a chi-square distribution with two degrees of freedom.
  package var gate = 9.21
  /// The number of positions after a start or restart of the filter that never count as outliers. Some receivers begin
  /// with a stored position.
  package var freeFixes = 4
  /// The time in seconds without an accepted position after which the filter accepts any position.
  package var longestGap = 6.5

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The magnitude of the minimum score of the type `DopplerTrust`. A negative score means that the Doppler velocities
  /// fit the positions.
  package var mostTrust = 100.0
  /// If the score of `DopplerTrust` exceeds this value, the filter no longer trusts the Doppler velocities.
  package var trustLost = 8.0
  /// If the filter does not trust the Doppler velocities, the trust returns when the score of `DopplerTrust` falls
  /// below this value.
  package var trustRegained = -5.0
  /// The maximum score of `DopplerTrust`. The filter sets the score to this value when the trust in the Doppler
  /// velocities ends.
  package var distrust = 120.0
  /// A speed in m/s that is subtracted from the speed of the positions. Slower motion does not show whether the
  /// velocities are correct.
  package var slowSpeed = 3.0
  /// The speed in m/s from which a comparison of the Doppler velocities with the positions has its full weight.
  package var fullSpeed = 1.0
  /// The time constant in seconds of the averages with which the course of the positions and the course of the Doppler
  /// velocities are compared.
  package var courseTime = 4.0
  /// The maximum time in seconds between two epochs whose courses are compared.
  package var longestCourseStep = 2.5
  /// The minimum length in metres of the way that the Doppler velocities measure. The test for a wrong course needs at
  /// least this length.
  package var courseLeast = 15.0
  /// First condition of a wrong course: the displacement of the positions and the displacement of the Doppler
  /// velocities are different vectors. The difference vector is longer than this fraction of the length of the way that
  /// the Doppler velocities measure.
  package var courseShare = 0.5
  /// Second condition of a wrong course: the difference vector of `courseShare` is longer than this number of standard
  /// deviations of the receiver error.
  package var courseSigmas = 3.0
  /// Third condition of a wrong course: the displacement of the positions and the displacement of the Doppler
  /// velocities have nearly the same length. The difference of the lengths is less than this fraction of the length of
  /// the way that the Doppler velocities measure.
  package var courseSame = 0.3
  /// The time in seconds for which all three conditions of a wrong course must be true before the course counts as
  /// wrong.
  package var courseLasted = 2.0
  /// The time in seconds after which an exactly constant course no longer increases the trust in the Doppler
  /// velocities.
  package var repeatedCourse = 5.0

  /// The time in seconds after which the filter stops trusting Doppler velocities that contradict the positions.
  package var longestContradiction = 20.0

  // MARK: Alternative hypothesis

  /// The time in seconds after which rejected positions are confirmed, if the rejected positions agree with each other.
  package var agreed = 3.0
  /// The time in seconds after which rejected positions are confirmed, if the receiver sends no Doppler velocities, and
  /// the acceleration is plausible (`drivenAcceleration`).
  package var drivenTime = 0.9
  /// The maximum plausible acceleration in m/s² between the latest accepted position and the rejected positions. Tyres
  /// on a dry road allow about 10 m/s².
  package var drivenAcceleration = 12.0

  // MARK: Recovery of the receiver

  /// The time in seconds for which rejected positions must move along the Doppler velocities before the filter accepts
  /// the positions, even if only the hypothesis with Doppler velocities may accept positions. A burst of three wrong
  /// positions is shorter.
  package var recovered = 4.0
  /// The maximum distance of the positions of `recovered` from the path along the Doppler velocities, as a fraction of
  /// the distance of the positions from the leading hypothesis.
  package var recoveredShare = 0.25

  // MARK: Standing still

  /// The limit in m/s for the reported speed of a receiver at rest. A receiver that reports this speed or more moves.
  package var restMost = 0.6
  /// The time in seconds over which the positions at rest are averaged. After half of this time, the filter can detect
  /// that the receiver is at rest. (D. L. Wilson, "Correlation of Errors": the autocorrelation of the error of one
  /// receiver, which stood for 20 days, has a bend at about a minute. The autocorrelation of another receiver falls
  /// evenly.)
  package var restMean = 60.0
  /// The maximum distance of a position at rest from the mean position (`restMean`), divided by the mean speed along
  /// the positions, in seconds. For a vehicle that moves straight on, this quotient is 15 s with a mean over 30 s. The
  /// error of a receiver at rest returns to the mean. If the time constant of the error is τ, the distance is √(τ / 2
  /// s) times the way in one second: 5.5 times for 60 s.
  package var restReach = 6.0
  /// A limit for the white noise in metres. If a receiver at rest has less white noise, the receiver itself keeps its
  /// reported position constant.
  package var holding = 0.25

  // MARK: Output

  /// A limit for the white noise, as a fraction of the reported standard deviation. If the white noise is below this
  /// limit, the receiver has already filtered its positions.
  package var ownShare = 0.3
  /// The minimum radius of a fix follows from this rule: if the error of the fix is more than five times the radius of
  /// the fix, the error of the receiver's own position is more than `mostWrong` times the receiver's own radius.
  package var mostWrong = 2.4
  /// The minimum radius of the 68 % circle follows from this quantile of the residuals (the distances between measured
  /// positions and the leading hypothesis). Six of 31 residuals may be glitches without an effect.
  package var residualShare = 0.78
  /// The ratio of the 91 % quantile to `residualShare` for normally distributed errors (Rayleigh: 2.194 / 1.740). The
  /// 91 % quantile is the radius, because the residuals do not contain a bias.
  package var residualScale = 1.26
  /// The code subtracts this number of standard deviations of the white noise from the quantile of the residuals.
  package var residualWhite = 6.0
  /// The number that replaces `residualWhite` for a receiver at rest if successive fixes have the same position. In
  /// this case the residuals are the distances from the mean position, and the quantile itself is the radius.
  package var restWhite = 2.5
  /// The minimum number of residuals from which the code estimates the accuracy.
  package var leastResiduals = 15

  // MARK: Coasting

  /// The time in seconds without a measurement after which the filter reports no position.
  package var longestCoasting = 30.0
  /// The power spectral density of the acceleration in m²/s³ while no measurement arrives.
  package var coastingAcceleration = 5.0
  /// The range of speeds in m/s in which `coastingAcceleration` is valid. Walkers and fast vehicles cannot accelerate
  /// as much, so the density is smaller outside the range. Below the range, the density is multiplied by
  /// (speed / lower end)². Above the range, the density is multiplied by (upper end / speed)².
  package var coastingSpeeds = 5.0...15
  /// The minimum power spectral density of the acceleration in m²/s³ while no measurement arrives.
  package var leastCoastingAcceleration = 0.3
  /// The time in seconds over which the turn rate is averaged.
  package var turnMean = 1.5
  /// The maximum angle of a turn in radians. At speeds above 15 m/s, this maximum increases with the square of the
  /// speed.
  package var mostTurn = 0.4

  package init() {}
}
