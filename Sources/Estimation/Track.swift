import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A Kalman filter for position, velocity and the receiver's own error, in a plane that moves along.
struct Track: Sendable {
  /// Metres from the plane's origin at which it is moved.
  private static let reach = 1000.0

  private var plane: Plane
  /// Of the latest measurement, believed or not.
  private(set) var moment: Moment
  private var position = Offset.zero
  private var velocity: Offset
  private var error = Offset.zero
  private(set) var covariance: AxisCovariance
  /// As the receiver said it.
  private var latest: Coordinate
  /// Metres per second between the latest two positions as the receiver said them.
  private var pace = 0.0
  private var fixes = 1
  private var rejection: Rejection?
  private var white: WhiteNoise
  /// Between measurements, seconds.
  private var intervals = RunningMedian()
  private var standstill = Standstill()
  private var isAtRest = false
  private var manoeuvre = Manoeuvre()
  private var courses = CourseCheck()
  /// The Doppler velocity of the latest measurement, and its mean over the latest time.
  private var lastVelocity: Offset?
  private var meanVelocity: Offset?
  /// Whether the receiver says a course that its positions contradict.
  var isCourseWrong: Bool { courses.isWrong }
  /// Whether the latest position was taken for what it says.
  private var isTrusted = true
  /// Seconds since the receiver found its first position.
  private var age: Double

  /// - Parameters:
  ///   - sigma: standard deviation of the receiver error, metres.
  ///   - before: the track that cannot be continued: what it learned of the receiver stays.
  init(_ measurement: Measurement, sigma: Double, after before: Track?, _ parameters: FilterParameters) {
    age = before?.age ?? 0
    plane = Plane(at: measurement.coordinate)
    moment = measurement.moment
    latest = measurement.coordinate
    if let before {
      courses = before.courses
      courses.restart()
    }
    lastVelocity = courses.isWrong ? nil : measurement.velocity(in: plane)
    meanVelocity = lastVelocity
    velocity = lastVelocity ?? .zero
    // It may be that much where the receiver is elsewhere than the track was.
    let unknown = min(max(parameters.unknownVelocity, before?.pace ?? 0), parameters.mostVelocity)
    let deviation = lastVelocity == nil ? unknown : 1
    let settling = Track.settlingVariance(age, parameters)
    covariance = AxisCovariance(
      noise: measurement.deviation * measurement.deviation + settling, error: sigma * sigma,
      velocity: deviation * deviation)
    white = WhiteNoise(at: .zero, velocity: lastVelocity, knowing: before?.white)
    if let before { intervals = before.intervals }
  }

  /// Takes the next measurement. False if the track cannot be continued with it: it then begins anew there.
  mutating func take(_ measurement: Measurement, sigma: Double, _ parameters: FilterParameters) -> Bool {
    let seconds = moment.seconds(to: measurement.moment)
    // The same once more.
    if seconds == 0, measurement.coordinate == latest { return true }
    guard seconds > 0, seconds <= parameters.longestCoasting else {
      (age, pace) = (seconds > 0 ? 0 : age, 0)
      return false
    }
    let step = plane.offset(of: measurement.coordinate) - plane.offset(of: latest)
    pace = step.length / seconds
    let said = measurement.velocity(in: plane)
    // The track has followed that course, and is where nobody was.
    guard
      !courses.add(
        step, velocity: said, after: seconds, white: white.deviation ?? sigma, sigma: sigma, parameters)
    else { return false }
    predict(seconds, sigma: sigma, parameters)
    (moment, latest) = (measurement.moment, measurement.coordinate)
    age += seconds
    intervals.add(seconds)
    recentre()
    let doppler = courses.isWrong ? nil : measurement.velocity(in: plane)
    white.add(plane.offset(of: measurement.coordinate), velocity: doppler, after: seconds)
    fixes = min(fixes + 1, parameters.freeFixes + 1)
    takeVelocity(doppler, of: measurement, after: seconds, sigma: sigma, parameters)
    guard takePosition(measurement, hasDoppler: doppler != nil, after: seconds, sigma: sigma, parameters) else {
      return false
    }
    return covariance.isSound && position.length.isFinite && velocity.length.isFinite
  }

  private mutating func predict(_ seconds: Double, sigma: Double, _ parameters: FilterParameters) {
    let decay = exp(-seconds / parameters.errorTime)
    position = position + velocity * seconds
    error = error * decay
    let slowness = max(1, (intervals.lowerDecile ?? 0) / parameters.slowInterval)
    let acceleration = parameters.acceleration * slowness * slowness
    covariance.predict(seconds, acceleration: acceleration, decay: decay, error: sigma * sigma)
  }

