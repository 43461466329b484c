/// The parameters of the filter. `Sources/Documentation/reference/positioning.md` has the equations and the
/// measurements.
///
/// The value of a parameter without a source was chosen on simulated drives, and `Scripts/bench positioning` measures what
/// it does.
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
  /// Least standard deviation of the receiver error, metres: the position of an antenna is not known better.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// Standard deviation of a Doppler velocity along one axis: m/s at rest, and share of the speed.
  package var velocityDeviation = 0.05
  package var velocityShare = 0.02
  /// Seconds by which a velocity may be late: the error of a displacement is this times the change of velocity.
  package var velocityLag = 0.5
  /// m/s²: velocities that change by more are wrong.
  package var mostAcceleration = 15.0
  /// Standard deviations of the scale error and of the latency, seconds, before anything is measured.
  package var scaleDeviation = 0.05
  package var latencyDeviation = 0.6
  /// Least standard deviation of a difference of positions in the calibration, metres.
  package var calibrationNoise = 0.3
  /// Metres: larger differences are outliers unless the way is as long.
  package var calibrationReach = 5.0
  /// Time constant of the calibration, seconds.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// The white part of the noise, standard deviation of one axis: at least so many metres and this share of the receiver
  /// error, at most so many metres.
  package var leastWhite = 0.1
  package var leastWhiteShare = 0.1
  package var mostWhite = 40.0
  /// The share of the receiver's standard deviation that counts as white until the white part has been measured.
  package var assumedWhiteShare = 0.3
  /// Seconds: over longer intervals differences of positions contain more of the motion than of the noise.
  package var longestDifference = 4.5
  /// Below this number of satellites a fix rests on an assumption; this is added to its noise, m².
  package var fewSatellites = 4
  package var fewSatellitesVariance = 100.0
  /// Doppler speed, m/s, above which a repeated position is an old one.
  package var repeatedSpeed = 2.0
  /// Error of a receiver that has just found its first position, metres, its time constant, seconds, and the seconds for
  /// which its own position is reported.
  package var settlingError = 10.0
  package var settlingTime = 8.0
  package var settlingOwn = 16.0

  // MARK: Gates

  /// Normalised innovation squared above which a hypothesis rejects a position: chi-square, two degrees of freedom, 99 %.
  package var gate = 9.21
  /// Normalised innovation squared above which a position is doubtful: the vehicle has accelerated, or it is an outlier.
  package var doubt = 4.0
  /// The first positions pass whatever they are: receivers begin with a stored place.
  package var freeFixes = 4
  /// Seconds without a position after which the next one is believed.
  package var longestGap = 8.0

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The score below which it cannot fall, above which trust is lost, and below which it is regained.
  package var mostTrust = 100.0
  package var trustLost = 20.0
  package var trustRegained = -5.0
  /// The score after the first loss of trust, which doubles with each, and its upper limit.
  package var distrust = 60.0
  package var mostDistrust = 960.0
  /// m/s: slower motion of the positions tells nothing about velocities; from the second speed on velocities have full weight.
  package var slowSpeed = 3.0
  package var fullSpeed = 1.0
  /// The course is compared over so many seconds, and steps of at most so many.
  package var courseTime = 4.0
  package var longestCourseStep = 2.5
  /// The course is wrong if a way of at least so many metres differs by this share and so many standard deviations, while
  /// its length differs by less than this share, for so many seconds.
  package var courseLeast = 15.0
  package var courseShare = 0.5
  package var courseSigmas = 3.0
  package var courseSame = 0.3
  package var courseLasted = 2.0
  /// Seconds after which a course that is the same to the digit proves nothing.
  package var repeatedCourse = 5.0

  // MARK: Alternative hypothesis

  /// Seconds after which rejected positions are right: if they agree with each other, if they agree against a Doppler that
  /// leads, and in any case.
  package var agreed = 3.0
  package var agreedAgainstDoppler = 20.0
  package var longestRejection = 8.0
  /// Rejected positions are right already after so many seconds if a vehicle could drive there: with at most this
  /// acceleration, m/s², and a place within so many metres and this share of the change of velocity times the time.
  package var drivenTime = 0.9
  package var drivenAcceleration = 12.0
  package var drivenSlack = 2.5
  package var drivenShare = 0.35

  // MARK: Standing still

  /// A receiver is at rest if the mean velocity is below the first speed and each velocity below the second one, m/s, for
  /// so many seconds.
  package var restSpeed = 0.1
  package var restMost = 0.6
  package var restTime = 6.0
  /// White noise, metres, below which the receiver itself holds its position at rest: in general, and at a speed of 0.
  package var holding = 0.1
  package var holdingAtZero = 0.25

  // MARK: Output

  /// A receiver whose white noise is below this share of its standard deviation has filtered already.
  package var ownShare = 0.3
  /// The radius of 68 % is at least this quantile of the residuals, without the part that so many standard deviations of
  /// the white noise explain. A bias does not show in the residuals, so the quantile is a high one.
  package var residualShare = 0.85
  package var residualWhite = 4.5
  /// Residuals that must be known before they say something about the accuracy.
  package var leastResiduals = 15

  // MARK: Coasting

  /// Seconds without a measurement after which nothing is reported.
  package var longestCoasting = 30.0
  /// Power spectral density of the unmeasured acceleration, m²/s³, between the two speeds, m/s. It falls with the square of
  /// the ratio to them, down to the last value: walkers cannot accelerate more, and fast vehicles do not.
  package var coastingAcceleration = 5.0
  package var coastingSpeeds = 5.0...15
  package var leastCoastingAcceleration = 0.3
  /// Seconds over which turn rate and acceleration are averaged.
  package var manoeuvreMean = 1.5
  /// Time constant of a turn, seconds: bends of a road end.
  package var turnTime = 60.0
  /// Radians that a turn has at most. Above 15 m/s the limit grows with the square of the speed.
  package var mostTurn = 0.4
  /// Time constant of the speed, seconds: vehicles brake, stop and turn off. Above 15 m/s it grows with the fourth power.
  package var stopTime = 60.0
  /// Time constant of an acceleration, seconds.
  package var pushTime = 1.5

  package init() {}
}
