import Cloaking
import GNSS
import Glibc

/// A comparison of adversaries against the approximate positions of this gateway and of others. Every adversary knows
/// the mechanism and all its public parameters, but not the secret.
@main
struct PrivacyBench {
  static let week = 7 * 86_400.0
  static let mechanisms: [(name: String, restarts: Double?, make: @Sendable (UInt64) throws -> any Mechanism)] = [
    ("onefix, daily restart", 86_400, { try OneFix(seed: $0) }),
    ("onefix, weekly restart", week, { try OneFix(seed: $0) }),
    ("onefix, older device", week, { try OneFix(seed: $0, .independent) }),
    ("onefix, offset of 1100 m", week, { try OneFix(seed: $0, .earlyShared) }),
    ("raw position", nil, { _ in RawPosition() }),
    ("fixed grid", nil, { _ in FixedGrid() }),
    ("android, weekly restart", week, { Android(seed: $0) }),
    ("android, daily restart", 86_400, { Android(seed: $0) }),
    ("android, density cells", week, { AndroidDensity(seed: $0) }),
    ("geoclue", nil, { GeoClue(seed: $0) }),
    ("planar laplace", nil, { PlanarLaplace(seed: $0) }),
  ]

  /// Prints one JSON object per line: one for each mechanism and one for the cost of an answer.
  static func main() throws {
    let users = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 30
    for (name, restarts, make) in mechanisms {
      let stationary = try Stationary(users: users, reports: [1, 100, 10_000], restarts: restarts, make)
      let answers = try Stationary(users: 10 * users, reports: [1], restarts: nil, make)
      let home = try Home(users: users, days: 90, restarts: restarts, make)
      let walk = try Passage(users: users, hours: 3, speed: 1.4, make)
      let boats = try [6, 12, 24].map { try Passage(users: users, hours: $0, speed: 2.6, make) }
      let figures: [(String, Double)] = [
        ("one", answers.errors[1]!), ("hundred", stationary.errors[100]!),
        ("ten_thousand", stationary.errors[10_000]!),
        ("crossing", try Crossing(walks: 8 * users, make).error),
        ("home", home.nightError), ("home_learned", home.learnedError),
        ("commute", try LearnedHome.commute(users: users, restarts: restarts, make).error),
        ("errands", try LearnedHome.errands(users: users, restarts: restarts, make).error),
        ("reset", try LearnedHome.reset(users: users, make).error),
        ("calibrated", try LearnedHome.calibrated(users: 4 * users, make).error),
        ("walk_3h", walk.middle), ("walk_3h_end", walk.end),
        ("boat_6h", boats[0].middle), ("boat_6h_end", boats[0].end),
        ("boat_12h", boats[1].middle), ("boat_12h_end", boats[1].end),
        ("boat_24h", boats[2].middle), ("boat_24h_end", boats[2].end),
        ("wandering_12h", try Passage(users: users, hours: 12, speed: 2.6, turn: 0.3, make).middle),
        ("two_devices_12h", try Passage(users: users, hours: 12, speed: 2.6, devices: 2, make).middle),
        ("villages", try Villages(users: users, reports: 1, restarts: restarts, make).error),
        ("villages_30_days", try Villages(users: users, reports: 720, restarts: restarts, make).error),
        ("known_road", try KnownRoad(users: users, hours: 2, speed: 15, make).error),
        ("tracked", try Tracked(users: max(users / 6, 5), make).error),
        ("distance", answers.distances.mean), ("distance_95", answers.distances.quantile(0.95)),
      ]
      print(#"{"name":"\#(name)",\#(figures.map { #""\#($0)":\#(metres($1))"# }.joined(separator: ","))}"#)
    }
    try print(#"{"microseconds":\#(Double(Int(microsecondsPerAnswer() * 10)) / 10)}"#)
  }

  private static func metres(_ value: Double) -> Int { Int(value.rounded()) }

  /// Returns the processor time of an answer for a new slot and a new position.
  private static func microsecondsPerAnswer() throws -> Double {
    var random = Random(seed: 4)
    var mechanism = try OneFix(seed: 4)
    let positions = (0..<20_000).map { _ in Town.coordinate(at: random.position()) }
    var sum = 0.0
    let start = clock()
    for (index, position) in positions.enumerated() {
      sum += mechanism.report(position, at: Double(index) * 900).latitude
    }
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    precondition(sum.isFinite)
    return seconds / Double(positions.count) * 1e6
  }
}
