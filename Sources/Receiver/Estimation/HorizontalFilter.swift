import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The horizontal part of the filter: two hypotheses with different process models side by side, and a decision between
/// them at each epoch.
///
/// `positions` moves by its own velocity and never uses Doppler. `doppler` moves by the Doppler velocities, so braking and
/// turning need no model. A position is an outlier only if each hypothesis that is entitled to judge rejects it.
struct HorizontalFilter: Sendable {
  /// The position after an epoch.
  struct Estimate: Hashable, Sendable {
    /// Nil if the receiver's own position is the best one.
    var coordinate: Coordinate?
    /// Standard deviation of one axis, metres.
    var deviation: Double
  }

  /// Metres from the plane's origin at which the plane is moved.
  private static let reach = 1000.0
  /// Metres from the plane's origin beyond which the plane says nothing about the ground.
  static let farthest = 20_000.0

  var plane: Plane
  /// The time of the latest measurement.
  private(set) var moment: Moment
  private var latest: Coordinate
  /// The Doppler velocity of the latest measurement, m/s.
  var lastVelocity: Offset?

  var positions: Hypothesis
  var doppler: Hypothesis?
  var alternatives: Alternatives
  /// Measurements since the hypotheses began, no more than the parameter `freeFixes`.
  var fixes = 0

  var deviations = RunningMedian()
  var white = WhiteNoise()
  /// Distances of the measured positions from the leading hypothesis, metres.
  var residuals = RunningMedian()
  var sinceResidual = 0.0
  private var calibration = DopplerCalibration()
  private var contradiction = CourseContradiction()
  var trust: DopplerTrust
  var standstill = Standstill()
  var manoeuvre = Manoeuvre()
  /// Seconds since the receiver found its first position.
  var age = 0.0

  /// Begins with the first measurement.
  init(_ measurement: Measurement, _ parameters: FilterParameters) {
    plane = Plane(at: measurement.coordinate)
    (moment, latest) = (measurement.moment, measurement.coordinate)
    trust = DopplerTrust(parameters)
    deviations.add(measurement.deviation)
    let unknown = parameters.unknownVelocity
    positions = Hypothesis(at: .zero, velocity: .zero, noise: 1, sigma: 1, velocityVariance: unknown * unknown)
    alternatives = Alternatives(at: .zero)
    begin(measurement, pace: 0, parameters)
  }

  /// Whether the positions contradict the Doppler velocities.
  var isDopplerWrong: Bool { !trust.isTrusted }

  /// Standard deviation of the receiver error along one axis, metres.
  private func sigma(_ parameters: FilterParameters) -> Double { max(parameters.leastError, deviations.value ?? 0) }

  // MARK: Beginning

  /// Restarts the hypotheses at a measurement. The calibration, the trust and the noise of the receiver stay.
  /// - Parameter pace: speed between the latest two positions, m/s: the velocity may be that high.
  private mutating func begin(_ measurement: Measurement, pace: Double, _ parameters: FilterParameters) {
    plane = Plane(at: measurement.coordinate)
    lastVelocity = measurement.velocity(in: plane)
    let sigma = sigma(parameters)
    let noise = sigma * sigma + settlingVariance(parameters)
    let velocity = trust.isTrusted ? lastVelocity : nil
    let unknown = min(max(parameters.unknownVelocity, pace), parameters.mostVelocity)
    positions = Hypothesis(
      at: .zero, velocity: velocity ?? .zero, noise: noise, sigma: sigma, velocityVariance: unknown * unknown)
    doppler = velocity.map { Hypothesis(at: .zero, velocity: $0, noise: noise, sigma: sigma, velocityVariance: 1) }
    alternatives = Alternatives(at: .zero)
    fixes = 0
    white.interrupt()
  }

  /// Variance of the error of a receiver that has just found its first position, m².
  func settlingVariance(_ parameters: FilterParameters) -> Double {
    let error = parameters.settlingError * exp(-age / parameters.settlingTime)
    return error * error
  }

