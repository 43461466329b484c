import Glibc

/// A synthetic landscape of 40 km by 40 km with villages, roads between them, and lakes.
///
/// The distance between villages is 7 to 9 km: the smallest central places of southern Germany are about 7 km apart. (W.
/// Christaller, "Die zentralen Orte in Süddeutschland", 1933) A tenth of the land is water, as in Finland. (Statistics
/// Finland, land area by region)
///
/// The other parameters are chosen: the scatter of the villages, roads to the three nearest villages, the radii of
/// villages and lakes, the width of a road, and the weights of the adversary's prior.
struct Landscape {
  static let side = 40_000.0
  static let cellSize = 500.0
  static let cells = Int(side / cellSize)

  private(set) var villages: [Point] = []
  private(set) var roads: [(from: Int, to: Int)] = []
  private var lakes: [(centre: Point, radius: Double)] = []

  init(_ random: inout Random) {
    let spacing = 8000.0
    for row in -2...2 {
      for column in -2...2 {
        villages.append(Point(x: Double(column) * spacing, y: Double(row) * spacing) + random.normal() * 1000)
      }
    }
    for from in villages.indices {
      let nearest = villages.indices.filter { $0 != from }
        .sorted { (villages[$0] - villages[from]).length < (villages[$1] - villages[from]).length }
      roads += nearest.prefix(3).map { (from, $0) }
    }
    while lakes.reduce(0, { $0 + .pi * $1.radius * $1.radius }) < 0.1 * Self.side * Self.side {
      lakes.append((random.position(), Double.random(in: 500...2000, using: &random)))
    }
  }

  /// The weight of a position in the adversary's prior: the share of its time that a user spends there.
  func weight(_ position: Point) -> Double {
    if villages.contains(where: { ($0 - position).length < 700 }) { return 1 }
    if roads.contains(where: { Landscape.distance(position, villages[$0.from], villages[$0.to]) < 300 }) { return 0.3 }
    return lakes.contains { ($0.centre - position).length < $0.radius } ? 0 : 0.02
  }

  private static func distance(_ position: Point, _ from: Point, _ to: Point) -> Double {
    let (way, offset) = (to - from, position - from)
    let share = (offset.x * way.x + offset.y * way.y) / (way.x * way.x + way.y * way.y)
    return (offset - way * min(1, max(0, share))).length
  }

  /// Returns the positions of a walk along the roads at 1.4 m/s, one per quarter hour. (R. W. Bohannon, "Comfortable
  /// and maximum walking speed", 1997)
  func walk(slots: Int, _ random: inout Random) -> [Point] {
    var positions: [Point] = []
    var village = Int.random(in: villages.indices, using: &random)
    var position = villages[village]
    var target = village
    while positions.count < slots {
      var left = 1.4 * 900
      while (villages[target] - position).length <= left {
        left -= (villages[target] - position).length
        position = villages[target]
        village = target
        target = roads.filter { $0.from == village }.randomElement(using: &random)!.to
      }
      let way = villages[target] - position
      position = position + way * (left / way.length)
      positions.append(position)
    }
    return positions
  }

  static func centre(_ cell: Int) -> Point {
    Point(
      x: (Double(cell % cells) + 0.5) * cellSize - side / 2, y: (Double(cell / cells) + 0.5) * cellSize - side / 2)
  }
}

/// A walk of six hours on the roads of a landscape that the adversary knows. The adversary is Bayesian: a hidden Markov
/// model of the position, with the landscape as prior, and an unknown offset that all reports share.
struct Tracked {
  /// The mean distance from the mean of the adversary's distribution to the true position.
  let error: Double

  private static let slots = 24
  /// The model's reach of a walk within a quarter hour, in cells.
  private static let reach = 3

  init(users: Int, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 11)
    let walks = try (0..<2 * users).map { user in
      let landscape = Landscape(&random)
      let path = landscape.walk(slots: Self.slots, &random)
      var asked = Asked(try make(800_000 + UInt64(user)), restarts: nil)
      return (landscape, path, path.enumerated().map { asked.report($1, at: Double($0) * 900, &random) })
    }
    // The adversary has learned the variances of the shared offset and of the rest from half of the walks.
    var (shared, rest) = (0.0, 0.0)
    for (_, path, reports) in walks.prefix(users) {
      let offsets = zip(reports, path).map { $0 - $1 }
      let mean = offsets[...].mean
      shared += mean.length * mean.length / Double(2 * users)
      rest += offsets.map { ($0 - mean).length * ($0 - mean).length }.mean / Double(2 * users)
    }
    error =
      walks.dropFirst(users).map { landscape, path, reports in
        let guesses = Tracked.posterior(landscape, reports, shared: max(shared, 1), rest: max(rest, 40_000))
        return zip(guesses, path).map { ($0 - $1).length }.mean
      }.mean
  }

  /// Returns the mean of the distribution for each slot, by the forward-backward algorithm. (L. E. Baum et al., 1970)
  /// - Parameters: `shared` and `rest` are variances per axis, in square metres.
  private static func posterior(_ landscape: Landscape, _ reports: [Point], shared: Double, rest: Double) -> [Point] {
    let count = Landscape.cells * Landscape.cells
    let centres = (0..<count).map(Landscape.centre)
    let prior = centres.map(landscape.weight)
    var (sums, total) = ([Point](repeating: Point(x: 0, y: 0), count: reports.count), 0.0)
    var best = -Double.infinity
    for east in -2...2 {
      for north in -2...2 {
        let offset = Point(x: Double(east), y: Double(north)) * shared.squareRoot()
        let weight = -Double(east * east + north * north) / 2
        let emissions = reports.map { report in
          centres.map { exp(-pow((report - offset - $0).length, 2) / (2 * rest)) + 1e-30 }
        }
        var forward: [[Double]] = []
        var logarithm = weight
        var present = prior
        for (slot, emission) in emissions.enumerated() {
          if slot > 0 { present = zip(spread(present), prior).map(*) }
          present = zip(present, emission).map(*)
          let sum = present.reduce(0, +)
          logarithm += log(sum)
          present = present.map { $0 / sum }
          forward.append(present)
        }
        // Likelihoods differ by many powers of ten, so they are scaled to the greatest one.
        if logarithm > best {
          let scale = exp(best - logarithm)
          sums = sums.map { $0 * scale }
          total *= scale
          best = logarithm
        }
        let share = exp(logarithm - best)
        var backward = [Double](repeating: 1, count: count)
        for slot in reports.indices.reversed() {
          let product = zip(forward[slot], backward).map(*)
          let sum = product.reduce(0, +)
          var mean = Point(x: 0, y: 0)
          for (cell, value) in product.enumerated() where value > 0 { mean = mean + centres[cell] * (value / sum) }
          sums[slot] = sums[slot] + mean * share
          guard slot > 0 else { break }
          let weighted = zip(zip(backward, emissions[slot]).map(*), prior).map(*)
          backward = spread(weighted)
          let most = backward.max()!
          backward = backward.map { $0 / most }
        }
        total += share
      }
    }
    return sums.map { $0 * (1 / total) }
  }

  /// Spreads a distribution evenly over all positions that a walker reaches within a slot.
  private static func spread(_ values: [Double]) -> [Double] {
    let cells = Landscape.cells
    var result = [Double](repeating: 0, count: values.count)
    for row in -reach...reach {
      for column in -reach...reach where row * row + column * column <= reach * reach {
        for to in max(0, row)..<min(cells, cells + row) {
          for cell in max(0, column)..<min(cells, cells + column) {
            result[to * cells + cell] += values[(to - row) * cells + cell - column]
          }
        }
      }
    }
    return result
  }
}
