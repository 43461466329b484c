#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The same filter for the height, which has no Doppler: altitude, rate of climb and the receiver's error.
struct HeightTrack: Sendable {
  /// Metres.
  private var height: Double
  private var climb = 0.0
  private var error = 0.0
  private var covariance: AxisCovariance
  private var fixes = 1
  /// Seconds of rejections in a row.
  private var rejected = 0.0
  private var isTrusted = true
  /// Of the second differences: the white part of the noise.
  private var lengths = RunningMedian()
  private var before: (height: Double, after: Double)?
  private var last: (height: Double, after: Double)

  /// - Parameter deviation: standard deviation as the receiver tells it, metres.
  init(_ height: Double, deviation: Double, _ parameters: FilterParameters) {
    self.height = height
    last = (height, 0)
    let variance = deviation * deviation
    let climb = parameters.unknownClimb
    covariance = AxisCovariance(noise: variance, error: variance, velocity: climb * climb)
  }

  /// Standard deviation of the white part, metres; nil until it is known. (0.6745 σ is the median of a normal
  /// distribution's lengths.)
  private var white: Double? {
    guard lengths.count >= 5, let median = lengths.value else { return nil }
    return median / 0.6745
  }

  /// False if the track cannot be continued with it: it then begins anew there.
  mutating func take(
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

  /// Metres: the height and its standard deviation; nil where it is the receiver's own.
  func estimate(deviation: Double, _ parameters: FilterParameters) -> (height: Double, deviation: Double)? {
    let hasFiltered = (white ?? .infinity) < parameters.ownShare * deviation
    if fixes <= parameters.freeFixes || isTrusted && hasFiltered { return nil }
    return estimate(parameters)
  }

  private func estimate(_ parameters: FilterParameters) -> (height: Double, deviation: Double) {
    (height, covariance.position.squareRoot())
  }

  /// The same some seconds on without a measurement: heights stay, since climbs end.
  func coasted(
    _ seconds: Double, deviation: Double, _ parameters: FilterParameters
  ) -> (height: Double, deviation: Double) {
    var track = self
    track.climb = 0
    track.predict(seconds, deviation: deviation, parameters)
    return track.estimate(parameters)
  }
}
