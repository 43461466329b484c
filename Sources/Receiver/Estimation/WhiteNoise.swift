/// An estimator for the standard deviation of the white noise in a receiver's positions.
///
/// The result is the smaller of two estimates, because each estimate can be too large for a different reason. The first
/// estimate uses the differences between the displacement of the positions and the displacement of the Doppler
/// velocities (variance 2 σ² along one axis). The second estimate uses the second differences of the positions (6 σ²),
/// which also contain the acceleration. Both estimates use the median length of the differences, because outliers do
/// not affect a median. The median of a Rayleigh distribution is 1.1774 σ.
struct WhiteNoise: Sendable {
  private static let least = 5
  /// The minimum time between two samples in seconds. Because of this minimum, the medians contain samples of at least
  /// half a minute, at every rate of epochs.
  private static let interval = 0.95

  private var dopplerDifferences = RunningMedian()
  private var secondDifferences = RunningMedian()
  /// The motion that was added last; nil before the first motion, and after a call of `interrupt`.
  private var before: Motion?
  private var sinceSample = 0.0

  /// The standard deviation of the white noise along one axis in metres; nil before the white noise is measured.
  var deviation: Double? {
    let doppler = dopplerDifferences.count >= Self.least ? dopplerDifferences.value : nil
    let second = secondDifferences.count >= Self.least ? secondDifferences.value : nil
    return (doppler ?? second).map { min($0, second ?? $0) / 1.1774 }
  }

  /// Discards the latest displacement. The next motion is then not compared with the motion before.
  mutating func interrupt() { before = nil }

  /// Adds the motion between two epochs. Returns the seconds since the previous sample; nil if the motion is no sample.
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
