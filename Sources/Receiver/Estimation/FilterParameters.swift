/// The constants of the filter that estimates position and velocity. The page
/// `Sources/Documentation/reference/positioning.md` contains the equations.
///
/// A constant without a source was tuned on simulated drives. The command `Scripts/bench positioning` measures the
/// effect of its value.
package struct FilterParameters: Hashable, Sendable {
  package static let standard = FilterParameters()

  // MARK: Process models

  /// The power spectral density of the horizontal acceleration of a car in a town, in m²/s³. The process noise of the
  /// filter has this density.
  package var acceleration = 1.5
  /// The power spectral density of the horizontal acceleration in m²/s³, while the filter does not trust the
  /// receiver's velocities. The value is larger than `acceleration`, because the filter must then recognise hard
  /// braking from the positions alone.
  package var accelerationAlone = 3.0
  /// The power spectral density of the vertical acceleration on roads and stairs, in m²/s³. (A lift reaches a speed
  /// of 1 m/s within 2 s.)
  package var climbing = 0.05
  /// The standard deviation in m/s of the horizontal velocity at the start of the filter, when the velocity is unknown.
  package var unknownVelocity = 50.0
  /// The standard deviation in m/s of the vertical speed at the start of the filter, when the vertical speed is
  /// unknown.
  package var unknownClimb = 1.0
  /// The minimum standard deviation in metres of the receiver's position error. No receiver measures the position of
  /// its antenna more precisely.
  package var leastError = 0.3

  // MARK: Doppler as the input of the process

  /// The standard deviation in m/s, along one axis, of the velocity that a receiver at rest reports.
  package var velocityDeviation = 0.05
  /// The error of a reported velocity that is proportional to the speed, as a fraction of the speed. The standard
  /// deviation of the velocity is √(`velocityDeviation`² + (`velocityShare` · speed)²).
  package var velocityShare = 0.02
  /// The assumed latency of the reported velocities in seconds. This latency multiplied by the change of the velocity
  /// is the standard deviation of the displacement that results from the latency.
  package var velocityLag = 0.5
  /// The maximum plausible acceleration in m/s². The filter ignores a reported velocity that requires a larger
  /// acceleration.
  package var mostAcceleration = 15.0
  /// The standard deviation of the scale error of the reported velocities before the first measurement, as a fraction
  /// of the velocity.
  package var scaleDeviation = 0.05
  /// The standard deviation of the latency of the reported velocities in seconds, before the first measurement.
  package var latencyDeviation = 0.6
  /// The time constant in seconds with which old measurements lose their weight when the filter estimates the errors of
  /// the reported velocities.
  package var calibrationTime = 240.0

  // MARK: Measurement model

  /// The minimum standard deviation in metres, along one axis, of the white noise (the error that is independent from
  /// one position to the next).
  package var leastWhite = 0.1
  /// The minimum standard deviation of the white noise in a position, as a fraction of the standard deviation of the
  /// receiver's whole position error.
  package var leastWhiteShare = 0.1
  /// The maximum standard deviation in metres, along one axis, of the white noise in a position.
  package var mostWhite = 40.0
  /// The assumed white noise in a position before the filter has measured the noise. The value is a fraction of the
  /// standard deviation that the receiver reports. With a smaller fraction, the filter would reject correct positions.
  package var assumedWhiteShare = 0.8
  /// The maximum time in seconds between two positions from whose difference the filter measures the noise. Over a
  /// longer time, the difference contains more motion than noise.
  package var longestDifference = 4.5
  /// The speed in m/s above which a second position with equal coordinates counts as an old position that the receiver
  /// repeats.
  package var repeatedSpeed = 2.0
  /// The maximum deceleration of a vehicle in m/s². If a position repeats, the filter decides with this value whether
  /// the vehicle has stopped, or whether the receiver repeats an old position.
  package var braking = 6.0
  /// The additional error of the first position after the start of the receiver, as a multiple of the usual error.
  package var settlingShare = 5.4
  /// The time constant in seconds with which the additional error of the first position (`settlingShare`) decreases.
  /// During the first minute the receiver finds more satellites, and receives their orbits. (A GPS satellite repeats
  /// its orbit every 30 s: IS-GPS-200, section 20.3.2)
  package var settlingTime = 25.0
  /// The time in seconds after the first position during which the filter reports the receiver's own positions
  /// unchanged.
  package var settlingOwn = 16.0
  /// The time in seconds after the first position, before which the filter does not hold the position of a receiver at
  /// rest constant. During this time, the position still improves.
  package var settlingRest = 60.0

  // MARK: Gates

  /// The limit above which a measured position counts as an outlier. The limit applies to the normalised innovation
  /// squared: the squared distance from the prediction, divided by its variance. The value is the 99 % quantile of a
  /// chi-square distribution with two degrees of freedom.
  package var gate = 9.21
  /// The count of positions after a start or restart of the filter that never count as outliers. Some receivers begin
  /// with a stored position, which may be far away.
  package var freeFixes = 4
  /// The time in seconds after which the filter accepts any position, if the filter has rejected all positions since
  /// then.
  package var longestGap = 6.5

  // MARK: Trust in Doppler (twice the logarithm of the likelihood ratio)

  /// The maximum magnitude of a negative score in the test of the reported velocities. A negative score means that the
  /// velocities fit the positions.
  package var mostTrust = 100.0
  /// The score in the test of the reported velocities above which the filter stops trusting the velocities. (A positive
  /// score means that the velocities contradict the positions.)
  package var trustLost = 8.0
  /// The score in the test of the reported velocities below which the filter trusts the velocities again. (A negative
  /// score means that the velocities fit the positions.)
  package var trustRegained = -5.0
  /// The maximum score in the test of the reported velocities. The filter sets the score to this value when the filter
  /// stops trusting the velocities.
  package var distrust = 120.0
  /// A speed in m/s that the test of the reported velocities subtracts from the speed of the positions, because noise
  /// alone can cause such a speed.
  package var slowSpeed = 3.0
  /// The speed in m/s from which a comparison of the reported velocities with the positions has its full weight. Slower
  /// motion gives less information about the velocities.
  package var fullSpeed = 1.0
  /// The time constant in seconds of the displacements in the test for a wrong course, which detects reported
  /// velocities with a wrong direction.
  package var courseTime = 4.0
  /// The maximum time in seconds between two positions in the test for a wrong course, which detects reported
  /// velocities with a wrong direction.
  package var longestCourseStep = 2.5
  /// The minimum length in metres of the recent path in the test for a wrong course. The path follows from the reported
  /// velocities.
  package var courseLeast = 15.0
  /// The first condition of a wrong course: the displacement of the positions and that of the reported velocities
  /// differ by more than this fraction of the length of the path.
  package var courseShare = 0.5
  /// The second condition of a wrong course. The displacement of the positions and that of the reported velocities
  /// differ by more than this count of standard deviations of the receiver's position error.
  package var courseSigmas = 3.0
  /// The third condition of a wrong course. The lengths of both displacements (by the positions and by the reported
  /// velocities) differ by less than this fraction of the length of the path.
  package var courseSame = 0.3
  /// The time in seconds for which all three conditions of a wrong course must be true, before the filter stops
  /// trusting the reported velocities.
  package var courseLasted = 2.0
  /// The time in seconds after which an exactly constant course no longer counts in favour of the reported velocities.
  /// Such a course may be frozen.
  package var repeatedCourse = 5.0

  /// The time in seconds after which the filter stops trusting reported velocities that contradict the positions.
  package var longestContradiction = 20.0

  // MARK: Alternative hypothesis

  /// The time in seconds after which positions that the filter has rejected replace its estimate, if these positions
  /// agree with each other.
  package var agreed = 3.0
  /// The time in seconds after which positions that the filter has rejected replace its estimate, if the receiver
  /// reports no velocities. A condition is that the acceleration is plausible (`drivenAcceleration`).
  package var drivenTime = 0.9
  /// The maximum plausible acceleration in m/s² from the latest accepted position to positions that the filter has
  /// rejected. Tyres on a dry road allow about 10 m/s².
  package var drivenAcceleration = 12.0

  // MARK: Recovery of the receiver

  /// The time in seconds for which positions that the filter has rejected must follow the reported velocities, before
  /// the filter accepts them. A burst of three wrong positions is shorter.
  package var recovered = 4.0
  /// The maximum distance of rejected positions from the path along the reported velocities, as a fraction of their
  /// distance from the filter's estimate. Farther positions do not show that the receiver has recovered from an error.
  package var recoveredShare = 0.25

  // MARK: Standing still

  /// The speed in m/s below which a receiver may be at rest.
  package var restMost = 0.6
  /// The time in seconds over which the positions at rest are averaged. After half of this time, the filter can detect
  /// that the receiver is at rest. (D. L. Wilson, "Correlation of Errors": the autocorrelation of the error of one
  /// receiver, which stood for 20 days, has a bend at about a minute. The autocorrelation of another receiver falls
  /// evenly.)
  package var restMean = 60.0
  /// The maximum distance of a position at rest from the mean position, divided by the mean speed along the noisy
  /// positions, in seconds.
  ///
  /// For a vehicle that moves straight on, this quotient is 15 s with a mean over 30 s. The error of a receiver at rest
  /// returns to the mean. If the time constant of the error is τ, the distance is √(τ / 2 s) times the way in one
  /// second: 5.5 times for 60 s.
  package var restReach = 6.0
  /// The standard deviation of the white noise in metres, below which a receiver at rest already holds its own position
  /// constant.
  package var holding = 0.25

  // MARK: Output

  /// The limit for the white noise in the positions, as a fraction of the reported standard deviation. Below this
  /// limit, the receiver has already smoothed its positions.
  package var ownShare = 0.3
  /// The factor from which the minimum radius of a fix follows. If the error of a fix is more than five times its
  /// radius, the error of the receiver's own position is more than `mostWrong` times the receiver's own radius.
  package var mostWrong = 2.4
  /// The quantile of the residuals from which the minimum radius of the 68 % circle follows. (A residual is the
  /// distance between a measured position and the estimate.) With this value, six of the latest 31 residuals may be
  /// outliers without an effect.
  package var residualShare = 0.78
  /// The ratio of the 91 % quantile to the 78 % quantile (`residualShare`) of the Rayleigh distribution: 2.194 / 1.740.
  /// The filter reports the 91 % quantile as the radius, because the residuals do not contain the bias of the receiver.
  package var residualScale = 1.26
  /// The count of standard deviations of the white noise that the filter subtracts from the quantile of the residuals.
  /// (A residual is the distance between a measured position and the estimate.)
  package var residualWhite = 6.0
  /// The count of standard deviations of the white noise that replaces `residualWhite`, while the filter holds the
  /// position of a receiver at rest constant.
  package var restWhite = 2.5
  /// The minimum count of residuals from which the filter estimates the accuracy. (A residual is the distance between a
  /// measured position and the estimate.)
  package var leastResiduals = 15

  // MARK: Coasting

  /// The maximum time in seconds after the latest measurement for which the filter predicts positions (coasting).
  package var longestCoasting = 30.0
  /// The power spectral density of the acceleration in m²/s³ while no measurement arrives, so that the filter
  /// predicts the position (coasting).
  package var coastingAcceleration = 5.0
  /// The range of speeds in m/s in which `coastingAcceleration` is valid. Walkers and fast vehicles accelerate less, so
  /// the filter uses a smaller density outside the range.
  ///
  /// Below the range, the density is multiplied by (speed / lower end)². Above the range, the density is multiplied by
  /// (upper end / speed)².
  package var coastingSpeeds = 5.0...15
  /// The minimum power spectral density of the acceleration in m²/s³ while no measurement arrives, so that the filter
  /// predicts the position (coasting).
  package var leastCoastingAcceleration = 0.3
  /// The time constant in seconds over which the filter averages the turn rate of the vehicle.
  package var turnMean = 1.5
  /// The maximum angle in radians by which a predicted motion turns. At speeds above 15 m/s, this maximum increases
  /// with the square of the speed.
  package var mostTurn = 0.4

  package init() {}
}