  private mutating func recentre() {
    guard position.length > Self.reach, let here = plane.coordinate(at: position) else { return }
    let next = Plane(at: here)
    white.move(from: plane, by: position, to: next)
    velocity = plane.turned(velocity, to: next)
    error = plane.turned(error, to: next)
    lastVelocity = lastVelocity.map { plane.turned($0, to: next) }
    meanVelocity = meanVelocity.map { plane.turned($0, to: next) }
    courses.restart()
    (plane, position) = (next, .zero)
  }

  /// False after too much that contradicts the track.
  private mutating func takePosition(
    _ measurement: Measurement, hasDoppler: Bool, after seconds: Double, sigma: Double, _ parameters: FilterParameters
  ) -> Bool {
    let innovation = plane.offset(of: measurement.coordinate) - position - error
    let usual = usualNoise(of: measurement, sigma: sigma, parameters)
    var special = max(0, measurement.deviation * measurement.deviation - sigma * sigma)
    special += Track.settlingVariance(age, parameters)
    if let satellites = measurement.satellites, satellites < parameters.fewSatellites {
      special += parameters.fewSatellitesVariance
    }
    // Such errors last: ten of them in a second tell no more than one.
    var noise = usual + special * max(1, 1 / seconds)
    isTrusted = innovation.squared <= parameters.softGate * (covariance.reported + usual)
    // A position that is held is let go in steps.
    if isHeld(measurement, parameters), innovation.length <= 2 * measurement.deviation { isTrusted = true }
    let excess = innovation.squared / (covariance.reported + noise)
    if isAtRest, excess > parameters.restGate { leaveRest(parameters) }
    if fixes <= parameters.freeFixes {
      // Which of the two is wrong nobody knows yet, and a track between them would be neither's.
      guard excess <= parameters.softGate else { return false }
    } else {
      guard excess <= parameters.hardGate else { return reject(measurement, hasDoppler, seconds, parameters) }
      if excess > parameters.softGate {
        noise = innovation.squared / parameters.softGate
      }
    }
    rejection = nil
    move(by: innovation, covariance.observePosition(variance: noise))
    return true
  }

  /// Whether the receiver itself keeps the position where it is.
  private func isHeld(_ measurement: Measurement, _ parameters: FilterParameters) -> Bool {
    guard isAtRest, let noise = white.deviation else { return false }
    return noise <= (measurement.speed == 0 ? parameters.holdingAtZero : parameters.holding)
  }

  private static func settlingVariance(_ age: Double, _ parameters: FilterParameters) -> Double {
    let error = parameters.settlingError * exp(-age / parameters.settlingTime)
    return error * error
  }

  /// Variance of a position about the track and the receiver's error, m², as long as the receiver says nothing special.
  private func usualNoise(of measurement: Measurement, sigma: Double, _ parameters: FilterParameters) -> Double {
    let least = max(parameters.leastWhite, parameters.leastWhiteShare * sigma)
    let measured = white.deviation ?? parameters.assumedWhiteShare * measurement.deviation
    let deviation = min(parameters.mostWhite, max(least, measured))
    let late = parameters.lateTag * (measurement.speed ?? velocity.length)
    return deviation * deviation + late * late
  }

  private mutating func reject(
    _ measurement: Measurement, _ hasDoppler: Bool, _ seconds: Double, _ parameters: FilterParameters
  ) -> Bool {
    isTrusted = false
    if rejection == nil {
      rejection = Rejection(measurement.coordinate)
    } else {
      rejection?.add(measurement.coordinate, velocity: velocity, in: plane, after: seconds, parameters)
    }
    guard let rejection else { return true }
    let isInsisting =
      !hasDoppler && rejection.agreeing >= parameters.agreeing && rejection.agreed >= parameters.agreeingTime
    return !isInsisting && rejection.lasted <= parameters.longestRejection
  }

