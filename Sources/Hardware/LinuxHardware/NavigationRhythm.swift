import Clocks

/// Learns how often a receiver has something new, so that it is asked four times as often and no oftener.
struct NavigationRhythm: Sendable {
  /// As long as nothing is known: one epoch a second.
  private static let usual = Duration.seconds(1)
  /// 25 epochs a second are the most that these receivers do.
  private static let shortest = Duration.milliseconds(40)

  private(set) var period = NavigationRhythm.usual
  private var lastOnset: MonotonicInstant?
  private var gaps: [Duration] = []
  /// Polls in a row that found something.
  private var streak = 0

  /// How long to wait from one poll to the next: at most a quarter of a second, so that a receiver that expects to be
  /// read at least every 1.5 s never waits so long, failures included.
  var interval: Duration { period / 4 }

  /// A poll found something, or nothing.
  mutating func polled(foundData: Bool, at now: MonotonicInstant) {
    guard foundData else {
      streak = 0
      return
    }
    streak += 1
    if streak == 1 {
      if let lastOnset { note(now - lastOnset) }
      lastOnset = now
    } else if streak == 3 {
      // There is no pause between two epochs that could be seen.
      period = max(NavigationRhythm.shortest, period / 2)
      gaps = []
      lastOnset = nil
      streak = 0
    }
  }

  private mutating func note(_ gap: Duration) {
    gaps.append(gap)
    if gaps.count > 4 { gaps.removeFirst() }
    guard gaps.count == 4, let least = gaps.min() else { return }
    period = min(NavigationRhythm.usual, max(NavigationRhythm.shortest, least))
  }
}
