import GNSS

/// The input of one filter step: a measured position, its noise, and the motion since the previous measurement.
struct Observation {
  let position: Offset
  /// The seconds since the previous measurement.
  let seconds: Double
  /// The standard deviation of the measured position in metres, along one axis.
  let deviation: Double
  let step: DopplerStep?
  /// The speed in m/s from the Doppler shift; nil without a usable speed.
  let speed: Double?
  /// The standard deviation of the white noise in the measured position, in metres.
  let white: Double
  /// The variances of the white noise in m²: `usual` for an average measurement, and `variance` for this measurement.
  let usual, variance: Double
}

/// The filter for the horizontal position. The filter computes two estimates (hypotheses) in parallel, with different
/// models of the motion, and selects one at each measurement.
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

  /// The maximum distance in metres between the vehicle and the origin of the filter's plane. At a larger distance, the
  /// filter moves the origin to the vehicle.
  private static let reach = 1000.0
  /// The maximum distance in metres of a usable position from the origin of the filter's plane. Farther away, the plane
  /// differs too much from the ground.
  static let farthest = 20_000.0

  let parameters: FilterParameters
  var plane: Plane
  private(set) var latest: Measurement { didSet { repetition = (0, 0) } }
  /// The seconds for which the receiver has repeated the position of the latest measurement, and the way in metres in this
  /// time according to the reported velocities.
  private var repetition = (seconds: 0.0, way: 0.0)
  /// The state of the filter at the latest measurement, from which positions are predicted; nil before the first
  /// measurement.
  private(set) var state: FilterState?
  var positions: Hypothesis
  var doppler: Hypothesis?
  var alternative = Alternative()
  /// The estimate `positions` for a vehicle that has kept its velocity while the receiver repeated one position; nil if
  /// the latest position is a new one, or if the vehicle was too slow to tell a repeated position from a stop.
  private var moving: Hypothesis?
  /// The position in the filter's plane in metres, according to the reported velocities alone; nil if a velocity is
  /// missing. While the filter trusts the velocities, the value is the position of the estimate `doppler`.
  var path: Offset?
  /// The seconds for which the measured positions have agreed with velocities that the filter ignores. After some
  /// seconds, the filter uses the velocities again.
  var returned = 0.0
  /// The count of measurements since the filter started or restarted, at most `FilterParameters.freeFixes`.
  var fixes = 0

  var deviations = RunningMedian()
  var white = WhiteNoise()
  /// The residuals: the distances in metres between the latest measured positions and the filter's estimate.
  var residuals = RunningMedian()
  private var calibration = DopplerCalibration()
  private var contradiction = CourseContradiction()
  /// The seconds for which a moving receiver has reported exactly the same course.
  private var sameCourse = 0.0
  var resting = RestingPosition()
  var trust = DopplerTrust()
  var manoeuvre = Manoeuvre()
  /// The seconds since the receiver's first position after a start or a long gap.
  private(set) var age = 0.0
  /// The seconds for which the reported velocities have contradicted the positions without a break.
  var contradicted = 0.0

  init(_ measurement: Measurement, _ parameters: FilterParameters) {
    (self.parameters, latest) = (parameters, measurement)
    plane = Plane(at: measurement.coordinate)
    positions = Hypothesis(at: .zero, velocity: .zero, noise: 1, sigma: 1, velocityVariance: 1)
    deviations.add(measurement.deviation)
    begin(pace: 0)
  }

  /// The estimate that the filter reports: `doppler` if the filter trusts the velocities from the receiver, `positions`
  /// otherwise.
  var leading: Hypothesis { (trust.isTrusted ? doppler : nil) ?? positions }

  /// Whether the receiver found its first position long enough ago for accurate positions
  /// (`FilterParameters.settlingOwn`).
  var hasSettled: Bool { age >= parameters.settlingOwn }

  /// The variance of the additional error after the receiver's first position, in m² along one axis. The variance
  /// decreases with time.
  var settlingVariance: Double {
    let error = parameters.settlingShare * sigma * decay(after: age, time: parameters.settlingTime)
    return error * error
  }

  /// The median of the standard deviations that the receiver has reported for its positions, in metres along one axis.
  /// The value is at least `FilterParameters.leastError`.
  var sigma: Double { max(parameters.leastError, deviations.value ?? 0) }

  /// Restarts both estimates at the latest measurement. The filter keeps the learned errors of the receiver's
  /// velocities and positions.
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
    (alternative, moving, path, resting) = (Alternative(), nil, nil, RestingPosition())
    fixes = 0
    white.interrupt()
  }

  // MARK: One epoch

  /// Updates the filter with a measurement, and returns the position to report. The reported standard deviation grows
  /// with the distance between the filtered position and the receiver's own position.
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
    let isRepeated = measurement.coordinate == latest.coordinate
    if isRepeated, moving == nil, positions.velocity.length > parameters.repeatedSpeed { moving = positions }
    age += seconds
    fixes = min(fixes + 1, parameters.freeFixes)
    movePlane()
    let observation = observe(measurement, after: seconds)
    let pace = (observation.position - plane.offset(of: latest.coordinate)).length / seconds
    latest = measurement
    if !isRepeated { resume(observation) }
    guard let estimate = decide(observation), positions.isSound, doppler?.isSound != false else {
      begin(pace: pace)
      return receiversOwn(measurement.deviation)
    }
    return estimate
  }

  /// Returns whether the receiver has sent an old position again although the vehicle moves, or has moved away from this
  /// position. The result is false if the vehicle could have stopped since the previous measurement.
  mutating func repeats(_ measurement: Measurement) -> Bool {
    let seconds = latest.moment.seconds(to: measurement.moment)
    guard seconds > 0, measurement.coordinate == latest.coordinate else { return false }
    guard trust.isTrusted, doppler != nil else {
      let speed = positions.velocity.length
      return speed > max(parameters.repeatedSpeed, parameters.braking * seconds)
    }
    let speed = measurement.velocity(in: plane)?.length ?? 0
    repetition = (seconds, repetition.way + speed * max(0, seconds - repetition.seconds))
    return speed > parameters.repeatedSpeed
      || repetition.way > max(parameters.repeatedWay, 3 * measurement.deviation)
  }

  /// Decides at the first new position after repeated ones whether the vehicle stopped in between. If a constant
  /// velocity explains this position better, the repeated positions were old, and the function removes their effect.
  private mutating func resume(_ observation: Observation) {
    defer { moving = nil }
    guard let moving, doppler == nil || !trust.isTrusted else { return }
    func cost(_ hypothesis: Hypothesis) -> Double {
      hypothesis.innovation(of: observation.position, variance: observation.variance).cost(gate: parameters.gate)
    }
    guard cost(moving) < cost(positions) else { return }
    (positions, alternative) = (moving, Alternative(velocity: moving.velocity))
  }

  /// Moves the origin of the filter's plane (a plane that touches the earth) to the vehicle, if the vehicle is far from
  /// the origin.
  private mutating func movePlane() {
    let origin = leading.position
    guard origin.length > Self.reach, let here = plane.coordinate(at: origin) else { return }
    plane = Plane(at: here, along: plane)
    positions.move(to: origin)
    doppler?.move(to: origin)
    moving?.move(to: origin)
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
    moving?.predict(seconds, acceleration: acceleration, sigma: sigma)
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

  /// Stops the use of the reported velocities if their direction is wrong. If the course has been exactly constant for
  /// long, the course may be frozen, so the function also resets the velocities' good score.
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

  /// Returns the motion since the previous measurement according to the reported velocities; nil if the measurement has
  /// no velocity. The displacement is the mean of the two velocities multiplied by the interval.
  private func dopplerStep(_ motion: Motion, _ measurement: Measurement, weakness: Double) -> DopplerStep? {
    guard let velocity = motion.after else { return nil }
    let seconds = motion.seconds
    let least = max(parameters.velocityDeviation, measurement.velocityDeviation)
    let share = parameters.velocityShare * velocity.length
    let velocityVariance = (least * least + share * share) * weakness * weakness
    let late = parameters.velocityLag * (velocity - (doppler?.velocity ?? velocity)).length
    return DopplerStep(
      displacement: calibration.corrected(motion.way ?? velocity * seconds, change: motion.change ?? .zero),
      variance: velocityVariance * seconds * max(1, seconds) + late * late,
      velocity: calibration.corrected(velocity), velocityVariance: velocityVariance)
  }
}
