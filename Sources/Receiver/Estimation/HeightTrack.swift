/// A Kalman filter for the altitude. The filter uses the same model as `HorizontalFilter`, but on one axis and without
/// Doppler velocities.
struct HeightTrack: Sendable {
  /// The factor that converts a deviation of `WhiteNoise` from two dimensions to one dimension. The median length of a
  /// normally distributed error is 1.1774 σ in two dimensions, and 0.6745 σ in one dimension.
  private static let whiteScale = 1.1774 / 0.6745

  private var track: Hypothesis
  private var white = WhiteNoise()
  /// The latest measured altitude in metres.
  private var last: Double
  private var fixes = 1
  /// The time in seconds for which all measured altitudes have been rejected.
  private var rejected = 0.0

  /// Creates a filter that begins with a measured altitude.
  /// - Parameters:
  ///   - height: the altitude in metres.
  ///   - deviation: the standard deviation in metres that the receiver reports.
  init(_ height: Double, deviation: Double, _ parameters: FilterParameters) {
    last = height
    let climb = parameters.unknownClimb
    track = Hypothesis(
      at: Offset(x: height, y: 0), velocity: .zero, noise: deviation * deviation, sigma: deviation,
      velocityVariance: climb * climb)
  }

  /// Updates the filter with a measured altitude.
  /// - Returns: whether the measurement continues the motion. If the result is false, the caller must begin a new
  ///   filter with this measurement.
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

  /// The standard deviation of the white noise in metres; nil before the noise is measured.
  private var whiteDeviation: Double? { white.deviation.map { $0 * Self.whiteScale } }

  private mutating func predict(_ seconds: Double, deviation: Double, _ parameters: FilterParameters) {
    track.predict(seconds, acceleration: parameters.climbing, sigma: deviation)
  }

  /// Returns the altitude and its standard deviation, both in metres. Returns nil if the receiver's own altitude is
  /// better.
  func estimate(deviation: Double, _ parameters: FilterParameters) -> (height: Double, deviation: Double)? {
    let hasFiltered = (whiteDeviation ?? .infinity) < parameters.ownShare * deviation
    if fixes <= parameters.freeFixes || rejected == 0 && hasFiltered { return nil }
    return (track.position.x, track.positionVariance.squareRoot())
  }

  /// Returns the predicted altitude for a time some seconds after the latest measurement. The model assumes a constant
  /// altitude, because a climb usually ends soon.
  func coasted(
    _ seconds: Double, deviation: Double, _ parameters: FilterParameters
  ) -> (height: Double, deviation: Double) {
    var later = self
    later.track.set(velocity: .zero)
    later.predict(seconds, deviation: deviation, parameters)
    return (later.track.position.x, later.track.positionVariance.squareRoot())
  }
}
