import Base

/// An estimator of the period between two positions of a receiver on an I2C bus. The gateway polls (reads) the receiver
/// four times in each period.
struct EpochPeriodEstimator: Sendable {
  private static let initial = Duration.seconds(1)
  /// The minimum of the estimated period between two positions: 40 ms, for 25 positions per second.
  private static let shortest = Duration.milliseconds(40)

  private(set) var period = EpochPeriodEstimator.initial
  private var lastOnset: MonotonicInstant?
  private var gaps: [Duration] = []
  /// The count of consecutive polls (reads) that found data.
  private var streak = 0

  /// The time between two polls (reads) of the receiver, at most 250 ms. Some receivers stop sending if their data is
  /// not read for 1.5 s. The limit leaves time to repeat failed reads.
  var interval: Duration { period / 4 }

  mutating func record(foundData: Bool, at now: MonotonicInstant) {
    guard foundData else {
      streak = 0
      return
    }
    streak += 1
    if streak == 1 {
      if let lastOnset { record(now - lastOnset) }
      lastOnset = now
    } else if streak == 3 {
      // Three consecutive polls found data, so the polls are too slow to find the pauses between the epochs. The
      // estimated period is too long.
      period = max(EpochPeriodEstimator.shortest, period / 2)
      gaps = []
      lastOnset = nil
      streak = 0
    }
  }

  private mutating func record(_ gap: Duration) {
    gaps.append(gap)
    if gaps.count > 4 { gaps.removeFirst() }
    guard gaps.count == 4, let least = gaps.min() else { return }
    period = min(EpochPeriodEstimator.initial, max(EpochPeriodEstimator.shortest, least))
  }
}
