/// The parameters of the filter. `Sources/Documentation/reference/positioning.md` contains the equations and the
/// measurements.
///
/// A parameter without a source was tuned on simulated drives. `Scripts/bench positioning` measures the effect of its
/// value.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: Process models

  /// Power spectral density of the horizontal acceleration, m²/s³: a car in a town.
  package var acceleration = 1.5
  /// Power spectral density of the vertical acceleration, m²/s³: roads and stairs. A lift reaches 1 m/s within 2 s.
  package var climbing = 0.05
  /// Standard deviation of an unknown velocity, m/s, and of an unknown rate of climb, m/s.
  package var unknownVelocity = 50.0
  package var unknownClimb = 1.0
  /// Time constant of the receiver error, seconds. (311 recorded phone tracks: autocorrelation 0.9 at 1 s, 0.6 at 10 s)
  package var errorTime = 60.0
  /// Minimum standard deviation of the receiver error, metres. The position of an antenna cannot be known more
  /// precisely.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// Standard deviation of a Doppler velocity along one axis: m/s at rest, and share of the speed.
  package var velocityDeviation = 0.05
  package var velocityShare = 0.02
  /// Possible latency of a velocity, seconds. The error of a displacement is this latency times the change of velocity.
  package var velocityLag = 0.5
  /// Maximum plausible acceleration, m/s². Velocities with a larger change are wrong.
  package var mostAcceleration = 15.0
  /// Standard deviations of the scale error and of the latency, seconds, before the first measurement.
  package var scaleDeviation = 0.05
  package var latencyDeviation = 0.6
  /// Minimum standard deviation of a difference of positions in the calibration, metres.
  package var calibrationNoise = 0.3
  /// Distance, metres, above which a difference is an outlier, unless the way is at least as long.
  package var calibrationReach = 5.0
  /// Time constant of the calibration, seconds.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// Limits of the white part of the noise, standard deviation of one axis: a minimum in metres, a minimum share of the
  /// receiver error, and a maximum in metres.
  package var leastWhite = 0.1
  package var leastWhiteShare = 0.1
  package var mostWhite = 40.0
  /// The share of the receiver's standard deviation that counts as white before the white part is measured.
  package var assumedWhiteShare = 0.3
  /// Maximum interval of position differences, seconds. Differences over longer intervals contain more motion than
  /// noise.
  package var longestDifference = 4.5
  /// Number of satellites below which a fix depends on an assumption, and the variance that is then added to its noise,
  /// m².
  package var fewSatellites = 4
  package var fewSatellitesVariance = 100.0
  /// Doppler speed, m/s, above which a repeated position is an old position.
  package var repeatedSpeed = 2.0
  /// Error of a receiver that has just found its first position, metres; the time constant of that error, seconds; and
  /// the time in which the receiver's own position is reported, seconds.
  package var settlingError = 10.0
  package var settlingTime = 8.0
  package var settlingOwn = 16.0

  // MARK: Gates

  /// Normalised innovation squared above which a hypothesis rejects a position: chi-square, two degrees of freedom, 99
  /// %.
  package var gate = 9.21
  /// Normalised innovation squared above which a position is doubtful: the vehicle has accelerated, or it is an
  /// outlier.
  package var doubt = 4.0
  /// Number of first positions that are never treated as outliers, because receivers begin with a stored place.
  package var freeFixes = 4
  /// Seconds without a position after which the next position is accepted.
  package var longestGap = 8.0

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The magnitude of the minimum score, the score above which trust is lost, and the score below which trust is
  /// regained.
  package var mostTrust = 100.0
  package var trustLost = 20.0
  package var trustRegained = -5.0
  /// The score after the first loss of trust, and its upper limit. The score doubles with each loss.
  package var distrust = 60.0
  package var mostDistrust = 960.0
  /// m/s: the speed that is subtracted from the speed of the positions, because slower motion is no evidence about
  /// velocities; and the speed from which evidence has full weight.
  package var slowSpeed = 3.0
  package var fullSpeed = 1.0
  /// The time over which the course is compared, and the maximum length of a step, seconds.
  package var courseTime = 4.0
  package var longestCourseStep = 2.5
  /// The course is wrong if the ways differ by a share and a number of standard deviations, while their lengths differ
  /// by less than a share, for some seconds. The first value is the minimum length of the way, metres.
  package var courseLeast = 15.0
  package var courseShare = 0.5
  package var courseSigmas = 3.0
  package var courseSame = 0.3
  package var courseLasted = 2.0
  /// Seconds after which an exactly constant course is no longer evidence.
  package var repeatedCourse = 5.0

  // MARK: Alternative hypothesis

  /// Seconds after which rejected positions are confirmed: if they agree with each other, if they agree against a
  /// leading Doppler hypothesis, and in any case.
  package var agreed = 3.0
  package var agreedAgainstDoppler = 20.0
  package var longestRejection = 8.0
  /// Rejected positions are confirmed after a shorter time, seconds, if a vehicle could drive to them. The conditions
  /// are a maximum acceleration, m/s², and a maximum distance: metres, plus a share of the change of velocity times the
  /// time.
  package var drivenTime = 0.9
  package var drivenAcceleration = 12.0
  package var drivenSlack = 2.5
  package var drivenShare = 0.35

  // MARK: Standing still

  /// A receiver is at rest if the mean velocity is below the first speed and each velocity is below the second speed,
  /// m/s, for a number of seconds.
  package var restSpeed = 0.1
  package var restMost = 0.6
  package var restTime = 6.0
  /// White noise, metres, below which the receiver itself holds its position at rest: in general, and at a speed of 0.
  package var holding = 0.1
  package var holdingAtZero = 0.25

  // MARK: Output

  /// Ratio of white noise to standard deviation below which the receiver has already filtered its positions.
  package var ownShare = 0.3
  /// The 68 % radius is at least this quantile of the residuals, after subtraction of this number of standard
  /// deviations of the white noise. The quantile is high because the residuals do not contain a bias.
  package var residualShare = 0.85
  package var residualWhite = 4.5
  /// Minimum number of residuals for an estimate of the accuracy.
  package var leastResiduals = 15

  // MARK: Coasting

  /// Seconds without a measurement after which no position is reported.
  package var longestCoasting = 30.0
  /// Power spectral density of the unmeasured acceleration, m²/s³, between the two speeds, m/s. Outside this range the
  /// density falls with the square of the ratio to the limit, down to the last value: walkers cannot accelerate more,
  /// and fast vehicles do not.
  package var coastingAcceleration = 5.0
  package var coastingSpeeds = 5.0...15
  package var leastCoastingAcceleration = 0.3
  /// Seconds over which turn rate and acceleration are averaged.
  package var manoeuvreMean = 1.5
  /// Time constant of a turn, seconds. Bends of a road end.
  package var turnTime = 60.0
  /// Maximum angle of a turn, radians. Above 15 m/s the limit grows with the square of the speed.
  package var mostTurn = 0.4
  /// Time constant of the speed, seconds. Vehicles brake, stop and turn off. Above 15 m/s the time constant grows with
  /// the fourth power of the speed.
  package var stopTime = 60.0
  /// Time constant of an acceleration, seconds.
  package var pushTime = 1.5

  package init() {}
}