  private mutating func takeVelocity(
    _ doppler: Offset?, of measurement: Measurement, after seconds: Double, sigma: Double,
    _ parameters: FilterParameters
  ) {
    if let doppler {
      let change = (doppler - (meanVelocity ?? doppler)).length / max(seconds, parameters.changeTime)
      let (lag, share) = (parameters.velocityLag * change, parameters.velocityShare * doppler.length)
      let least = max(parameters.velocityDeviation, measurement.velocityDeviation ?? 0)
      // Of a speed without a course nobody knows where it leads.
      let unknown = measurement.course == nil ? (measurement.speed ?? 0) : 0
      // Who is worse off for positions than usual is so for velocities.
      let worse = max(1, measurement.deviation / sigma)
      // As with positions, ten in a second tell no more than one.
      let variance =
        (least * least + lag * lag + share * share + unknown * unknown / 2) * worse * worse * max(1, 1 / seconds)
      observe(doppler, variance: variance, parameters)
      let passed = min(1, seconds / parameters.changeTime)
      meanVelocity = meanVelocity.map { $0 + (doppler - $0) * passed } ?? doppler
    } else {
      meanVelocity = nil
    }
    manoeuvre.add(from: lastVelocity, to: doppler, after: seconds, parameters)
    isAtRest = standstill.add(doppler, after: seconds, parameters)
    if isAtRest {
      observe(.zero, variance: parameters.restDeviation * parameters.restDeviation, parameters)
    }
    lastVelocity = doppler
  }

  private mutating func observe(_ measured: Offset, variance: Double, _ parameters: FilterParameters) {
    let innovation = measured - velocity
    let excess = innovation.squared / (covariance.velocity + variance)
    var variance = variance
    if excess > parameters.softGate {
      variance = innovation.squared / parameters.softGate * (excess / parameters.softGate)
    }
    move(by: innovation, covariance.observeVelocity(variance: variance))
  }

  private mutating func leaveRest(_ parameters: FilterParameters) {
    isAtRest = false
    standstill.leave()
  }

  private mutating func move(by innovation: Offset, _ gain: AxisCovariance.Gain) {
    position = position + innovation * gain.position
    velocity = velocity + innovation * gain.velocity
    error = error + innovation * gain.error
  }
}

extension Track {
  /// A place and how well it is known.
  struct Estimate: Hashable, Sendable {
    var coordinate: Coordinate
    /// Standard deviation of one axis, metres.
    var deviation: Double
  }

  /// What is said after a measurement was taken; nil where it is the receiver's own position.
  func estimate(after measurement: Measurement, _ parameters: FilterParameters) -> Estimate? {
    if fixes <= parameters.freeFixes { return nil }
    let noise = white.deviation ?? parameters.assumedWhiteShare * measurement.deviation
    let hasFiltered =
      noise < parameters.ownShare * measurement.deviation && (!isAtRest || isHeld(measurement, parameters))
    if isTrusted, hasFiltered || age < parameters.settlingOwn { return nil }
    return estimate(parameters)
  }

  /// What is known without looking at the receiver's own position.
  func estimate(_ parameters: FilterParameters) -> Estimate? {
    guard let coordinate = plane.coordinate(at: position) else { return nil }
    let variance = covariance.position + parameters.remainingError * covariance.error
    return Estimate(coordinate: coordinate, deviation: variance.squareRoot())
  }

  /// The track some seconds on without a measurement; nil once that is too long.
  func coasted(_ seconds: Double, sigma: Double, _ parameters: FilterParameters) -> Track? {
    guard seconds >= 0, seconds <= parameters.longestCoasting else { return nil }
    var track = self
    let decay = exp(-seconds / parameters.errorTime)
    let (speed, usual) = (velocity.length, parameters.coastingSpeeds)
    let ratio = min(1, speed / usual.lowerBound, usual.upperBound / max(speed, 1))
    let acceleration = max(parameters.leastCoastingAcceleration, parameters.coastingAcceleration * ratio * ratio)
    track.covariance.predict(seconds, acceleration: acceleration, decay: decay, error: sigma * sigma)
    let (way, velocity) = manoeuvre.coasted(seconds, from: velocity, parameters)
    (track.position, track.velocity) = (position + way, velocity)
    return track.covariance.isSound ? track : nil
  }

  /// Speed and course as the track has them.
  func addMotion(to fix: inout Fix) {
    let (speed, deviation) = (velocity.length, covariance.velocity.squareRoot())
    fix.speed = AccuracyModel.rounded(speed)
    fix.speedAccuracy = AccuracyModel.roundedUp(deviation)
    if speed > deviation {
      fix.course = AccuracyModel.rounded(plane.course(of: velocity, at: fix.coordinate))
      fix.courseAccuracy = AccuracyModel.roundedUp(min(180, deviation / speed * 180 / .pi))
    }
  }
}
