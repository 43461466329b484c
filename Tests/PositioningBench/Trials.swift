import GNSS
import Glibc

/// What is done to tracks to see what the filter does about it.
enum Trials {
  /// Puts positions of so many epochs in a row elsewhere, every 30–50 epochs.
  /// - Returns: how far the fixes of those epochs are moved by it, as a share of the displacement.
  static func residuals(_ track: [Moment], metres: ClosedRange<Double>, epochs: Int, seed: UInt64) -> [Double] {
    var random = Random(seed: seed)
    var changed = track
    var moved: [(index: Int, size: Double)] = []
    var index = 60
    while index + epochs + 5 < track.count {
      let size = random.uniform(metres)
      let displacement = random.direction() * size
      for at in index..<index + epochs {
        guard let coordinate = track[at].epoch.coordinate else { continue }
        changed[at].epoch.coordinate = Coordinate(
          latitude: coordinate.latitude + displacement.north / Ground.metresNorth(at: coordinate.latitude),
          longitude: coordinate.longitude + displacement.east / Ground.metresEast(at: coordinate.latitude))
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
    /// Metres from the truth at the end of the dropout: of the coasted fix, and of the last one held.
    var coasted, held: Double
    /// Whether the truth was inside the coasted fix's radius.
    var isInside: Bool
  }

  /// Takes so many seconds of positions away, every 40 s, where the receiver was under way (5 m/s in the mean).
  static func coasting(_ track: [Moment], seconds: Int) -> [Coasted] {
    var changed = track
    var starts: [Int] = []
    var start = 60
    while start + seconds < track.count {
      for index in start..<start + seconds { blank(&changed[index]) }
      starts.append(start)
      start += seconds + 40
    }
    let all = fixes(of: changed)
    return starts.compactMap { start in
      let end = start + seconds - 1
      guard let last = track[start - 1].epoch.coordinate, let truth = track[end].truth, let fix = all[end],
        fix.isCoasted
      else { return nil }
      let (coasted, held) = (Ground.distance(fix.coordinate, truth), Ground.distance(last, truth))
      guard held > 5 * Double(seconds) else { return nil }
      return Coasted(coasted: coasted, held: held, isInside: coasted <= fix.horizontalAccuracy)
    }
  }

  private static func blank(_ moment: inout Moment) {
    moment.epoch.coordinate = nil
    moment.epoch.mode = nil
    moment.epoch.quality = .invalid
    moment.epoch.speed = nil
    moment.epoch.course = nil
  }
}