  // MARK: One epoch

  /// A measured position with the noise and the Doppler step that all hypotheses use.
  struct Observation {
    let place: Offset
    /// Seconds since the measurement before.
    let seconds: Double
    /// Standard deviation of the receiver error in this epoch and in general, metres.
    let deviation, sigma: Double
    let step: DopplerStep?
    /// Doppler speed, m/s; nil if there is no usable one.
    let speed: Double?
    /// Standard deviation of the white noise, metres.
    let white: Double
    /// Variance of the noise, m²: as usual, and in this epoch.
    var usual = 0.0
    var variance = 0.0
  }

  /// Updates the filter with the next measurement, and returns the position of its epoch.
  mutating func update(_ measurement: Measurement, _ parameters: FilterParameters) -> Estimate {
    let seconds = moment.seconds(to: measurement.moment)
    deviations.add(measurement.deviation)
    guard seconds > 0, seconds <= parameters.longestGap else {
      // Another position with the same time says nothing about the motion.
      if seconds == 0 { return receiversOwn(measurement.deviation, parameters) }
      age = (0...parameters.longestCoasting).contains(seconds) ? age + seconds : 0
      (moment, latest) = (measurement.moment, measurement.coordinate)
      begin(measurement, pace: 0, parameters)
      return receiversOwn(measurement.deviation, parameters)
    }
    if repeats(measurement, parameters), let coasted = coasted(seconds, parameters) {
      return Estimate(coordinate: coasted.coordinate, deviation: coasted.deviation)
    }
    age += seconds
    fixes = min(fixes + 1, parameters.freeFixes)
    recentre()
    let observation = observe(measurement, after: seconds, parameters)
    let pace = (observation.place - plane.offset(of: latest)).length / seconds
    (moment, latest) = (measurement.moment, measurement.coordinate)
    guard let estimate = decide(observation, parameters), positions.isSound, doppler?.isSound != false else {
      begin(measurement, pace: pace, parameters)
      return receiversOwn(measurement.deviation, parameters)
    }
    return estimate
  }

  /// Whether the receiver repeats its position although it moves: then the position is an old one.
  private func repeats(_ measurement: Measurement, _ parameters: FilterParameters) -> Bool {
    measurement.coordinate == latest && trust.isTrusted && doppler != nil
      && measurement.velocity(in: plane).map { $0.length > parameters.repeatedSpeed } ?? false
  }

  /// Measures the noise and the Doppler step of an epoch, and predicts the hypotheses to it.
  private mutating func observe(
    _ measurement: Measurement, after seconds: Double, _ parameters: FilterParameters
  ) -> Observation {
    let sigma = sigma(parameters)
    let place = plane.offset(of: measurement.coordinate)
    let displacement = place - plane.offset(of: latest)
    let said = measurement.velocity(in: plane)
    let before = lastVelocity
    lastVelocity = said
    let trusted = trust.isTrusted
    let way = before.flatMap { before in said.map { (before + $0) * (seconds / 2) } }
    white.add(displacement, doppler: trusted ? way : nil, after: seconds, parameters)
    if contradiction.add(
      displacement, from: before, to: said, after: seconds, sigma: measurement.deviation, parameters), trusted
    {
      trust.loseCourse(parameters)
    }
    let velocity = plausible(said, after: before, seconds, parameters)
    let weakness = max(1, measurement.deviation / sigma)
    calibration.add(
      displacement, from: velocity == nil ? nil : before, to: velocity, after: seconds, weakness: weakness, parameters)
    manoeuvre.add(from: before, to: velocity, after: seconds, parameters)
    standstill.add(velocity, after: seconds, parameters)
    if let velocity, doppler == nil {
      doppler = positions
      doppler?.set(velocity: velocity)
    }
    let step = velocity.map {
      dopplerStep(to: $0, from: before ?? $0, measurement, after: seconds, weakness: weakness, parameters)
    }
    positions.predict(seconds, by: nil, sigma: sigma, parameters)
    doppler?.predict(seconds, by: step, sigma: sigma, parameters)
    alternatives.predict(seconds, by: trust.isTrusted ? step : nil, sigma: sigma, parameters)
    var observation = Observation(
      place: place, seconds: seconds, deviation: measurement.deviation, sigma: sigma, step: step,
      speed: velocity?.length, white: white.deviation ?? parameters.assumedWhiteShare * measurement.deviation)
    setNoise(of: &observation, satellites: measurement.satellites, parameters)
    return observation
  }

