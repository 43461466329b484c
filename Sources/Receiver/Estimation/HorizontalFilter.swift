import GNSS

/// A measured position with the noise and the Doppler step that all hypotheses use.
struct Observation {
  let place: Offset
  /// Seconds since the previous measurement.
  let seconds: Double
  /// Standard deviation of the position along one axis, as the receiver reports it, metres.
  let deviation: Double
  /// The long-term receiver error.
  let error: ReceiverError
  let step: DopplerStep?
  /// Doppler speed, m/s; nil if the speed is not usable.
  let speed: Double?
  /// Standard deviation of the white noise, metres.
  let white: Double
  /// Variance of the noise, m²: the usual value, and the value in this epoch.
  let usual, variance: Double
}

/// The horizontal part of the filter: two parallel hypotheses with different process models, and a decision between
/// them at each epoch.
///
/// `positions` uses its own velocity and never uses Doppler. `doppler` uses the Doppler velocities, so it needs no
/// model for braking and turning. The filter accepts a position that one of its trusted hypotheses accepts. If
/// `doppler` has proved better, only `doppler` decides.
struct HorizontalFilter: Sendable {
  /// The position after an epoch.
  struct Estimate: Hashable, Sendable {
    /// The position; nil if the receiver's own position is better.
    var coordinate: Coordinate?
    /// Standard deviation of one axis, metres.
    var deviation: Double
  }

  /// The distance from the plane's origin at which the plane is moved, metres.
  private static let reach = 1000.0
  /// The distance from the plane's origin beyond which the plane does not represent the ground, metres.
  static let farthest = 20_000.0

  let parameters: FilterParameters
  var plane: Plane
  private(set) var latest: Measurement
  var positions: Hypothesis
  var doppler: Hypothesis?
  var alternative = Alternative(at: .zero)
  /// Number of measurements since the hypotheses began, at most the parameter `freeFixes`.
  var fixes = 0

  var deviations = RunningMedian()
  var white = WhiteNoise()
  /// Distances of the measured positions from the leading hypothesis, metres.
  var residuals = RunningMedian()
  var sinceResidual = 0.0
  private var calibration = DopplerCalibration()
  private var contradiction = CourseContradiction()
  /// Duration of motion with an exactly constant course, seconds.
  private var sameCourse = 0.0
  var trust: DopplerTrust
  var standstill = Standstill()
  var manoeuvre = Manoeuvre()
  /// Seconds since the receiver found its first position.
  private var age = 0.0
  /// Seconds for which the receiver's positions have been far outside the radius of the reported positions.
  private var apart = 0.0

  /// Creates a filter that begins with the first measurement.
  init(_ measurement: Measurement, _ parameters: FilterParameters) {
    (self.parameters, latest) = (parameters, measurement)
    plane = Plane(at: measurement.coordinate)
    trust = DopplerTrust(parameters)
    positions = Hypothesis(at: .zero, velocity: .zero, noise: 1, sigma: 1, velocityVariance: 1)
    deviations.add(measurement.deviation)
    begin(pace: 0)
  }

  /// The leading hypothesis: the one with Doppler if Doppler is trusted, otherwise the one without.
  var leading: Hypothesis { (trust.isTrusted ? doppler : nil) ?? positions }

  /// Whether the first seconds after the receiver found its position have passed.
  var hasSettled: Bool { age >= parameters.settlingOwn }

  /// Variance of the error of a receiver that has just found its first position, m².
  var settlingVariance: Double {
    let error = parameters.settlingError * decay(after: age, time: parameters.settlingTime)
    return error * error
  }

  var receiverError: ReceiverError {
    ReceiverError(sigma: max(parameters.leastError, deviations.value ?? 0), time: parameters.errorTime)
  }

  /// Restarts the hypotheses at the latest measurement. The calibration, the trust and the noise of the receiver are
  /// kept.
  ///
  /// - Parameter pace: speed between the latest two positions, m/s. The unknown velocity may have this speed.
  private mutating func begin(pace: Double) {
    plane = Plane(at: latest.coordinate)
    let sigma = receiverError.sigma
    let noise = sigma * sigma + settlingVariance
    let velocity = trust.isTrusted ? latest.velocity(in: plane) : nil
    let unknown = max(parameters.unknownVelocity, pace)
    positions = Hypothesis(
      at: .zero, velocity: velocity ?? .zero, noise: noise, sigma: sigma, velocityVariance: unknown * unknown)
    doppler = velocity.map { Hypothesis(at: .zero, velocity: $0, noise: noise, sigma: sigma, velocityVariance: 1) }
    alternative = Alternative(at: .zero)
    fixes = 0
    white.interrupt()
  }

  // MARK: One epoch

  /// Updates the filter with the next measurement, and returns the position of its epoch. If the receiver's positions
  /// stay far outside the radius, the radius grows with their distance.
  mutating func update(_ measurement: Measurement) -> Estimate {
    let seconds = latest.moment.seconds(to: measurement.moment)
    var estimate = estimate(measurement, after: seconds)
    let distance = estimate.coordinate.map { (plane.offset(of: $0) - plane.offset(of: measurement.coordinate)).length }
    let least = parameters.reach * (distance ?? 0) / AccuracyModel.radius68
    apart = least > estimate.deviation ? apart + max(0, seconds) : 0
    if apart >= parameters.longestApart { estimate.deviation = least }
    return estimate
  }

