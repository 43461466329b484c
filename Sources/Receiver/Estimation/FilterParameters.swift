/// The parameters of the filter. `Sources/Documentation/reference/positioning.md` contains the equations and the
/// measurements.
///
/// A parameter without a source was tuned on simulated drives. `Scripts/bench positioning` measures the effect of its
/// value.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: Process models

  /// Power spectral density of the horizontal acceleration of a car in a town, m²/s³.
  package var acceleration = 1.5
  /// The same without a trusted Doppler hypothesis, since the position hypothesis must then follow hard braking alone.
  package var accelerationAlone = 3.0
  /// Power spectral density of the vertical acceleration on roads and stairs, m²/s³. A lift reaches 1 m/s within 2 s.
  package var climbing = 0.05
  /// Standard deviation of an unknown velocity, m/s.
  package var unknownVelocity = 50.0
  /// Standard deviation of an unknown rate of climb, m/s.
  package var unknownClimb = 1.0
  /// Time constant of the receiver error, seconds. (311 recorded phone tracks: autocorrelation 0.9 at 1 s, 0.6 at 10 s)
  package var errorTime = 60.0
  /// Minimum standard deviation of the receiver error, metres. The position of an antenna cannot be known more
  /// precisely.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// Standard deviation of a Doppler velocity along one axis at rest, m/s.
  package var velocityDeviation = 0.05
  /// The part of the standard deviation of a Doppler velocity that grows with the speed, as a share of the speed.
  package var velocityShare = 0.02
  /// Possible latency of a velocity, seconds. The error of a displacement is this latency times the change of velocity.
  package var velocityLag = 0.5
  /// Maximum plausible acceleration, m/s². Velocities with a larger change are wrong.
  package var mostAcceleration = 15.0
  /// Standard deviation of the scale error before the first measurement, as a share.
  package var scaleDeviation = 0.05
  /// Standard deviation of the latency before the first measurement, seconds.
  package var latencyDeviation = 0.6
  /// Minimum standard deviation of a difference of positions in the calibration, metres.
  package var calibrationNoise = 0.3
  /// A difference between displacements is an outlier if it is longer than this value, metres, and also longer than the
  /// displacement itself.
  package var calibrationReach = 5.0
  /// Time constant of the calibration, seconds.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// Minimum standard deviation of the white noise along one axis, metres.
  package var leastWhite = 0.1
  /// Minimum standard deviation of the white noise along one axis, as a share of the receiver error.
  package var leastWhiteShare = 0.1
  /// Maximum standard deviation of the white noise along one axis, metres.
  package var mostWhite = 40.0
  /// The share of the receiver's standard deviation that counts as white noise before the white noise is measured. A
  /// smaller share rejects correct positions, so that the filter begins again and again, and accepts outliers meanwhile.
  package var assumedWhiteShare = 0.8
  /// Maximum interval of position differences, seconds. Differences over longer intervals contain more motion than
  /// noise.
  package var longestDifference = 4.5
  /// The number of satellites below which a fix depends on an assumption of the receiver, for example about the
  /// altitude.
  package var fewSatellites = 4
  /// The variance that is added to the noise of a fix with too few satellites, m².
  package var fewSatellitesVariance = 100.0
  /// Doppler speed, m/s, above which a repeated position is an old position.
  package var repeatedSpeed = 2.0
  /// Error of a receiver that has just found its first position, metres.
  package var settlingError = 10.0
  /// Time constant of the error after the first position, seconds.
  package var settlingTime = 8.0
  /// The time after the first position in which the filter reports the receiver's own position, seconds.
  package var settlingOwn = 16.0

  // MARK: Gates

  /// Normalised innovation squared above which a hypothesis rejects a position: 99 % of a chi-square distribution with
  /// two degrees of freedom.
  package var gate = 9.21
  /// Normalised innovation squared above which a position is doubtful: the vehicle has accelerated, or the position is
  /// an outlier.
  package var doubt = 4.0
  /// Number of first positions that are never treated as outliers, because receivers may begin with a stored position.
  package var freeFixes = 4
  /// Seconds without a position after which the next position is accepted.
  package var longestGap = 8.0

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The magnitude of the minimum score. A negative score is evidence for Doppler.
  package var mostTrust = 100.0
  /// The score above which the filter no longer trusts Doppler.
  package var trustLost = 12.0
  /// The score below which the filter trusts Doppler again.
  package var trustRegained = -5.0
  /// The score after the first loss of trust. Each further loss doubles the score.
  package var distrust = 60.0
  /// The maximum score after a loss of trust.
  package var mostDistrust = 960.0
  /// The speed that is subtracted from the speed of the positions, m/s, because slower motion is no evidence about
  /// velocities.
  package var slowSpeed = 3.0
  /// The speed from which evidence has full weight, m/s.
  package var fullSpeed = 1.0
  /// The time constant over which the course is compared, seconds.
  package var courseTime = 4.0
  /// The maximum interval between two epochs in the comparison of the course, seconds.
  package var longestCourseStep = 2.5
  /// The minimum length of the way of the velocities for a decision that the course is wrong, metres.
  package var courseLeast = 15.0
  /// The course is wrong if the way of the positions differs from the way of the velocities by more than this share of
  /// its length.
  package var courseShare = 0.5
  /// The course is wrong only if the ways of positions and velocities also differ by more than this number of standard
  /// deviations.
  package var courseSigmas = 3.0
  /// The course is wrong only if the lengths of the ways of positions and velocities differ by less than this share.
  package var courseSame = 0.3
  /// The time for which all conditions of a wrong course must hold, seconds.
  package var courseLasted = 2.0
  /// Seconds after which an exactly constant course is no longer evidence for Doppler.
  package var repeatedCourse = 5.0

  // MARK: Alternative hypothesis

  /// Seconds after which rejected positions are confirmed if they agree with each other.
  package var agreed = 3.0
  /// Seconds after which rejected positions are confirmed if they agree with each other, but contradict a leading
  /// Doppler hypothesis.
  package var agreedAgainstDoppler = 20.0
  /// Seconds after which rejected positions are confirmed even if they do not agree with each other.
  package var longestRejection = 8.0
  /// Seconds after which rejected positions are confirmed if a vehicle could drive to them.
  package var drivenTime = 0.9
  /// Maximum acceleration of a vehicle that could drive to the rejected positions, m/s².
  package var drivenAcceleration = 12.0
  /// Maximum distance between a rejected position and the place that a vehicle reaches with the mean of both
  /// velocities, metres.
  package var drivenSlack = 2.5
  /// An addition to `drivenSlack`, as a share of the change of velocity times the time.
  package var drivenShare = 0.35

  // MARK: Standing still

  /// A receiver at rest has a mean velocity below this speed, m/s.
  package var restSpeed = 0.1
  /// At rest, no single velocity exceeds this speed, m/s.
  package var restMost = 0.6
  /// Seconds for which the velocities must be low before the receiver counts as at rest.
  package var restTime = 6.0
  /// White noise below which the receiver itself holds its position at rest, metres.
  package var holding = 0.1
  /// White noise below which the receiver itself holds its position if it reports a speed of 0, metres.
  package var holdingAtZero = 0.25

  // MARK: Output

  /// Ratio of white noise to standard deviation below which the receiver has already filtered its positions.
  package var ownShare = 0.3
  /// The 68 % radius is at least this share of the distance from the receiver's position, as soon as it has been less for
  /// some seconds.
  package var reach = 0.5
  package var longestApart = 1.0
  /// The share of the receiver's variance that no filter can remove, because the errors of receivers last.
  package var lastingShare = 0.64
  /// The 68 % radius is at least this quantile of the residuals. The quantile is high because the residuals do not
  /// contain a bias.
  package var residualShare = 0.88
  /// The number of standard deviations of the white noise that is subtracted from the quantile of the residuals.
  package var residualWhite = 5.0
  /// Minimum number of residuals for an estimate of the accuracy.
  package var leastResiduals = 15

  // MARK: Coasting

  /// Seconds without a measurement after which no position is reported.
  package var longestCoasting = 30.0
  /// Power spectral density of the acceleration while no measurement arrives, m²/s³.
  package var coastingAcceleration = 5.0
  /// The range of speeds for which `coastingAcceleration` is correct, m/s. Outside this range the density falls with
  /// the square of the ratio to the limit: walkers cannot accelerate more, and fast vehicles do not.
  package var coastingSpeeds = 5.0...15
  /// Minimum power spectral density of the acceleration while no measurement arrives, m²/s³.
  package var leastCoastingAcceleration = 0.3
  /// Seconds over which turn rate and acceleration are averaged.
  package var manoeuvreMean = 1.5
  /// Time constant of a turn, seconds. A turn ends because bends of a road end.
  package var turnTime = 60.0
  /// Maximum angle of a turn, radians. Above 15 m/s the limit grows with the square of the speed.
  package var mostTurn = 0.4
  /// Time constant of the speed, seconds. The speed falls because vehicles brake, stop and turn off. Above 15 m/s the
  /// time constant grows with the fourth power of the speed.
  package var stopTime = 60.0
  /// Time constant of an acceleration, seconds.
  package var pushTime = 1.5

  package init() {}
}
