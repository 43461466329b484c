import Glibc

/// Devices that move for hours, with one report per quarter hour. The adversary knows the speed and how the course
/// changes.
struct Passage {
  /// The mean errors of the best smoother in the middle and at the end of the passage.
  let middle: Double
  let end: Double

  /// - Parameters:
  ///   - speed: In metres per second.
  ///   - turn: The standard deviation of the change of the course per quarter hour, in radians; 0 for a straight course.
  ///   - devices: The number of devices that travel together. The adversary averages their reports.
  init(
    users: Int, hours: Int, speed: Double, turn: Double = 0, devices: Int = 1,
    _ make: (UInt64) throws -> any Mechanism
  ) rethrows {
    var random = Random(seed: 5)
    var errors = [[Double]](repeating: [], count: Smoother.allCases.count)
    var ends = errors
    for user in 0..<users {
      let path = Passage.path(hours: hours, speed: speed, turn: turn, &random)
      var reports = [Point](repeating: Point(x: 0, y: 0), count: path.count)
      for device in 0..<devices {
        var asked = Asked(try make(200_000 + UInt64(user * devices + device)), restarts: nil)
        for (slot, position) in path.enumerated() {
          let report = asked.report(position, at: Double(slot) * 900, &random)
          reports[slot] = reports[slot] + report * (1 / Double(devices))
        }
      }
      // A line fits a straight course only.
      for (index, smoother) in Smoother.allCases.enumerated() where turn == 0 || smoother != .line {
        let smoothed = smoother.smooth(reports)
        errors[index].append((smoothed[path.count / 2] - path[path.count / 2]).length)
        ends[index].append((smoothed[path.count - 1] - path[path.count - 1]).length)
      }
    }
    middle = errors.filter { !$0.isEmpty }.map(\.mean).min()!
    end = ends.filter { !$0.isEmpty }.map(\.mean).min()!
  }

  static func path(hours: Int, speed: Double, turn: Double, _ random: inout Random) -> [Point] {
    var position = random.position()
    var course = Double.random(in: 0..<2 * .pi, using: &random)
    return (0...4 * hours).map { _ in
      defer {
        course += random.normal().x * turn
        position = position + Point(direction: course) * (speed * 900)
      }
      return position
    }
  }
}

/// A car on a straight road, with one report per quarter hour. The adversary knows the road and the speed, but not when
/// the car passed the beginning of the road.
struct KnownRoad {
  /// The mean distance from the adversary's guess to the true position of the car.
  let error: Double

  init(users: Int, hours: Int, speed: Double, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 12)
    error = try (0..<users).map { user in
      let path = Passage.path(hours: hours, speed: speed, turn: 0, &random)
      var asked = Asked(try make(900_000 + UInt64(user)), restarts: nil)
      let reports = path.enumerated().map { asked.report($1, at: Double($0) * 900, &random) }
      // Each report gives an estimate of the time at which the car passed the beginning: its part along the road.
      let way = path[1] - path[0]
      let offset = zip(reports, path).map { $0 - $1 }[...].mean
      return abs(offset.x * way.x + offset.y * way.y) / way.length
    }.mean
  }
}

/// The ways in which an adversary smooths a track of reports.
enum Smoother: CaseIterable {
  /// A line by least squares.
  case line
  /// Local lines by least squares over 5, 13 and 25 reports.
  case short, medium, long

  func smooth(_ reports: [Point]) -> [Point] {
    let half =
      switch self {
      case .line: reports.count
      case .short: 2
      case .medium: 6
      case .long: 12
      }
    return reports.indices.map { index in
      let window = max(0, index - half)...min(reports.count - 1, index + half)
      let times = window.map { Double($0 - index) }
      let (time, point) = (times.mean, reports[window].mean)
      var (slope, spread) = (Point(x: 0, y: 0), 0.0)
      for (offset, report) in zip(times, reports[window]) {
        slope = slope + (report - point) * (offset - time)
        spread += (offset - time) * (offset - time)
      }
      return point - slope * (time / max(spread, 1))
    }
  }
}
