import GNSS
import Glibc

/// A comparison of adversaries against the approximate places of this gateway and of others. Every adversary knows the
/// mechanism and all its public parameters, but not the secret.
@main
struct PrivacyBench {
  static let week = 7 * 86_400.0
  static let mechanisms: [(name: String, restarts: Double?, make: @Sendable (UInt64) throws -> any Mechanism)] = [
    ("onefix, daily restart", 86_400, { try OneFix(seed: $0) }),
    ("onefix, weekly restart", week, { try OneFix(seed: $0) }),
    ("fixed grid", nil, { _ in FixedGrid() }),
    ("android, weekly restart", week, { Android(seed: $0) }),
    ("android, daily restart", 86_400, { Android(seed: $0) }),
    ("geoclue", nil, { GeoClue(seed: $0) }),
    ("planar laplace", nil, { PlanarLaplace(seed: $0) }),
  ]

  /// Prints one JSON object per line: one for each mechanism and one for the cost of an answer.
  static func main() throws {
    let users = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 30
    for (name, restarts, make) in mechanisms {
      let stationary = try Stationary(users: users, reports: [1, 100, 10_000], restarts: restarts, make)
      let crossing = try Crossing(walks: 8 * users, make)
      let home = try Home(users: users, days: 90, restarts: restarts, make)
      print(
        #"{"name":"\#(name)","one":\#(metres(stationary.errors[1]!)),"hundred":\#(metres(stationary.errors[100]!)),"#
          + #""ten_thousand":\#(metres(stationary.errors[10_000]!)),"crossing":\#(metres(crossing.error)),"#
          + #""home":\#(metres(home.nightError)),"home_learned":\#(metres(home.learnedError)),"#
          + #""distance":\#(metres(stationary.distances.mean)),"#
          + #""distance_95":\#(metres(stationary.distances.quantile(0.95)))}"#)
    }
    try print(#"{"microseconds":\#(Double(Int(microsecondsPerAnswer() * 10)) / 10)}"#)
  }

  private static func metres(_ value: Double) -> Int { Int(value.rounded()) }

  /// Returns the processor time of an answer for a new slot and a new place.
  private static func microsecondsPerAnswer() throws -> Double {
    var random = Random(seed: 4)
    var mechanism = try OneFix(seed: 4)
    let places = (0..<20_000).map { _ in Town.coordinate(at: random.place()) }
    var sum = 0.0
    let start = clock()
    for (index, place) in places.enumerated() {
      sum += mechanism.report(place, at: Double(index) * 900).latitude
    }
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    precondition(sum.isFinite)
    return seconds / Double(places.count) * 1e6
  }
}
