/// An estimator for two errors of the velocities that a receiver reports: a scale error and a latency. The method is
/// regularised least squares with exponential forgetting.
///
/// The displacement between two measurements is known from two sources: the positions, and the velocities. If the
/// velocities are too small by a fraction, their displacement is too short by this fraction. If the velocities are
/// late, their displacement is wrong by latency · change of velocity. So the difference of both displacements is scale
/// · displacement from velocities + latency · change of velocity. (Source: S. Haykin, "Adaptive Filter Theory",
/// chapter on recursive least squares; the prior values are 0)
struct DopplerCalibration: Sendable {
  /// The estimated scale error of the receiver's velocities, −0.6...0.6. The true velocity is the reported velocity
  /// multiplied by (1 + scale error).
  private(set) var scale = 0.0
  /// The estimated latency of the receiver's velocities in seconds, −0.5...1.5.
  private(set) var latency = 0.0

  /// The weighted sums of products in the normal equations of the least squares. The letters mean displacement (d),
  /// change of velocity (c) and residual (r).
  private var (dd, dc, cc, dr, cr) = (0.0, 0.0, 0.0, 0.0, 0.0)
  private var residuals = RunningMedian()
  /// The motion since the latest sample of the estimator; nil if the latest measurement ended a sample. A sample spans
  /// at least `interval` seconds.
  private var span: Motion?

  private static let interval = 0.95
  /// The median length of a two-dimensional vector whose components are normally distributed with standard deviation 1
  /// (the median of the Rayleigh distribution).
  private static let rayleighMedian = 1.1774

  /// Returns a displacement in metres, corrected for the estimated scale error and latency of the receiver's
  /// velocities. `change` is the change of the velocity during the displacement in m/s.
  func corrected(_ displacement: Offset, change: Offset) -> Offset {
    displacement * (1 + scale) + change * latency
  }

  /// Returns a velocity in m/s, corrected for the estimated scale error of the receiver's velocities.
  func corrected(_ velocity: Offset) -> Offset { velocity * (1 + scale) }

  /// Updates the estimated errors of the reported velocities with the motion between two measurements.
  ///
  /// - Parameter weakness: the ratio of this measurement's errors to the usual errors, 1 or more.
  mutating func add(_ motion: Motion, weakness: Double, _ parameters: FilterParameters) {
    guard motion.way != nil, motion.seconds <= parameters.longestDifference else {
      span = nil
      return
    }
    let sample = span?.followed(by: motion) ?? motion
    span = sample.seconds < Self.interval ? sample : nil
    guard span == nil, let way = sample.way, let change = sample.change else { return }
    let residual = sample.displacement - way
    let left = (residual - way * scale - change * latency).length
    if way.length > 2 || change.length > 0.5 { residuals.add(left) }
    guard residuals.count >= 5, let median = residuals.value else { return }
    let least = parameters.leastError
    let usual = (median * median / (Self.rayleighMedian * Self.rayleighMedian) + least * least).squareRoot()
    // Huber's weight: a residual of more than two standard deviations has a linear influence on the result, and not a
    // quadratic one.
    let variance = usual * max(usual, left / 2) * weakness * weakness
    let kept = decay(after: sample.seconds, time: parameters.calibrationTime)
    dd = dd * kept + way.squared / variance
    dc = dc * kept + way.dot(change) / variance
    cc = cc * kept + change.squared / variance
    dr = dr * kept + residual.dot(way) / variance
    cr = cr * kept + residual.dot(change) / variance
    solve(parameters)
  }

  private mutating func solve(_ parameters: FilterParameters) {
    let d = dd + 1 / (parameters.scaleDeviation * parameters.scaleDeviation)
    let c = cc + 1 / (parameters.latencyDeviation * parameters.latencyDeviation)
    let determinant = d * c - dc * dc
    guard determinant > 0, determinant.isFinite else { return }
    scale = min(max((dr * c - dc * cr) / determinant, -0.6), 0.6)
    latency = min(max((d * cr - dc * dr) / determinant, -0.5), 1.5)
  }
}
