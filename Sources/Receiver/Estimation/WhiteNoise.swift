/// The standard deviation of the white part of a receiver's noise.
///
/// Two estimates are made, each wrong in its own way, and the smaller one counts: the differences between the displacement
/// of the positions and that of the Doppler velocities (variance 2 σ² along one axis), and the second differences of the
/// positions (6 σ²), which also contain the acceleration. The median of the lengths is robust against outliers; for a
/// Rayleigh distribution it is 1.1774 σ.
struct WhiteNoise: Sendable {
  private static let least = 5
  /// Samples are at least so many seconds apart, so that the medians are over half a minute at every rate.
  private static let interval = 0.95

  private var dopplerDifferences = RunningMedian()
  private var secondDifferences = RunningMedian()
  /// The motion before.
  private var before: Motion?
  private var sinceSample = 0.0

  /// Standard deviation along one axis, metres; nil until it is known.
  var deviation: Double? {
    let doppler = dopplerDifferences.count >= Self.least ? dopplerDifferences.value : nil
    let second = secondDifferences.count >= Self.least ? secondDifferences.value : nil
    return (doppler ?? second).map { min($0, second ?? $0) / 1.1774 }
  }

  /// Forgets the latest displacement, which the next one does not continue.
  mutating func interrupt() { before = nil }

  /// Adds the motion between two epochs.
  mutating func add(_ motion: Motion, usesDoppler: Bool, _ parameters: FilterParameters) {
    let (displacement, seconds) = (motion.displacement, motion.seconds)
    defer { before = motion }
    if !usesDoppler { dopplerDifferences = RunningMedian() }
    sinceSample += seconds
    guard sinceSample >= Self.interval, seconds <= parameters.longestDifference else { return }
    sinceSample = 0
    if usesDoppler, let doppler = motion.way {
      dopplerDifferences.add((displacement - doppler).length / 2.0.squareRoot())
    }
    guard let before else { return }
    let ratio = seconds / before.seconds
    // Intervals that differ much contain more of the motion than of the noise.
    guard (0.5...2).contains(ratio) else { return }
    secondDifferences.add((displacement - before.displacement * ratio).length / 6.0.squareRoot())
  }
}
