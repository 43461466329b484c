/// A movement with the reception along it.
struct Scenario {
  /// The duration of one track, in seconds.
  let duration: Double
  let trajectory: Trajectory
  /// The surroundings, in order and with equal shares of the time.
  let surroundings: [Surroundings]
  /// Seconds during which the receiver has no position.
  var outages: [ClosedRange<Double>] = []
  /// Seconds at which a single position is 100 m off.
  var outliers: [Double] = []

  func surroundings(at seconds: Double) -> Surroundings {
    surroundings[min(surroundings.count - 1, Int(seconds / duration * Double(surroundings.count)))]
  }

  /// A random trajectory with random outages.
  /// - Parameter outages: The number of outages in a track, and the length of each in seconds.
  init(
    _ route: Route, _ surroundings: [Surroundings], duration: Double,
    outages: (count: Int, seconds: ClosedRange<Double>) = (0, 0...0), seed: UInt64
  ) {
    var random = Random(seed: seed)
    (self.duration, self.surroundings) = (duration, surroundings)
    trajectory = route.trajectory(&random, seconds: duration)
    self.outages = (0..<outages.count).map { index in
      let start = 100 + Double(index) * (duration - 200) / Double(outages.count) + random.uniform(0...50)
      return start...(start + random.uniform(outages.seconds))
    }
  }

  /// A given trajectory in clear surroundings.
  init(_ trajectory: Trajectory, outages: [ClosedRange<Double>] = [], outliers: [Double] = []) {
    (duration, self.trajectory, surroundings) = (trajectory.duration, trajectory, [.clear])
    (self.outages, self.outliers) = (outages, outliers)
  }
}

/// The environments for which accuracy is measured.
enum Environment: String, CaseIterable {
  case `static`, walk, city, canyon, highway, tunnel

  /// Whether the reference promises an accuracy in this environment.
  var isOpen: Bool { [.static, .walk, .highway].contains(self) }

  func scenario(seed: UInt64) -> Scenario {
    switch self {
    case .static: Scenario(.parked, [.suburb], duration: 900, seed: seed)
    case .walk: Scenario(.walk, [.suburb, .urban, .open], duration: 900, seed: seed)
    case .city: Scenario(.city, [.urban], duration: 900, seed: seed)
    case .canyon: Scenario(.city, [.canyon], duration: 900, outages: (4, 4...20), seed: seed)
    case .highway: Scenario(.highway, [.open], duration: 900, outages: (3, 3...6), seed: seed)
    case .tunnel: Scenario(.highway, [.open], duration: 900, outages: (4, 10...60), seed: seed)
    }
  }
}

/// The errors of receivers in some surroundings: per axis in metres, fitted to 311 recorded phone tracks with inertial
/// truth.
struct Surroundings {
  /// Standard deviations of the error that lasts for ten minutes (atmosphere, orbits), of the error that lasts for
  /// `memory` seconds (reflections), and of white noise.
  var slow, fast, memory, white: Double
  /// Standard deviation of the Doppler velocity, m/s.
  var velocity: Double
  /// The number of single outliers per second.
  var outliers: Double
  /// Reflections that grow and disappear: their number per minute, their size in metres and their length in seconds.
  var humps: Double
  var humpSize, humpTime: ClosedRange<Double>
  var hdop: Double
  var satellites: Int

  /// White noise alone.
  static let clear = Surroundings(
    slow: 0, fast: 0, memory: 1, white: 0.3, velocity: 0.03, outliers: 0, humps: 0, humpSize: 0...0, humpTime: 0...0,
    hdop: 0.8, satellites: 14)
  static let open = Surroundings(
    slow: 1.2, fast: 0.9, memory: 25, white: 0.15, velocity: 0.05, outliers: 0.002, humps: 0, humpSize: 8...15,
    humpTime: 5...15, hdop: 0.8, satellites: 14)
  static let suburb = Surroundings(
    slow: 1.4, fast: 1.5, memory: 15, white: 0.3, velocity: 0.1, outliers: 0.004, humps: 0.3, humpSize: 6...20,
    humpTime: 4...15, hdop: 1, satellites: 11)
  static let urban = Surroundings(
    slow: 1.6, fast: 2.5, memory: 12, white: 0.6, velocity: 0.2, outliers: 0.006, humps: 1, humpSize: 10...40,
    humpTime: 4...20, hdop: 1.4, satellites: 9)
  static let canyon = Surroundings(
    slow: 2, fast: 5, memory: 10, white: 1.2, velocity: 0.45, outliers: 0.01, humps: 2, humpSize: 20...80,
    humpTime: 5...30, hdop: 2.2, satellites: 7)
}
