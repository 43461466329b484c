/// A drive in clear surroundings, with correct Doppler velocities.
struct Drive: Sendable {
  let name: String
  /// Returns the scenario with its events delayed by the phase, in seconds, so that they fall between two epochs.
  let scenario: @Sendable (_ phase: Double) -> Scenario
  var repeatsPositions = false

  /// Straight drives with one change of speed, at m/s².
  static let straight =
    [(30.0, 0.0, [3.0, 4, 6, 8, 10]), (0, 40, [3, 5, 8, 10]), (10, 40, [4, 8])].flatMap { from, to, rates in
      rates.map { rate in
        Drive(name: "\(Int(from)) to \(Int(to)) m/s at \(Int(rate)) m/s²") { phase in
          let changing = abs(to - from) / rate
          return drive(
            from, [.steady(seconds: 40 + phase), .change(to: to, at: rate), .steady(seconds: 50 - phase - changing)])
        }
      }
    }

  static let manoeuvres = [
    Drive(name: "stop at a light", scenario: light),
    Drive(name: "U-turn") { phase in
      drive(
        10,
        [
          .steady(seconds: 40 + phase), .change(to: 4, at: 3), .steady(seconds: .pi * 6 / 4, radius: -6),
          .change(to: 10, at: 2.5), .steady(seconds: 20),
        ])
    },
    Drive(name: "roundabout") { phase in
      drive(
        14,
        [
          .steady(seconds: 40 + phase), .change(to: 7, at: 2.5), .steady(seconds: 1, radius: 15),
          .steady(seconds: 1.5 * .pi * 15 / 7, radius: -15), .steady(seconds: 1, radius: 15),
          .change(to: 14, at: 2.5), .steady(seconds: 20),
        ])
    },
    Drive(name: "lift-off of a ferry at 0.2 m/s²") { phase in
      drive(0, [.steady(seconds: 60 + phase), .change(to: 7, at: 0.2), .steady(seconds: 30)])
    },
    Drive(name: "tunnel of 30 s with a turn in it") { phase in
      drive(
        14,
        [
          .steady(seconds: 60 + phase), .steady(seconds: .pi / 2 * 50 / 14, radius: 50), .steady(seconds: 50),
        ], outages: [50 + phase...80 + phase])
    },
    Drive(name: "tunnel of 35 s with a stop in it") { phase in
      drive(
        20,
        [
          .steady(seconds: 60 + phase), .change(to: 0, at: 3), .steady(seconds: 10), .change(to: 15, at: 2),
          .steady(seconds: 30),
        ], outages: [50 + phase...85 + phase])
    },
    Drive(name: "outage of 8 s with a stop in it") { phase in
      drive(
        20, [.steady(seconds: 52 + phase), .change(to: 0, at: 5), .steady(seconds: 40)],
        outages: [50 + phase...58 + phase])
    },
  ]

  /// Drives with wrong positions among the correct ones.
  static let faults = [
    Drive(name: "positions repeated for 1-3 s", scenario: light, repeatsPositions: true),
    Drive(name: "outlier after a tunnel of 20 s") { phase in
      drive(14, [.steady(seconds: 100)], outages: [50 + phase...70 + phase], outliers: [70 + 4 * phase])
    },
    Drive(name: "outlier after an outage of 5 s") { phase in
      drive(14, [.steady(seconds: 100)], outages: [50 + phase...55 + phase], outliers: [55 + 4 * phase])
    },
    Drive(name: "outlier after the start") { phase in
      drive(14, [.steady(seconds: 60)], outliers: [1 + 4 * phase])
    },
  ]

  @Sendable private static func light(_ phase: Double) -> Scenario {
    drive(
      14,
      [
        .steady(seconds: 40 + phase), .change(to: 0, at: 3), .steady(seconds: 20), .change(to: 14, at: 2.5),
        .steady(seconds: 20),
      ])
  }

  private static func drive(
    _ speed: Double, _ segments: [Trajectory.Segment], outages: [ClosedRange<Double>] = [], outliers: [Double] = []
  ) -> Scenario {
    Scenario(Trajectory(speed: speed, heading: 0.7, segments), outages: outages, outliers: outliers)
  }

  /// The scores of receivers that claim three different accuracies.
  func scores(rate: Double, _ fault: SpeedFault = .none) -> [Score] {
    [0.3, 1, 3].flatMap { claimed in
      (1...5).map { (seed: UInt64) in
        var random = Random(seed: seed)
        let receiver = Receiver(
          rate: rate, lag: 0, converges: false, repeatsPositions: repeatsPositions, claimed: claimed)
        return Score(fault.applied(to: receiver.track(scenario(random.unit()), seed: seed)))
      }
    }
  }
}

/// The drives of cars in place of recorded ones: 10 min each at 1 Hz.
enum CarDrives {
  static let seeds: ClosedRange<UInt64> = 1...35

  private static let kinds:
    [(route: Route, surroundings: Surroundings, outages: (count: Int, seconds: ClosedRange<Double>))] = [
      (.city, .open, (0, 0...0)), (.city, .suburb, (0, 0...0)), (.city, .urban, (0, 0...0)),
      (.city, .urban, (3, 5...30)), (.traffic, .open, (0, 0...0)), (.traffic, .suburb, (0, 0...0)),
      (.traffic, .open, (3, 10...60)),
    ]

  /// The tracks of one seed. One receiver in four does not filter its positions. One in three holds its position at
  /// rest.
  static func tracks(seed: UInt64) -> [[TrackPoint]] {
    let receiver = Receiver(hasFiltered: seed % 4 != 0, holds: seed % 3 == 0)
    return kinds.enumerated().map { index, kind in
      let seed = 1000 * UInt64(index + 1) + seed
      let scenario = Scenario(kind.route, [kind.surroundings], duration: 600, outages: kind.outages, seed: seed)
      return receiver.track(scenario, seed: seed)
    }
  }
}
