import Estimation
import GNSS
import Glibc

/// The error figures of one track, metres.
struct Figures {
  let rmse, median, p95, most: Double

  init(_ errors: [Double]) {
    rmse = sqrt(errors.map { $0 * $0 }.reduce(0, +) / Double(max(1, errors.count)))
    (median, p95, most) = (errors.quantile(0.5), errors.quantile(0.95), errors.max() ?? 0)
  }
}

/// What the filter made of a track, against what the receiver said at the same epochs.
struct Score {
  private(set) var raw: [Double] = []
  private(set) var smoothed: [Double] = []
  private(set) var inside68 = 0
  private(set) var inside95 = 0
  /// Metres from fix to fix, after the first minute.
  private(set) var rawPath = 0.0
  private(set) var smoothedPath = 0.0

  /// hacc is 1.51 σ; the circle of 95 % is 2.448 σ, and 1.4 times as large since the tails are heavy.
  private static let wide = 1.4 * 2.448 / 1.51
  private static let settled = 60

  init(_ track: [Moment]) {
    var last: (raw: Coordinate, smoothed: Coordinate)?
    for (index, (moment, fix)) in zip(track, fixes(of: track)).enumerated() {
      guard let measured = moment.epoch.coordinate, let fix else { continue }
      if let truth = moment.truth {
        let error = Ground.distance(fix.coordinate, truth)
        raw.append(Ground.distance(measured, truth))
        smoothed.append(error)
        if error <= fix.horizontalAccuracy { inside68 += 1 }
        if error <= fix.horizontalAccuracy * Self.wide { inside95 += 1 }
      }
      if let last, index > Self.settled {
        rawPath += Ground.distance(measured, last.raw)
        smoothedPath += Ground.distance(fix.coordinate, last.smoothed)
      }
      last = (measured, fix.coordinate)
    }
  }

  var ratio: Double { Figures(smoothed).rmse / Figures(raw).rmse }
}

/// The filter's fix of each epoch.
func fixes(of track: [Moment]) -> [Fix?] {
  var filter = PositionFilter()
  return track.map { filter.update($0.epoch) }
}

extension [Double] {
  var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

  func quantile(_ share: Double) -> Double {
    isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
  }
}
