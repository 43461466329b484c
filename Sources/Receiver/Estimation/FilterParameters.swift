/// The constants of the filter that estimates position and velocity. The page
/// `Sources/Documentation/reference/positioning.md` contains the equations.
///
/// A constant without a source was tuned on simulated drives. The command `Scripts/bench positioning` measures the
/// effect of its value.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: Process models

  /// The power spectral density of a car's horizontal acceleration in m²/s³. The filter uses this density as its
  /// process noise. The value fits a car in a town.
  package var acceleration = 1.5
  /// The power spectral density of the horizontal acceleration in m²/s³, for a receiver without usable velocities.
  /// The value is larger than `acceleration`, because the filter must then recognise hard braking from the positions
  /// alone.
  package var accelerationAlone = 3.0
  /// The power spectral density of the vertical acceleration on roads and stairs, in m²/s³. (A lift reaches a speed
  /// of 1 m/s within 2 s.)
  package var climbing = 0.05
  /// The initial standard deviation of the horizontal velocity in m/s, before the filter knows the velocity.
  package var unknownVelocity = 50.0
  /// The initial standard deviation of the vertical speed in m/s, before the filter knows the vertical speed.
  package var unknownClimb = 1.0
  /// The minimum standard deviation in metres of the receiver's position error. No receiver measures the position of
  /// its antenna more precisely.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// The standard deviation in m/s, along one axis, of the velocity that a receiver at rest reports.
  package var velocityDeviation = 0.05
  /// The part of the reported velocity's standard deviation that grows with the speed, as a fraction of the speed. The
  /// whole standard deviation is √(`velocityDeviation`² + (`velocityShare` · speed)²).
  package var velocityShare = 0.02
  /// The assumed latency of the velocities that the receiver reports, in seconds. The resulting position error has a
  /// standard deviation of latency · change of velocity.
  package var velocityLag = 0.5
  /// The maximum plausible acceleration in m/s². The filter ignores a reported velocity that requires a larger
  /// acceleration.
  package var mostAcceleration = 15.0
  /// The initial standard deviation of the scale error of the reported velocities, as a fraction. (The scale error is
  /// the relative difference between the true speed and the reported speed.)
  package var scaleDeviation = 0.05
  /// The initial standard deviation, in seconds, of the latency of the reported velocities.
  package var latencyDeviation = 0.6
  /// The time constant in seconds of the estimator for the errors of the reported velocities. The weight of a
  /// measurement decreases exponentially with its age.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// The minimum standard deviation of the white noise that the filter assumes in a position, in metres along one axis.
  package var leastWhite = 0.1
  /// The minimum standard deviation of the white noise in a position, as a fraction of the standard deviation of the
  /// total position error.
  package var leastWhiteShare = 0.1
  /// The maximum standard deviation of the white noise that the filter assumes in a position, in metres along one axis.
  package var mostWhite = 40.0
  /// The assumed standard deviation of the white noise in a position, until the filter has measured the noise. The
  /// value is a fraction of the standard deviation that the receiver reports. With a smaller fraction, the filter would
  /// reject correct positions.
  package var assumedWhiteShare = 0.8
  /// The maximum interval in seconds between two positions that the filter compares to measure the noise. In a longer
  /// interval, the motion hides the noise.
  package var longestDifference = 4.5
  /// The minimum speed in m/s for the detection of repeated positions. Above this speed, an unchanged coordinate means
  /// that the receiver has sent its old position again.
  package var repeatedSpeed = 2.0
  /// The way in metres after which an unchanged coordinate is old although the vehicle has stopped. The way is also longer
  /// than three standard deviations of the position, since a receiver may hold its position at the end of a motion.
  package var repeatedWay = 10.0
  /// The maximum deceleration of a vehicle in m/s². With this value, the filter distinguishes a stop of the vehicle
  /// from a repeated old position.
  package var braking = 6.0
  /// The additional error of the first position after the start of the receiver, as a multiple of the usual position
  /// error.
  package var settlingShare = 5.4
  /// The time constant in seconds with which the additional error after the receiver's start decreases. In the first
  /// minute, the receiver finds more satellites and receives the data of their orbits. (A GPS satellite sends these
  /// data every 30 s: IS-GPS-200, section 20.3.2)
  package var settlingTime = 25.0
  /// The time in seconds after the receiver's first position, during which the filter does not smooth the positions.
  package var settlingOwn = 16.0
  /// The minimum time in seconds after the receiver's first position, before the filter reports a constant position for
  /// a receiver at rest. Earlier positions still improve.
  package var settlingRest = 60.0

  // MARK: Gates

  /// The threshold of the outlier test: the normalised innovation squared (NIS) above which the filter rejects a
  /// measured position. The value is the 99 % quantile of a chi-square distribution with two degrees of freedom.
  package var gate = 9.21
  /// The count of positions after each start of the filter that are never rejected as outliers. Some receivers begin
  /// with a stored position, which may be far away.
  package var freeFixes = 4
  /// The maximum time in seconds without an accepted position. After this time, the filter restarts at the next
  /// position.
  package var longestGap = 6.5

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The maximum magnitude of a negative score in the velocity test. A negative score means that the velocities that
  /// the receiver reports fit its positions.
  package var mostTrust = 100.0
  /// The score in the velocity test above which the filter ignores the velocities that the receiver reports. A positive
  /// score means that the velocities contradict the positions.
  package var trustLost = 8.0
  /// The score in the velocity test below which the filter uses the reported velocities again. A negative score means
  /// that the velocities fit the positions.
  package var trustRegained = -5.0
  /// The maximum score in the velocity test. A positive score means that the velocities that the receiver reports
  /// contradict its positions.
  package var distrust = 120.0
  /// The apparent speed in m/s that noise alone can cause in the positions. The velocity test subtracts this speed from
  /// the speed that follows from the positions.
  package var slowSpeed = 3.0
  /// The minimum speed in m/s at which a measurement has its full weight in the velocity test. Slower motion has less
  /// weight, because slow motion tells little about the velocities.
  package var fullSpeed = 1.0
  /// The time constant in seconds of the course test, in which the weight of old displacements decreases exponentially.
  /// The test detects reported velocities with a wrong direction.
  package var courseTime = 4.0
  /// The maximum interval in seconds between two positions in the course test. The test detects reported velocities
  /// with a wrong direction.
  package var longestCourseStep = 2.5
  /// The minimum length in metres of the recent path, before the filter tests whether the reported course is wrong. A
  /// shorter path does not show a wrong course.
  package var courseLeast = 15.0
  /// The minimum difference between two displacements, by positions and by reported velocities, that shows a wrong
  /// course. The value is a fraction of the path length.
  package var courseShare = 0.5
  /// The minimum difference between two displacements, by positions and by reported velocities, that shows a wrong
  /// course. The unit is the standard deviation of the position error.
  package var courseSigmas = 3.0
  /// The maximum difference between the lengths of two displacements, by positions and by reported velocities, for a
  /// wrong course. The value is a fraction of the path length. A wrong course changes the direction but not the length.
  package var courseSame = 0.3
  /// The minimum duration in seconds of a wrong course, before the filter ignores the reported velocities.
  package var courseLasted = 2.0
  /// The time in seconds after which an exactly constant course is suspect, because a faulty receiver may repeat an old
  /// course. The filter then resets the good score of the reported velocities to 0.
  package var repeatedCourse = 5.0

  /// The maximum time in seconds for which the reported velocities may contradict the positions. After this time, the
  /// filter ignores the velocities.
  package var longestContradiction = 20.0

  // MARK: Alternative hypothesis

  /// The minimum time in seconds for which rejected positions must agree with each other, before the filter accepts
  /// them as its new estimate.
  package var agreed = 3.0
  /// The minimum time in seconds for which rejected positions must agree with each other, if the receiver reports no
  /// velocities. The filter then accepts the positions, unless their acceleration exceeds `drivenAcceleration`.
  package var drivenTime = 0.9
  /// The maximum plausible acceleration of a vehicle in m/s², from the latest accepted position to rejected positions.
  /// Tyres on a dry road allow about 10 m/s².
  package var drivenAcceleration = 12.0

  // MARK: Recovery of the receiver

  /// The minimum time in seconds for which rejected positions must follow the reported velocities. The filter then
  /// accepts the positions, because the receiver has recovered from an error. A burst of three wrong positions is
  /// shorter.
  package var recovered = 4.0
  /// The tolerance for rejected positions that follow the reported velocities: the maximum distance from the path along
  /// the velocities. The value is a fraction of the distance from the filter's estimate.
  package var recoveredShare = 0.25

  // MARK: Standing still

  /// The speed in m/s below which a receiver may be at rest.
  package var restMost = 0.6
  /// The averaging time in seconds for the mean position of a receiver at rest. After half of this time, the filter can
  /// detect that the receiver is at rest. (D. L. Wilson, "Correlation of Errors": the autocorrelation of the error of
  /// one receiver, which stood for 20 days, has a bend at about a minute. The autocorrelation of another receiver falls
  /// evenly.)
  package var restMean = 60.0
  /// The maximum quotient, in seconds, for a receiver at rest: the distance from its mean position, divided by the mean
  /// speed along the path through all its positions. A moving vehicle has a larger quotient.
  ///
  /// The quotient for a vehicle on a straight road is 15 s, with a mean over 30 s. The error of a receiver at rest
  /// returns to the mean. If the time constant of the error is τ, the quotient is √(τ / 2 s) seconds: 5.5 s for 60
  /// s.
  package var restReach = 6.0
  /// The maximum standard deviation, in metres, of the white noise of a receiver that keeps its own position constant
  /// at rest.
  package var holding = 0.25

  // MARK: Output

  /// The maximum white noise of a receiver that has already smoothed its positions. The value is a fraction of the
  /// standard deviation that the receiver reports. The filter does not smooth such positions again.
  package var ownShare = 0.3
  /// The assumed maximum error of the receiver's own position, as a multiple of the radius that the receiver reports.
  /// The minimum radius of a fix is (`mostWrong` · receiver's radius + distance from the receiver's position) / 5.
  package var mostWrong = 2.4
  /// The quantile of the residuals (distances between measured and estimated positions) from which the filter computes
  /// the minimum radius of a fix. With this value, six of the latest 31 residuals may be outliers without an effect.
  package var residualShare = 0.78
  /// The ratio of the 91 % quantile to the 78 % quantile of a Rayleigh distribution: 2.194 / 1.740. The filter measures
  /// the 78 % quantile of its residuals, and reports the 91 % quantile, because residuals do not contain the receiver's
  /// bias.
  package var residualScale = 1.26
  /// The white noise in the residuals (distances between measured and estimated positions), as a multiple of its
  /// standard deviation. The filter removes this noise from the residuals to estimate its own error.
  package var residualWhite = 6.0
  /// The replacement for `residualWhite` (the white noise in the residuals), while the filter reports a constant
  /// position for a receiver at rest.
  package var restWhite = 2.5
  /// The minimum count of residuals (distances between measured and estimated positions) for an estimate of the
  /// accuracy.
  package var leastResiduals = 15

  // MARK: Coasting

  /// The maximum time in seconds of coasting (the prediction of positions after the latest measurement).
  package var longestCoasting = 30.0
  /// The power spectral density of the acceleration in m²/s³ during coasting (the prediction of positions without
  /// measurements).
  package var coastingAcceleration = 5.0
  /// The range of speeds in m/s in which `coastingAcceleration` is valid. Walkers and fast vehicles accelerate less, so
  /// the filter uses a smaller density outside the range.
  ///
  /// Below the range, the density is multiplied by (speed / lower end)². Above the range, the density is multiplied by
  /// (upper end / speed)².
  package var coastingSpeeds = 5.0...15
  /// The minimum power spectral density of the acceleration in m²/s³ during coasting (the prediction of positions
  /// without measurements).
  package var leastCoastingAcceleration = 0.3
  /// The time constant in seconds of the averaged turn rate of the vehicle.
  package var turnMean = 1.5
  /// The maximum angle in radians by which a predicted path turns. At speeds above 15 m/s, the maximum increases with
  /// the square of the speed.
  package var mostTurn = 0.4

  package init() {}
}
