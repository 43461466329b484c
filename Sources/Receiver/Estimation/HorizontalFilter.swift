import GNSS

/// The input of one step of the filter: a measured position, its noise, and the motion since the previous measurement.
struct Observation {
  let position: Offset
  /// The seconds since the previous measurement.
  let seconds: Double
  /// The standard deviation of the measured position in metres, along one axis (`Measurement.deviation`).
  let deviation: Double
  let step: DopplerStep?
  /// The speed in m/s that the receiver measures by the Doppler shift; nil if the speed is not usable.
  let speed: Double?
  /// The standard deviation in metres of the white noise (the error that is independent from one position to the next).
  let white: Double
  /// The variances of the noise in m². `usual` is the variance of an average measurement. `variance` also contains the
  /// additional error of this measurement.
  let usual, variance: Double
}

/// The filter for the horizontal position. The filter keeps two parallel estimates (hypotheses) with different models
/// of the motion, and decides between them at each measurement.
///
/// The hypothesis `positions` estimates the velocity from the positions alone. The hypothesis `doppler` uses the
/// velocities that the receiver measures by the Doppler shift, so this hypothesis needs no model for braking and
/// turning. The filter accepts a position if one of its trusted hypotheses accepts the position. If `doppler` predicts
/// the positions better than `positions`, only `doppler` decides.
struct HorizontalFilter: Sendable {
  /// The position that the filter reports for one measurement, with its accuracy.
  struct Estimate: Hashable, Sendable {
    /// The filtered position; nil if the receiver's own position is better.
    var coordinate: Coordinate?
    /// The standard deviation of the position in metres, along one axis.
    var deviation: Double
  }

  /// The distance in metres of the vehicle from the origin of the filter's plane, above which the filter moves the
  /// origin to the vehicle.
  private static let reach = 1000.0
  /// The maximum distance in metres of a usable position from the origin of the filter's plane. Farther away, the plane
  /// differs too much from the ground.
  static let farthest = 20_000.0

  let parameters: FilterParameters
  var plane: Plane
  private(set) var latest: Measurement
  /// The state of the filter at the latest measurement, for predictions; nil before the first measurement.
  private(set) var state: FilterState?
  var positions: Hypothesis
  var doppler: Hypothesis?
  var alternative = Alternative()
  /// The position according to the reported velocities alone, while the filter does not trust these velocities.
  /// Otherwise the value is the position of the hypothesis `doppler`. The value is nil if a velocity is missing.
  var path: Offset?
  /// The seconds for which the measured positions have been near `path`, while the filter does not trust the reported
  /// velocities. If the positions return to this path, the velocities were correct.
  var returned = 0.0
  /// The count of measurements since the filter started or restarted, at most `FilterParameters.freeFixes`.
  var fixes = 0

  var deviations = RunningMedian()
  var white = WhiteNoise()
  /// The distances in metres between the latest measured positions and the estimate of the filter.
  var residuals = RunningMedian()
  private var calibration = DopplerCalibration()
  private var contradiction = CourseContradiction()
  /// The seconds for which the receiver has reported exactly the same course during motion.
  private var sameCourse = 0.0
  var resting = RestingPosition()
  var trust = DopplerTrust()
  var manoeuvre = Manoeuvre()
  /// The seconds since the receiver found its first position.
  private(set) var age = 0.0
  /// The seconds for which the reported velocities have contradicted the positions.
  var contradicted = 0.0

  /// Creates a filter that begins with the first measurement.
  init(_ measurement: Measurement, _ parameters: FilterParameters) {
    (self.parameters, latest) = (parameters, measurement)
    plane = Plane(at: measurement.coordinate)
    positions = Hypothesis(at: .zero, velocity: .zero, noise: 1, sigma: 1, velocityVariance: 1)
    deviations.add(measurement.deviation)
    begin(pace: 0)
  }

  /// The estimate that the filter reports: `doppler` if the filter trusts the velocities that the receiver reports,
  /// `positions` otherwise.
  var leading: Hypothesis { (trust.isTrusted ? doppler : nil) ?? positions }

  /// Whether the receiver found its first position at least `FilterParameters.settlingOwn` seconds ago. Earlier
  /// positions still improve.
  var hasSettled: Bool { age >= parameters.settlingOwn }

