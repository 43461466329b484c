/// The estimates that an adversary can compute from many reports.
enum Guess: CaseIterable {
  case mean
  /// The position with the smallest sum of distances, on which outliers have little influence.
  case median
  /// The midpoint between the northernmost and the southernmost report, which cancels a fixed shift in latitude.
  case middle
  case last

  func position(from reports: ArraySlice<Point>) -> Point {
    switch self {
    case .mean: reports.mean
    case .median: reports.geometricMedian
    case .middle:
      Point(x: reports.mean.x, y: (reports.map(\.y).min()! + reports.map(\.y).max()!) / 2)
    case .last: reports.last!
    }
  }
}

extension ArraySlice<Point> {
  var mean: Point { reduce(Point(x: 0, y: 0), +) * (1 / Double(count)) }

  /// The geometric median by Weiszfeld's iteration, of at most 2000 points.
  var geometricMedian: Point {
    let points = stride(from: startIndex, to: endIndex, by: Swift.max(1, count / 2000)).map { self[$0] }
    var guess = points[...].mean
    for _ in 0..<60 {
      var (sum, weights) = (Point(x: 0, y: 0), 0.0)
      for point in points {
        let weight = 1 / Swift.max((point - guess).length, 1)
        (sum, weights) = (sum + point * weight, weights + weight)
      }
      let next = sum * (1 / weights)
      if (next - guess).length < 0.5 { break }
      guess = next
    }
    return guess
  }
}

extension [Double] {
  var mean: Double { reduce(0, +) / Double(count) }

  /// - Parameter share: A value in 0...1.
  func quantile(_ share: Double) -> Double { sorted()[Swift.min(count - 1, Int(share * Double(count)))] }
}

/// A device with a mechanism that receives requests and restarts periodically.
struct Asked {
  var mechanism: any Mechanism
  /// The seconds between two restarts. Nil for a device that never restarts.
  let restarts: Double?
  private var last = 0.0

  init(_ mechanism: any Mechanism, restarts: Double?) {
    self.mechanism = mechanism
    self.restarts = restarts
  }

  /// Returns the report for a position, with a receiver error of 4 m.
  mutating func report(_ position: Point, at seconds: Double, _ random: inout Random) -> Point {
    if let restarts, Int(seconds / restarts) != Int(last / restarts) { mechanism.restart(at: seconds) }
    last = seconds
    let measured = Town.coordinate(at: position + random.normal() * 4)
    return Town.point(at: mechanism.report(measured, at: seconds))
  }
}

/// A device at one position with a request every ten minutes.
struct Stationary {
  /// The mean error of the best adversary, by number of reports.
  private(set) var errors: [Int: Double] = [:]
  /// The distances between the reports and the true position.
  private(set) var distances: [Double] = []

  init(users: Int, reports: [Int], restarts: Double?, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 1)
    let most = reports.max()!
    var all: [Int: [Guess: [Double]]] = [:]
    for user in 0..<users {
      let position = random.position()
      var asked = Asked(try make(10_000 + UInt64(user)), restarts: restarts)
      let heard = (0..<most).map { asked.report(position, at: Double($0) * 600, &random) }
      distances.append(heard.map { ($0 - position).length }.mean)
      for count in reports {
        for guess in Guess.allCases {
          all[count, default: [:]][guess, default: []].append((guess.position(from: heard[..<count]) - position).length)
        }
      }
    }
    errors = all.mapValues { guesses in guesses.values.map(\.mean).min()! }
  }
}

/// A device that moves straight ahead with a request every ten minutes until its report changes. The adversary
/// estimates the position of the change.
struct Crossing {
  /// The error of an adversary after learning from half of the walks with their true positions.
  let error: Double

  init(walks: Int, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 2)
    let (speed, interval) = (1.4, 600.0)
    var seen: [Point] = []
    for walk in 0..<walks {
      let start = random.position()
      let direction = Point(direction: Double.random(in: 0..<2 * .pi, using: &random))
      let begin = Double.random(in: 0..<1e6, using: &random).rounded()
      var asked = Asked(try make(50_000 + UInt64(walk)), restarts: nil)
      var previous: Point?
      for step in 0..<60 {
        let position = start + direction * (speed * interval * Double(step))
        let report = asked.report(position, at: begin + interval * Double(step), &random)
        if let previous, (report - previous).length > 1 {
          seen.append(Crossing.turned(position, from: previous, to: report))
          break
        }
        previous = report
      }
    }
    // The position along the line between the two reports, learned from every second walk.
    let learned = stride(from: 0, to: seen.count, by: 2).map { seen[$0].x }.quantile(0.5)
    error = stride(from: 1, to: seen.count, by: 2).map { (seen[$0] - Point(x: learned, y: 0)).length }.mean
  }

  /// Returns the position in a coordinate system with its origin between two reports and its x axis along the line
  /// between them.
  private static func turned(_ position: Point, from first: Point, to second: Point) -> Point {
    let along = (second - first) * (1 / (second - first).length)
    let offset = position - (first + second) * 0.5
    return Point(x: offset.x * along.x + offset.y * along.y, y: offset.y * along.x - offset.x * along.y)
  }
}

/// A user who sleeps at home, works 8 km away and moves around near home, with a request every hour.
struct Home {
  /// The error of the mean of all reports at night.
  let nightError: Double
  /// The error of the best mix of the reports at night and those near home. The adversary knows the best mix for these
  /// users.
  let learnedError: Double

  init(users: Int, days: Int, restarts: Double?, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 3)
    var found: [(home: Point, nights: Point, errands: Point)] = []
    for user in 0..<users {
      var asked = Asked(try make(90_000 + UInt64(user)), restarts: restarts)
      let home = random.position()
      let work = home + Point(direction: Double.random(in: 0..<2 * .pi, using: &random)) * 8000
      var (nights, errands): ([Point], [Point]) = ([], [])
      for hour in 0..<days * 24 {
        var position = home
        let isErrand = [18, 19].contains(hour % 24)
        switch hour % 24 {
        case 9..<17: position = work
        case 8, 17: position = home + (work - home) * Double.random(in: 0.1..<0.9, using: &random)
        case 18, 19: position = home + random.normal() * 700
        default: break
        }
        let report = asked.report(position, at: Double(hour) * 3600 + 60, &random)
        if isErrand { errands.append(report) } else if position == home { nights.append(report) }
      }
      found.append((home, nights[...].mean, errands[...].mean))
    }
    nightError = found.map { ($0.nights - $0.home).length }.mean
    learnedError = (0...30).map { tenth in
      found.map { ($0.nights * (1 - Double(tenth) / 10) + $0.errands * (Double(tenth) / 10) - $0.home).length }.mean
    }.min()!
  }
}
