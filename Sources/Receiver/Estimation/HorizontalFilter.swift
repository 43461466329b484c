import GNSS

/// A measured position, with its noise and its Doppler step. All hypotheses use these values. (A Doppler step is the
/// motion since the previous epoch according to the Doppler velocities.)
struct Observation {
  let position: Offset
  /// The time in seconds since the previous measurement.
  let seconds: Double
  /// The standard deviation of the position along one axis in metres (`Measurement.deviation`).
  let deviation: Double
  let step: DopplerStep?
  /// The Doppler speed in m/s; nil if the speed is not usable.
  let speed: Double?
  /// The standard deviation of the white noise in metres.
  let white: Double
  /// The variance of the noise in m². `usual` is the variance without the additional noise that this epoch may have.
  /// `variance` is the sum of `usual` and this additional noise.
  let usual, variance: Double
}

/// The horizontal part of the filter. The filter has two parallel hypotheses with different models of the motion, and
/// decides between them at each epoch.
///
/// The hypothesis `positions` estimates the velocity from the positions and never uses Doppler velocities. The
/// hypothesis `doppler` uses the Doppler velocities, so this hypothesis needs no model for braking and turning. The
/// filter accepts a position that one of its trusted hypotheses accepts. If `doppler` fits the positions better than
/// `positions`, only `doppler` decides.
struct HorizontalFilter: Sendable {
  /// The result of the filter for one epoch.
  struct Estimate: Hashable, Sendable {
    /// The position; nil if the receiver's own position is better.
    var coordinate: Coordinate?
    /// The standard deviation of the position along one axis in metres.
    var deviation: Double
  }

  /// If the vehicle is farther from the plane's origin than this distance in metres, the filter moves the plane.
  private static let reach = 1000.0
  /// The maximum distance in metres from the plane's origin. At a larger distance, the plane differs too much from the
  /// ground.
  static let farthest = 20_000.0

  let parameters: FilterParameters
  var plane: Plane
  private(set) var latest: Measurement
  /// The state of the filter at the latest measurement; nil before the first measurement.
  private(set) var state: FilterState?
  var positions: Hypothesis
  var doppler: Hypothesis?
  var alternative = Alternative()
  /// The position of the hypothesis `doppler`. While the filter does not trust the Doppler velocities, the position
  /// that follows from the Doppler velocities alone; nil if a velocity is missing.
  var path: Offset?
  /// The time in seconds for which the measured positions have been near `path` while the filter does not trust the
  /// Doppler velocities.
  var returned = 0.0
  /// The number of measurements since the hypotheses began, at most the parameter `freeFixes`.
  var fixes = 0

  var deviations = RunningMedian()
  var white = WhiteNoise()
  /// The distances in metres between the measured positions and the leading hypothesis.
  var residuals = RunningMedian()
  private var calibration = DopplerCalibration()
  private var contradiction = CourseContradiction()
  /// The time in seconds for which the receiver has moved with an exactly constant course.
  private var sameCourse = 0.0
  var resting = RestingPosition()
  var trust = DopplerTrust()
  var manoeuvre = Manoeuvre()
  /// The time in seconds since the receiver found its first position.
  private(set) var age = 0.0
  /// The time in seconds for which the Doppler velocities have contradicted the positions.
  var contradicted = 0.0

  /// Creates a filter that begins with the first measurement.
  init(_ measurement: Measurement, _ parameters: FilterParameters) {
    (self.parameters, latest) = (parameters, measurement)
    plane = Plane(at: measurement.coordinate)
    positions = Hypothesis(at: .zero, velocity: .zero, noise: 1, sigma: 1, velocityVariance: 1)
    deviations.add(measurement.deviation)
    begin(pace: 0)
  }

  /// The leading hypothesis. If the filter trusts the Doppler velocities, the leading hypothesis is `doppler`.
  /// Otherwise, the leading hypothesis is `positions`.
  var leading: Hypothesis { (trust.isTrusted ? doppler : nil) ?? positions }

  /// Whether the receiver found its first position at least `FilterParameters.settlingOwn` seconds ago.
  var hasSettled: Bool { age >= parameters.settlingOwn }

  /// The variance in m² of the error of a receiver that has just found its first position. The error is proportional to
  /// `sigma`.
  var settlingVariance: Double {
    let error = parameters.settlingShare * sigma * decay(after: age, time: parameters.settlingTime)
    return error * error
  }

  /// The standard deviation of the receiver error along one axis in metres.
  var sigma: Double { max(parameters.leastError, deviations.value ?? 0) }

  /// Restarts the hypotheses at the latest measurement. The filter keeps the calibration, the trust in the Doppler
  /// velocities, and the measured noise.
  ///
  /// - Parameter pace: the speed between the latest two positions in m/s. The unknown velocity may be as large as this
  ///   speed.
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

  /// Updates the filter with the next measurement, and returns the position to report for the epoch of this
  /// measurement. If the receiver's own position is far outside the accuracy radius of the result, the function
  /// increases this radius.
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

  /// Returns whether the receiver repeats its position during motion. In this case the position is old. Without Doppler
  /// velocities, only the motion before shows the speed, and the vehicle may brake and stop at the position.
  private func repeats(_ measurement: Measurement, after seconds: Double) -> Bool {
    guard measurement.coordinate == latest.coordinate else { return false }
    let isUsed = trust.isTrusted && doppler != nil
    let speed = isUsed ? measurement.velocity(in: plane)?.length ?? 0 : positions.velocity.length
    return speed > max(parameters.repeatedSpeed, isUsed ? 0 : parameters.braking * seconds)
  }

  /// Moves the origin of the plane to the current position, if the position is far from the origin.
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

  /// Determines the noise of an epoch and its motion according to the Doppler velocities, and predicts both hypotheses
  /// for the time of this epoch.
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

  /// Ends the trust in Doppler if the course is wrong. If the course has been exactly constant for long, the function
  /// sets a negative score of the trust to 0.
  private mutating func judgeCourse(_ measurement: Measurement, _ motion: Motion) {
    if contradiction.add(motion, sigma: measurement.deviation, parameters), trust.isTrusted {
      trust.lose(parameters)
    }
    let isSame = measurement.course == latest.course && (motion.after?.length ?? 0) > parameters.fullSpeed
    sameCourse = isSame ? sameCourse + motion.seconds : 0
    if sameCourse > parameters.repeatedCourse { trust.forget() }
  }

  /// Returns `velocity`; nil if no vehicle can accelerate to this velocity from the velocity `before`.
  private func plausible(_ velocity: Offset?, after before: Offset?, _ seconds: Double) -> Offset? {
    guard let velocity, let before, seconds <= 5 else { return velocity }
    return (velocity - before).length > parameters.mostAcceleration * seconds + 2 ? nil : velocity
  }

  /// Returns the motion since the previous epoch according to the Doppler velocities. The displacement is the product
  /// of the interval and the mean of two successive velocities. Returns nil without a velocity.
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
