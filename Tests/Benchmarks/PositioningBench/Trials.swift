import Base
import GNSS
import Glibc

/// Tracks with inserted faults, and the effect of the faults on the fixes.
enum Trials {
  /// Displaces the positions of some successive epochs, every 30 to 50 epochs.
  /// - Returns: The displacement of the fixes of those epochs, as a share of the displacement of the positions.
  static func residuals(_ track: [TrackPoint], metres: ClosedRange<Double>, epochs: Int, seed: UInt64) -> [Double] {
    var random = Random(seed: seed)
    var changed = track
    var moved: [(index: Int, size: Double)] = []
    var index = 60
    while index + epochs + 5 < track.count {
      let size = random.uniform(metres)
      let displacement = random.direction() * size
      for at in index..<index + epochs {
        guard let coordinate = track[at].epoch.coordinate else { continue }
        changed[at].epoch.coordinate = Ground.moved(coordinate, by: displacement)
        moved.append((at, size))
      }
      index += Int(random.uniform(30...50))
    }
    let (before, after) = (fixes(of: track), fixes(of: changed))
    return moved.compactMap { index, size in
      guard let first = before[index], let second = after[index] else { return nil }
      return Ground.distance(first.coordinate, second.coordinate) / size
    }
  }

  struct Coasted {
    /// The errors at the end of the dropout, metres: of the coasted fix, and of the last measured position.
    var coasted, held: Double
    /// Whether the true position is inside the radius of the coasted fix.
    var isInside: Bool
  }

  /// Removes some seconds of positions every 40 s, and scores the dropouts during which the receiver moves at an
  /// average of at least 5 m/s.
  /// - Parameters:
  ///   - first: The epoch at which the first dropout begins.
  ///   - rate: The number of epochs per second.
  static func coasting(_ track: [TrackPoint], seconds: Int, from first: Int = 60, rate: Int = 1) -> [Coasted] {
    var changed = track
    var starts: [Int] = []
    var start = first
    while start + seconds * rate < track.count {
      for index in start..<start + seconds * rate { blank(&changed[index]) }
      starts.append(start)
      start += (seconds + 40) * rate
    }
    let all = fixes(of: changed)
    return starts.compactMap { start in
      let end = start + seconds * rate - 1
      guard let last = track[start - 1].epoch.coordinate, let truth = track[end].truth, let fix = all[end],
        fix.isCoasted
      else { return nil }
      let (coasted, held) = (Ground.distance(fix.coordinate, truth), Ground.distance(last, truth))
      guard held > 5 * Double(seconds) else { return nil }
      return Coasted(coasted: coasted, held: held, isInside: coasted <= fix.horizontalAccuracy)
    }
  }

  /// Scores dropouts that begin at each second from the 60th on, because a recorded drive has only one track.
  static func everyCoasting(_ track: [TrackPoint], seconds: Int) -> [Coasted] {
    let times = track.compactMap { $0.epoch.timeOfDay?.nanosecondsSinceMidnight }
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    guard !steps.isEmpty else { return [] }
    let rate = max(1, Int((1e9 / Double(steps[steps.count / 2])).rounded()))
    return (0..<seconds + 40).flatMap { coasting(track, seconds: seconds, from: (60 + $0) * rate, rate: rate) }
  }

  private static func blank(_ point: inout TrackPoint) {
    point.epoch.coordinate = nil
    point.epoch.mode = nil
    point.epoch.quality = .invalid
    point.epoch.speed = nil
    point.epoch.course = nil
  }
}