  private mutating func estimate(_ measurement: Measurement, after seconds: Double) -> Estimate {
    // A second position with the same time is no evidence about the motion.
    if seconds == 0 { return receiversOwn(measurement.deviation) }
    deviations.add(measurement.deviation)
    guard seconds > 0, seconds <= parameters.longestGap else {
      age = (0...parameters.longestCoasting).contains(seconds) ? age + seconds : 0
      latest = measurement
      begin(pace: 0)
      return receiversOwn(measurement.deviation)
    }
    if repeats(measurement), let coasted = coasted(seconds) {
      return Estimate(coordinate: coasted.coordinate, deviation: coasted.deviation)
    }
    age += seconds
    fixes = min(fixes + 1, parameters.freeFixes)
    movePlane()
    let observation = observe(measurement, after: seconds)
    let pace = (observation.place - plane.offset(of: latest.coordinate)).length / seconds
    latest = measurement
    guard let estimate = decide(observation), positions.isSound, doppler?.isSound != false else {
      begin(pace: pace)
      return receiversOwn(measurement.deviation)
    }
    return estimate
  }

  /// Returns whether the receiver repeats its position during motion, which means that the position is old.
  private func repeats(_ measurement: Measurement) -> Bool {
    measurement.coordinate == latest.coordinate && trust.isTrusted && doppler != nil
      && measurement.velocity(in: plane).map { $0.length > parameters.repeatedSpeed } ?? false
  }

  /// Moves the origin of the plane to the current position, if the position is far from the origin.
  private mutating func movePlane() {
    let origin = leading.position
    guard origin.length > Self.reach, let here = plane.coordinate(at: origin) else { return }
    plane = Plane(at: here, along: plane)
    positions.move(to: origin)
    doppler?.move(to: origin)
    alternative.move(to: origin)
  }

  /// Measures the noise and the Doppler step of an epoch, and predicts the hypotheses to the time of this epoch.
  private mutating func observe(_ measurement: Measurement, after seconds: Double) -> Observation {
    let error = receiverError
    let place = plane.offset(of: measurement.coordinate)
    let before = latest.velocity(in: plane)
    let motion = Motion(
      seconds: seconds, displacement: place - plane.offset(of: latest.coordinate), before: before,
      after: plausible(measurement.velocity(in: plane), after: before, seconds))
    let weakness = max(1, measurement.deviation / error.sigma)
    white.add(motion, usesDoppler: trust.isTrusted, parameters)
    judgeCourse(measurement, motion)
    calibration.add(motion, weakness: weakness, parameters)
    manoeuvre.add(motion, parameters)
    standstill.add(motion.after, after: seconds, parameters)
    if let velocity = motion.after, doppler == nil {
      doppler = positions
      doppler?.set(velocity: velocity)
    }
    let step = dopplerStep(motion, measurement, weakness: weakness)
    let isAlone = doppler == nil || !trust.isTrusted
    let acceleration = isAlone ? parameters.accelerationAlone : parameters.acceleration
    positions.predict(seconds, acceleration: acceleration, error: error)
    if let step {
      doppler?.predict(seconds, by: step, error: error)
    } else {
      doppler?.predict(seconds, acceleration: acceleration, error: error)
    }
    alternative.predict(seconds, by: trust.leads ? step : nil, acceleration: acceleration, error: error)
    let white = white.deviation ?? parameters.assumedWhiteShare * measurement.deviation
    let usual = min(parameters.mostWhite, max(parameters.leastWhite, parameters.leastWhiteShare * error.sigma, white))
    return Observation(
      place: place, seconds: seconds, deviation: measurement.deviation, error: error, step: step,
      speed: motion.after?.length, white: white, usual: usual * usual,
      // An unusual error persists: ten positions within one second contain no more information than one position.
      variance: usual * usual + unusualVariance(measurement, error) * max(1, 1 / seconds))
  }

  /// Returns the additional variance of the position of an epoch, compared with the usual variance, m².
  private func unusualVariance(_ measurement: Measurement, _ error: ReceiverError) -> Double {
    let isUncertain = measurement.satellites.map { $0 < parameters.fewSatellites } ?? false
    return max(0, measurement.deviation * measurement.deviation - error.sigma * error.sigma)
      + (isUncertain ? parameters.fewSatellitesVariance : 0)
  }

  /// Ends the trust in Doppler if the course is wrong. Discards the evidence for Doppler if the course is exactly
  /// constant.
  private mutating func judgeCourse(_ measurement: Measurement, _ motion: Motion) {
    if contradiction.add(motion, sigma: measurement.deviation, parameters), trust.isTrusted {
      trust.lose(isCourseWrong: true, parameters)
    }
    let isSame = measurement.course == latest.course && (motion.after?.length ?? 0) > parameters.fullSpeed
    sameCourse = isSame ? sameCourse + motion.seconds : 0
    if sameCourse > parameters.repeatedCourse { trust.forget() }
  }

  /// Returns the velocity, or nil if no vehicle can reach it from the previous velocity.
  private func plausible(_ velocity: Offset?, after before: Offset?, _ seconds: Double) -> Offset? {
    guard let velocity, let before, seconds <= 5 else { return velocity }
    return (velocity - before).length > parameters.mostAcceleration * seconds + 2 ? nil : velocity
  }

  /// Returns the motion since the previous epoch according to Doppler: the mean of two successive velocities times the
  /// interval. Returns nil without a velocity.
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
