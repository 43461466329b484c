#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A Kalman filter for the altitude, without Doppler: altitude, rate of climb and receiver error.
struct HeightTrack: Sendable {
  /// Altitude, metres; rate of climb, m/s; receiver error, metres.
  private var height: Double
  private var climb = 0.0
  private var error = 0.0
  private var covariance: AxisCovariance
  private var fixes = 1
  /// Seconds for which measurements have been rejected in a row.
  private var rejected = 0.0
  private var isTrusted = true
  /// Second differences of the altitudes, metres, scaled to the standard deviation of the white noise.
  private var lengths = RunningMedian()
  private var before: (height: Double, after: Double)?
  private var last: (height: Double, after: Double)

  /// Begins with a measured altitude.
  /// - Parameters:
  ///   - height: metres.
  ///   - deviation: standard deviation that the receiver reports, metres.
  init(_ height: Double, deviation: Double, _ parameters: FilterParameters) {
    self.height = height
    last = (height, 0)
    let variance = deviation * deviation
    let climb = parameters.unknownClimb
    covariance = AxisCovariance(noise: variance, error: variance, velocity: climb * climb)
  }

  /// Standard deviation of the white noise, metres; nil until it is known. (The median of the absolute values of a normal
  /// distribution is 0.6745 σ.)
  private var white: Double? {
    guard lengths.count >= 5, let median = lengths.value else { return nil }
    return median / 0.6745
  }

  /// Updates the filter with a measured altitude.
  /// - Returns: whether the measurement continues the motion. If not, a new filter must begin with the measurement.
  mutating func update(
    _ measured: Double, deviation: Double, after seconds: Double, _ parameters: FilterParameters
  ) -> Bool {
    guard seconds > 0, seconds <= parameters.longestCoasting else { return seconds == 0 && measured == last.height }
    predict(seconds, deviation: deviation, parameters)
    addLength(to: measured, after: seconds)
    fixes = min(fixes + 1, parameters.freeFixes + 1)
    let innovation = measured - height - error
    let deviationOfWhite = max(parameters.leastWhite, white ?? parameters.assumedWhiteShare * deviation)
    var noise = deviationOfWhite * deviationOfWhite
    let excess = innovation * innovation / (covariance.reported + noise)
    isTrusted = excess <= parameters.gate
    if fixes > parameters.freeFixes, !isTrusted {
      rejected += seconds
      guard rejected <= parameters.longestRejection else { return false }
      guard excess <= parameters.hardGate else { return true }
      noise = innovation * innovation / parameters.gate
    } else {
      rejected = 0
    }
    move(by: innovation, covariance.observePosition(variance: noise))
    return covariance.isSound && height.isFinite && climb.isFinite
  }

  private mutating func predict(_ seconds: Double, deviation: Double, _ parameters: FilterParameters) {
    let decay = exp(-seconds / parameters.errorTime)
    height += climb * seconds
    error *= decay
    covariance.predict(seconds, acceleration: parameters.climbing, decay: decay, error: deviation * deviation)
  }

  private mutating func addLength(to measured: Double, after seconds: Double) {
    if let before, last.after > 0, (0.5...2).contains(seconds / last.after) {
      let predicted = last.height + (last.height - before.height) * seconds / last.after
      lengths.add(abs(measured - predicted) / 6.0.squareRoot())
    }
    (before, last) = (last, (measured, seconds))
  }

  private mutating func move(by innovation: Double, _ gain: AxisCovariance.Gain) {
    height += innovation * gain.position
    climb += innovation * gain.velocity
    error += innovation * gain.error
  }

  /// Returns the altitude and its standard deviation, metres, or nil if the receiver's own altitude is the best one.
  func estimate(deviation: Double, _ parameters: FilterParameters) -> (height: Double, deviation: Double)? {
    let hasFiltered = (white ?? .infinity) < parameters.ownShare * deviation
    if fixes <= parameters.freeFixes || isTrusted && hasFiltered { return nil }
    return estimate(parameters)
  }

  private func estimate(_ parameters: FilterParameters) -> (height: Double, deviation: Double) {
    (height, covariance.position.squareRoot())
  }

  /// Returns the altitude some seconds after the latest measurement. The altitude stays as it is, since climbs end soon.
  func coasted(
    _ seconds: Double, deviation: Double, _ parameters: FilterParameters
  ) -> (height: Double, deviation: Double) {
    var track = self
    track.climb = 0
    track.predict(seconds, deviation: deviation, parameters)
    return track.estimate(parameters)
  }
}
