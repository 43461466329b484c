/// A Kalman filter for the altitude. The filter uses the same model as the filter for the horizontal position, but on
/// one axis and without reported velocities.
struct HeightTrack: Sendable {
  /// The factor from the result of `WhiteNoise`, which assumes two dimensions, to a standard deviation in one
  /// dimension. The median length of an error is 1.1774 σ in two dimensions, and 0.6745 σ in one dimension.
  private static let whiteScale = 1.1774 / 0.6745

  private var track: Hypothesis
  private var white = WhiteNoise()
  /// The latest measured altitude in metres.
  private var last: Double
  private var fixes = 1
  /// The seconds since the latest altitude that was not rejected as an outlier.
  private var rejected = 0.0

  /// Creates a filter that starts at the first measured altitude.
  /// - Parameters:
  ///   - height: the altitude in metres.
  ///   - deviation: the standard deviation of the altitude in metres, as the receiver reports it.
  init(_ height: Double, deviation: Double, _ parameters: FilterParameters) {
    last = height
    let climb = parameters.unknownClimb
    track = Hypothesis(
      at: Offset(x: height, y: 0), velocity: .zero, noise: deviation * deviation, sigma: deviation,
      velocityVariance: climb * climb)
  }

  /// Updates the filter with a measured altitude.
  /// - Returns: false if the altitudes no longer fit the filter, so that the caller must create a new filter; true
  ///   otherwise.
  mutating func update(
    _ measured: Double, deviation: Double, after seconds: Double, _ parameters: FilterParameters
  ) -> Bool {
    guard seconds > 0, seconds <= parameters.longestCoasting else { return seconds == 0 && measured == last }
    predict(seconds, deviation: deviation, parameters)
    let displacement = Offset(x: measured - last, y: 0)
    white.add(
      Motion(seconds: seconds, displacement: displacement, before: nil, after: nil), usesDoppler: false, parameters)
    last = measured
    fixes = min(fixes + 1, parameters.freeFixes + 1)
    let noise = max(parameters.leastWhite, whiteDeviation ?? parameters.assumedWhiteShare * deviation)
    let innovation = track.innovation(of: Offset(x: measured, y: 0), variance: noise * noise)
    let isRejected = fixes > parameters.freeFixes && innovation.squared > parameters.gate
    rejected = isRejected ? rejected + seconds : 0
    track.update(innovation, noise: isRejected ? innovation.noise(at: parameters.gate) : nil)
    return rejected <= parameters.longestGap && track.isSound
  }

  /// The standard deviation of the white noise in the altitude, in metres; nil until the noise is measured.
  private var whiteDeviation: Double? { white.deviation.map { $0 * Self.whiteScale } }

  private mutating func predict(_ seconds: Double, deviation: Double, _ parameters: FilterParameters) {
    track.predict(seconds, acceleration: parameters.climbing, sigma: deviation)
  }

  /// Returns the filtered altitude and its standard deviation, both in metres. Returns nil if the receiver has already
  /// smoothed its altitude, or if the filter has just started.
  func estimate(deviation: Double, _ parameters: FilterParameters) -> (height: Double, deviation: Double)? {
    let hasFiltered = (whiteDeviation ?? .infinity) < parameters.ownShare * deviation
    if fixes <= parameters.freeFixes || rejected == 0 && hasFiltered { return nil }
    return (track.position.x, track.positionVariance.squareRoot())
  }

  /// Returns the predicted altitude and its standard deviation, both in metres, some seconds after the latest
  /// measurement. The prediction keeps the altitude constant, because a climb usually ends soon.
  func coasted(
    _ seconds: Double, deviation: Double, _ parameters: FilterParameters
  ) -> (height: Double, deviation: Double) {
    var later = self
    later.track.set(velocity: .zero)
    later.predict(seconds, deviation: deviation, parameters)
    return (later.track.position.x, later.track.positionVariance.squareRoot())
  }
}