  /// Returns nil for a velocity that no vehicle can reach from the one before.
  private func plausible(
    _ velocity: Offset?, after before: Offset?, _ seconds: Double, _ parameters: FilterParameters
  ) -> Offset? {
    guard let velocity, let before, seconds <= 5 else { return velocity }
    return (velocity - before).length > parameters.mostAcceleration * seconds + 2 ? nil : velocity
  }

  /// The process model of Doppler: the mean of two successive velocities times the interval.
  private func dopplerStep(
    to velocity: Offset, from before: Offset, _ measurement: Measurement, after seconds: Double, weakness: Double,
    _ parameters: FilterParameters
  ) -> DopplerStep {
    let speed = velocity.length
    let least = max(parameters.velocityDeviation, measurement.velocityDeviation ?? 0)
    let share = parameters.velocityShare * speed
    let velocityVariance = (least * least + share * share) * weakness * weakness
    let known = doppler?.velocity ?? before
    let late = parameters.velocityLag * (velocity - known).length
    var variance = velocityVariance * seconds * max(1, seconds) + late * late
    if seconds > parameters.slowInterval {
      // The velocity between two epochs is a Brownian bridge: q Δt³/12. A receiver at rest stays there.
      let motion = min(1, max(speed, known.length) / parameters.fullSpeed)
      variance += parameters.acceleration * seconds * seconds * seconds / 12 * motion * motion
    }
    let displacement = calibration.corrected((before + velocity) * (seconds / 2), change: velocity - before)
    return DopplerStep(
      displacement: displacement, variance: variance, velocity: calibration.corrected(velocity),
      velocityVariance: velocityVariance)
  }

  /// The measurement model: variance of a position about the hypothesis and the receiver error.
  private func setNoise(of observation: inout Observation, satellites: Int?, _ parameters: FilterParameters) {
    let sigma = observation.sigma
    let least = max(parameters.leastWhite, parameters.leastWhiteShare * sigma)
    let deviation = min(parameters.mostWhite, max(least, observation.white))
    let speed = trust.isTrusted ? observation.speed : nil
    let late = parameters.lateTag * (speed ?? positions.velocity.length)
    observation.usual = deviation * deviation + late * late
    var special = max(0, observation.deviation * observation.deviation - sigma * sigma)
    special += settlingVariance(parameters)
    if let satellites, satellites < parameters.fewSatellites { special += parameters.fewSatellitesVariance }
    // Such errors last: ten of them in a second contain no more information than one.
    observation.variance = observation.usual + special * max(1, 1 / observation.seconds)
  }

  // MARK: Plane

  private mutating func recentre() {
    let origin = ((trust.isTrusted ? doppler : nil) ?? positions).position
    guard origin.length > Self.reach, let here = plane.coordinate(at: origin) else { return }
    let (old, next) = (plane, Plane(at: here))
    func turned(_ offset: Offset) -> Offset { old.turned(offset, to: next) }
    positions.move(to: origin, turned: turned)
    doppler?.move(to: origin, turned: turned)
    alternatives.move(to: origin, turned: turned)
    lastVelocity = lastVelocity.map(turned)
    white.turn(turned)
    calibration.turn(turned)
    contradiction.turn(turned)
    standstill.turn(turned)
    plane = next
  }
}