  /// The variance in m² of the additional error shortly after the first position of the receiver. The variance
  /// decreases with the time since the first position.
  var settlingVariance: Double {
    let error = parameters.settlingShare * sigma * decay(after: age, time: parameters.settlingTime)
    return error * error
  }

  /// The usual standard deviation of the receiver's position error in metres, along one axis.
  var sigma: Double { max(parameters.leastError, deviations.value ?? 0) }

  /// Restarts both estimates at the latest measurement. The filter keeps its knowledge about the receiver: the errors
  /// of the velocities, the trust in them, and the noise.
  ///
  /// - Parameter pace: the speed in m/s between the latest two positions. The standard deviation of the unknown
  ///   velocity is at least this speed.
  private mutating func begin(pace: Double) {
    plane = Plane(at: latest.coordinate)
    let sigma = sigma
    let noise = sigma * sigma + settlingVariance
    let velocity = trust.isTrusted ? latest.velocity(in: plane) : nil
    let unknown = max(parameters.unknownVelocity, pace)
    positions = Hypothesis(
      at: .zero, velocity: velocity ?? .zero, noise: noise, sigma: sigma, velocityVariance: unknown * unknown)
    doppler = velocity.map { Hypothesis(at: .zero, velocity: $0, noise: noise, sigma: sigma, velocityVariance: 1) }
    (alternative, path, resting) = (Alternative(), nil, RestingPosition())
    fixes = 0
    white.interrupt()
  }

  // MARK: One epoch

  /// Updates the filter with the next measurement, and returns the position to report. If the filtered position is far
  /// from the receiver's own position, the function reports a larger standard deviation.
  mutating func update(_ measurement: Measurement) -> Estimate {
    var estimate = estimate(measurement, after: latest.moment.seconds(to: measurement.moment))
    if let coordinate = estimate.coordinate {
      let distance = (plane.offset(of: coordinate) - plane.offset(of: measurement.coordinate)).length
      let own = parameters.mostWrong * measurement.deviation
      estimate.deviation = max(estimate.deviation, (own + distance / AccuracyModel.radius68) / 5)
    }
    if latest == measurement { state = state(estimate) }
    return estimate
  }

  private mutating func estimate(_ measurement: Measurement, after seconds: Double) -> Estimate {
    // A second position with an equal time gives no information about the motion.
    if seconds == 0 { return receiversOwn(measurement.deviation) }
    deviations.add(measurement.deviation)
    guard seconds > 0, seconds <= parameters.longestGap else {
      age = (0...parameters.longestCoasting).contains(seconds) ? age + seconds : 0
      latest = measurement
      begin(pace: 0)
      return receiversOwn(measurement.deviation)
    }
    if repeats(measurement, after: seconds), let now = state?.prediction(after: seconds - (state?.age ?? 0), parameters)
    {
      state?.age = seconds
      return Estimate(coordinate: now.coordinate, deviation: now.horizontalAccuracy / AccuracyModel.radius68)
    }
    age += seconds
    fixes = min(fixes + 1, parameters.freeFixes)
    movePlane()
    let observation = observe(measurement, after: seconds)
    let pace = (observation.position - plane.offset(of: latest.coordinate)).length / seconds
    latest = measurement
    guard let estimate = decide(observation), positions.isSound, doppler?.isSound != false else {
      begin(pace: pace)
      return receiversOwn(measurement.deviation)
    }
    return estimate
  }

  /// Returns whether the receiver repeats an old position although the vehicle moves. Without trusted velocities, a
  /// vehicle that can brake to a stop within the interval does not count as moving.
  private func repeats(_ measurement: Measurement, after seconds: Double) -> Bool {
    guard measurement.coordinate == latest.coordinate else { return false }
    let isUsed = trust.isTrusted && doppler != nil
    let speed = isUsed ? measurement.velocity(in: plane)?.length ?? 0 : positions.velocity.length
    return speed > max(parameters.repeatedSpeed, isUsed ? 0 : parameters.braking * seconds)
  }

  /// Moves the origin of the filter's plane to the vehicle, if the vehicle is far from the origin. The plane touches
  /// the earth at its origin.
  private mutating func movePlane() {
    let origin = leading.position
    guard origin.length > Self.reach, let here = plane.coordinate(at: origin) else { return }
    plane = Plane(at: here, along: plane)
    positions.move(to: origin)
    doppler?.move(to: origin)
    alternative.move(to: origin)
    path = path.map { $0 - origin }
    resting.move(to: origin)
  }

