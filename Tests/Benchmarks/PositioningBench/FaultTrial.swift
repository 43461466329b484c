import Estimation
import GNSS

/// The fixes of one track whose positions have a fault, beside the receiver's own fixes.
struct FaultTrial {
  struct Sample {
    /// The number of the epoch.
    let index: Int
    /// The errors in metres of the receiver and of the fix, and the radii in metres that both claim.
    let raw, error, rawAccuracy, accuracy: Double
    /// The time in seconds for which the vehicle has stood.
    let stood: Double

    var isInside: Bool { error <= accuracy }
  }

  /// The tracks of one seed: 600 s at 1 Hz, of a parked car, a town, and a road, in open and narrow surroundings.
  static func trials(_ fault: PositionFault, _ speed: SpeedFault, seed: UInt64) -> [FaultTrial] {
    let kinds: [(Route, Surroundings)] =
      fault == .indoors
      ? [(.parked, .clear)]
      : [(.parked, .suburb), (.city, .open), (.city, .urban), (.road, .suburb), (.highway, .open)]
    return kinds.enumerated().map { index, kind in
      let seed = 10_000 * UInt64(index + 1) + seed
      let scenario = Scenario(kind.0, [kind.1], duration: 600, seed: seed)
      // A position that is held from the first epoch on would keep the error of a receiver that has not converged.
      let receiver = Receiver(hasFiltered: seed % 4 != 0, converges: fault != .cold && fault != .hold)
      let track = fault.applied(to: receiver.track(scenario, seed: seed), seed: seed)
      return FaultTrial(speed.applied(to: track), scenario)
    }
  }

  let samples: [Sample]
  /// The ratio of the root mean square errors of fix and receiver.
  let ratio: Double

  private init(_ track: [TrackPoint], _ scenario: Scenario) {
    var stood = 0.0
    samples = zip(track, fixes(of: track)).enumerated().compactMap { index, pair in
      stood = scenario.trajectory.state(at: Double(index)).speed < 0.01 ? stood + 1 : 0
      guard let fix = pair.1, !fix.isCoasted, let own = Fix(measured: pair.0.epoch), let truth = pair.0.truth
      else { return nil }
      return Sample(
        index: index, raw: Ground.distance(own.coordinate, truth), error: Ground.distance(fix.coordinate, truth),
        rawAccuracy: own.horizontalAccuracy, accuracy: fix.horizontalAccuracy, stood: stood)
    }
    ratio = samples.map(\.error).rootMeanSquare / samples.map(\.raw).rootMeanSquare
  }

  /// For each recovery: the largest difference in metres between the errors of fix and receiver from 8 s to 60 s after it.
  var recoveries: [Double] {
    samples.filter { $0.index >= 100 && ($0.index - 100) % PositionFault.interval == PositionFault.length }.map {
      start in
      samples.filter { (start.index + 8...start.index + 60).contains($0.index) }.map { $0.error - $0.raw }.max() ?? 0
    }
  }

  /// The share of the epochs whose radius is more than five times as large as the receiver's own radius, the radius of
  /// 68 % of the errors of this track, and the error of the fix itself, although the receiver is right.
  var tooLarge: Double {
    let usual = samples.map(\.error).quantile(0.68)
    let right = samples.filter { $0.raw <= 5 * max(usual, $0.rawAccuracy) }
    let large = right.count { $0.accuracy > 5 * max(usual, $0.rawAccuracy, $0.error) }
    return Double(large) / Double(max(1, right.count))
  }
}

extension Sequence<FaultTrial.Sample> {
  /// The share of the samples with the true position inside the radius.
  var inside: Double {
    let all = Array(self)
    return Double(all.count { $0.isInside }) / Double(Swift.max(1, all.count))
  }
}
