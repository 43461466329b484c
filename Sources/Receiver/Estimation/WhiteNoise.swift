/// An estimator for the standard deviation of the white noise in a receiver's positions (the error that is independent
/// from one position to the next).
///
/// The result is the smaller of two estimates, because each estimate can be too large for a different reason. The first
/// estimate uses the differences between the displacement of the positions and the displacement of the reported
/// velocities (variance 2 σ² along one axis). The second estimate uses the second differences of the positions (6
/// σ²), which also contain the acceleration. Both estimates use the median length of the differences, because
/// outliers do not affect a median. The median of a Rayleigh distribution is 1.1774 σ.
struct WhiteNoise: Sendable {
  private static let least = 5
  /// The minimum time between two samples in seconds. With this minimum, the medians of 31 samples span about half a
  /// minute, even if the receiver sends several positions per second.
  private static let interval = 0.95

  private var dopplerDifferences = RunningMedian()
  private var secondDifferences = RunningMedian()
  /// The latest motion, which the next motion is compared with; nil before the first motion, and after a call of
  /// `interrupt`.
  private var before: Motion?
  private var sinceSample = 0.0

  /// The standard deviation of the white noise in the positions, in metres along one axis; nil until there are at least
  /// five samples.
  var deviation: Double? {
    let doppler = dopplerDifferences.count >= Self.least ? dopplerDifferences.value : nil
    let second = secondDifferences.count >= Self.least ? secondDifferences.value : nil
    return (doppler ?? second).map { min($0, second ?? $0) / 1.1774 }
  }

  /// Discards the latest motion, so that the estimator does not compare the next motion with it.
  mutating func interrupt() { before = nil }

  /// Adds the motion between two measurements. Returns the seconds since the previous sample of the estimator; nil if
  /// the motion comes too soon to be a sample.
  @discardableResult
  mutating func add(_ motion: Motion, usesDoppler: Bool, _ parameters: FilterParameters) -> Double? {
    let (displacement, seconds) = (motion.displacement, motion.seconds)
    defer { before = motion }
    if !usesDoppler { dopplerDifferences = RunningMedian() }
    sinceSample += seconds
    guard sinceSample >= Self.interval else { return nil }
    defer { sinceSample = 0 }
    guard seconds <= parameters.longestDifference else { return sinceSample }
    if usesDoppler, let doppler = motion.way {
      dopplerDifferences.add((displacement - doppler).length / 2.0.squareRoot())
    }
    // If the two intervals have very different lengths, the second difference contains more motion than noise.
    if let before, (0.5...2).contains(seconds / before.seconds) {
      let expected = before.displacement * (seconds / before.seconds)
      secondDifferences.add((displacement - expected).length / 6.0.squareRoot())
    }
    return sinceSample
  }
}