  /// Determines the noise of a measurement, and moves both estimates forward to the time of this measurement.
  private mutating func observe(_ measurement: Measurement, after seconds: Double) -> Observation {
    let sigma = sigma
    let position = plane.offset(of: measurement.coordinate)
    let before = latest.velocity(in: plane)
    let motion = Motion(
      seconds: seconds, displacement: position - plane.offset(of: latest.coordinate), before: before,
      after: plausible(measurement.velocity(in: plane), after: before, seconds))
    let weakness = max(1, measurement.deviation / sigma)
    let sampled = white.add(motion, usesDoppler: trust.isTrusted, parameters)
    judgeCourse(measurement, motion)
    calibration.add(motion, weakness: weakness, parameters)
    manoeuvre.add(motion, parameters)
    if let velocity = motion.after, doppler == nil {
      doppler = positions
      doppler?.set(velocity: velocity)
    }
    let step = dopplerStep(motion, measurement, weakness: weakness)
    let isAlone = doppler == nil || !trust.isTrusted
    let acceleration = isAlone ? parameters.accelerationAlone : parameters.acceleration
    positions.predict(seconds, acceleration: acceleration, sigma: sigma)
    doppler?.predict(seconds, by: step, acceleration: acceleration, sigma: sigma)
    alternative.predict(seconds, by: step, acceleration: acceleration, sigma: sigma)
    path = path.flatMap { path in step.map { path + $0.displacement } }
    if let sampled {
      resting.add(position, speed: measurement.speed ?? 0, after: sampled, parameters)
      residuals.add((position - (resting.mean ?? leading.position)).length)
    }
    let white = white.deviation ?? parameters.assumedWhiteShare * measurement.deviation
    let usual = min(parameters.mostWhite, max(parameters.leastWhite, parameters.leastWhiteShare * sigma, white))
    return Observation(
      position: position, seconds: seconds, deviation: measurement.deviation, step: step,
      speed: motion.after?.length, white: white, usual: usual * usual,
      variance: usual * usual + max(0, measurement.deviation * measurement.deviation - sigma * sigma))
  }

  /// Stops trusting the reported velocities if their direction is wrong. If the course has been exactly constant for
  /// long, the function sets a negative score of the trust to 0, because the course may be frozen.
  private mutating func judgeCourse(_ measurement: Measurement, _ motion: Motion) {
    if contradiction.add(motion, sigma: measurement.deviation, parameters), trust.isTrusted {
      trust.lose(parameters)
    }
    let isSame = measurement.course == latest.course && (motion.after?.length ?? 0) > parameters.fullSpeed
    sameCourse = isSame ? sameCourse + motion.seconds : 0
    if sameCourse > parameters.repeatedCourse { trust.forget() }
  }

  /// Returns `velocity`; nil if the acceleration from the velocity `before` to `velocity` is too large for a vehicle.
  private func plausible(_ velocity: Offset?, after before: Offset?, _ seconds: Double) -> Offset? {
    guard let velocity, let before, seconds <= 5 else { return velocity }
    return (velocity - before).length > parameters.mostAcceleration * seconds + 2 ? nil : velocity
  }

  /// Returns the displacement since the previous measurement according to the reported velocities, with its variance.
  /// The displacement is the mean of the two velocities multiplied by the interval. Returns nil if the measurement has
  /// no velocity.
  private func dopplerStep(_ motion: Motion, _ measurement: Measurement, weakness: Double) -> DopplerStep? {
    guard let velocity = motion.after else { return nil }
    let seconds = motion.seconds
    let least = max(parameters.velocityDeviation, measurement.velocityDeviation ?? 0)
    let share = parameters.velocityShare * velocity.length
    let velocityVariance = (least * least + share * share) * weakness * weakness
    let late = parameters.velocityLag * (velocity - (doppler?.velocity ?? velocity)).length
    return DopplerStep(
      displacement: calibration.corrected(motion.way ?? velocity * seconds, change: motion.change ?? .zero),
      variance: velocityVariance * seconds * max(1, seconds) + late * late,
      velocity: calibration.corrected(velocity), velocityVariance: velocityVariance)
  }
}
