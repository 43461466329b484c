/// An estimator for the white noise in a receiver's positions. The result is a standard deviation.
///
/// The result is the smaller of two estimates, because each estimate can be too large for a different reason. The first
/// estimate compares displacements by positions with displacements by reported velocities (variance 2 σ² along one
/// axis). The second estimate uses the second differences of the positions (6 σ²), which also contain the
/// acceleration. Both estimates use the median length of the differences, because outliers do not affect a median. The
/// median of a Rayleigh distribution is 1.1774 σ.
struct WhiteNoise: Sendable {
  private static let least = 5
  /// The minimum interval in seconds between two samples. With this interval, the median of 31 samples spans about half
  /// a minute, even if the receiver sends several positions per second.
  private static let interval = 0.95

  private var dopplerDifferences = RunningMedian()
  private var secondDifferences = RunningMedian()
  /// The previous motion, for the comparison with the next motion; nil before the first motion, and after a call of
  /// `interrupt`.
  private var before: Motion?
  private var sinceSample = 0.0

  /// The standard deviation of the white noise in metres, along one axis; nil for fewer than five samples.
  var deviation: Double? {
    let doppler = dopplerDifferences.count >= Self.least ? dopplerDifferences.value : nil
    let second = secondDifferences.count >= Self.least ? secondDifferences.value : nil
    return (doppler ?? second).map { min($0, second ?? $0) / 1.1774 }
  }

  /// Discards the previous motion, because the next motion does not continue it.
  mutating func interrupt() { before = nil }

  /// Adds the motion between two measurements. Returns the seconds between this sample and the previous sample; nil if
  /// less than `interval` has passed, so that the motion is not a sample.
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
