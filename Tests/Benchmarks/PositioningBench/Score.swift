import Base
import Estimation
import GNSS
import Glibc

/// The error figures of one track, metres.
struct Figures {
  let rmse, median, p95, most: Double

  init(_ errors: [Double]) {
    rmse = errors.rootMeanSquare
    (median, p95, most) = (errors.quantile(0.5), errors.quantile(0.95), errors.max() ?? 0)
  }
}

/// The errors of the filter's fixes of a track, and those of the receiver's own fixes of the same epochs.
struct Score {
  private(set) var raw = FixErrors()
  private(set) var smoothed = FixErrors()
  /// The ratio of the root mean squares, of epochs with a position.
  let ratio: Double

  /// The longest time of the filter's measured fixes outside five times `hacc`, while the receiver's own error is at most
  /// 2.4 times its own `hacc`, seconds.
  private(set) var addedOutside = 0.0

  private static let settled = 60

  init(_ track: [TrackPoint]) {
    var previous: TimeOfDay?
    var outside = 0.0
    for (index, (point, fix)) in zip(track, fixes(of: track)).enumerated() {
      let time = point.epoch.timeOfDay
      let step =
        if let time, let previous {
          Double(time.nanosecondsSinceMidnight - previous.nanosecondsSinceMidnight) / 1e9
        } else { 0.0 }
      previous = time
      let isSettled = index > Self.settled
      let own = Fix(measured: point.epoch)
      raw.add(own, truth: point.truth, after: step, isSettled: isSettled)
      smoothed.add(fix, truth: point.truth, after: step, isSettled: isSettled)
      let isAdded =
        fix.map { !$0.isCoasted && $0.isOutside(5, point.truth) } ?? false
        && own.map { !$0.isOutside(2.4, point.truth) } ?? false
      outside = isAdded ? outside + step : 0
      addedOutside = max(addedOutside, outside)
    }
    ratio = smoothed.errors.rootMeanSquare / raw.errors.rootMeanSquare
  }
}

/// The errors of the fixes of one track.
struct FixErrors {
  /// The errors of measured fixes, metres.
  private(set) var errors: [Double] = []
  private(set) var inside68 = 0
  private(set) var inside95 = 0
  /// The longest times with errors of more than five times `hacc`, of measured and of coasted fixes, seconds.
  private(set) var longestOutside = 0.0
  private(set) var longestCoastedOutside = 0.0
  private var outside = 0.0
  private var coastedOutside = 0.0
  /// The length of the path between the fixes after the first minute, in metres.
  private(set) var path = 0.0
  private var last: Coordinate?

  /// hacc is 1.51 σ. The circle of 95 % is 2.448 σ, times 1.4 for the heavy tails.
  private static let wide = 1.4 * 2.448 / 1.51

  /// - Parameter step: The seconds since the previous epoch.
  mutating func add(_ fix: Fix?, truth: Coordinate?, after step: Double, isSettled: Bool) {
    guard let fix else { return (outside, coastedOutside) = (0, 0) }
    if let truth {
      let error = Ground.distance(fix.coordinate, truth)
      let isOutside = fix.isOutside(5, truth)
      outside = isOutside && !fix.isCoasted ? outside + step : 0
      coastedOutside = isOutside && fix.isCoasted ? coastedOutside + step : 0
      longestOutside = max(longestOutside, outside)
      longestCoastedOutside = max(longestCoastedOutside, coastedOutside)
      if !fix.isCoasted {
        errors.append(error)
        if error <= fix.horizontalAccuracy { inside68 += 1 }
        if error <= fix.horizontalAccuracy * Self.wide { inside95 += 1 }
      }
    }
    guard !fix.isCoasted else { return }
    if let last, isSettled { path += Ground.distance(fix.coordinate, last) }
    last = fix.coordinate
  }
}

extension Fix {
  /// Whether the error exceeds a multiple of `hacc`.
  fileprivate func isOutside(_ times: Double, _ truth: Coordinate?) -> Bool {
    truth.map { Ground.distance(coordinate, $0) > times * horizontalAccuracy } ?? false
  }
}

/// The filter's fix of each epoch.
func fixes(of track: [TrackPoint]) -> [Fix?] {
  var filter = PositionFilter()
  return track.map { filter.update($0.epoch) }
}

extension [Double] {
  var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

  var rootMeanSquare: Double { sqrt(map { $0 * $0 }.mean) }

  func quantile(_ share: Double) -> Double {
    isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(share * Double(count)))]
  }
}
