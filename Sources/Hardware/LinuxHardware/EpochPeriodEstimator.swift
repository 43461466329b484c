import Clocks

/// An estimator of the period between a receiver's epochs. The gateway polls the receiver four times in each period.
struct EpochPeriodEstimator: Sendable {
  /// The initial estimate: one epoch per second.
  private static let initial = Duration.seconds(1)
  /// The shortest period of receivers on an I2C bus: 25 epochs per second.
  private static let shortest = Duration.milliseconds(40)

  private(set) var period = EpochPeriodEstimator.initial
  private var lastOnset: MonotonicInstant?
  private var gaps: [Duration] = []
  /// The number of consecutive polls that found data.
  private var streak = 0

  /// The time between two polls, at most a quarter of a second. Some receivers stop their stream if they are not read
  /// for 1.5 s. The limit leaves time to repeat failed reads.
  var interval: Duration { period / 4 }

  /// Records whether a poll found data.
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
      // The estimator measures the time from the first data after a pause to the first data after the next pause. But
      // three consecutive polls found data. So the polls are too slow to find the pauses between the epochs. The
      // estimated period is too long, and the code halves it.
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
