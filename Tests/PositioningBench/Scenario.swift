import Glibc

/// The ways that are simulated, and where they lead through.
enum Scenario: String, CaseIterable {
  case `static`, walk, city, canyon, highway, tunnel

  /// Where errors are such that figures of accuracy can be promised.
  var isOpen: Bool { [.static, .walk, .highway].contains(self) }

  /// Seconds of one track.
  static let duration = 900.0

  func surroundings(at seconds: Double) -> Surroundings {
    switch self {
    case .static: .suburb
    case .walk: seconds < 0.4 * Self.duration ? .suburb : seconds < 0.7 * Self.duration ? .urban : .open
    case .city: .urban
    case .canyon: .canyon
    case .highway, .tunnel: .open
    }
  }

  /// Seconds during which nothing is received.
  func dropouts(_ random: inout Random) -> [ClosedRange<Double>] {
    let (count, length): (Int, ClosedRange<Double>) =
      switch self {
      case .static, .walk, .city: (0, 0...0)
      case .canyon: (4, 4...20)
      case .highway: (3, 3...6)
      case .tunnel: (4, 10...60)
      }
    return (0..<count).map { index in
      let start = 100 + Double(index) * (Self.duration - 200) / Double(max(1, count)) + random.uniform(0...50)
      return start...(start + random.uniform(length))
    }
  }
}

/// How receivers err there: per axis in metres, fitted to 311 recorded phone tracks with inertial truth.
struct Surroundings {
  /// Standard deviation of what lasts for ten minutes (atmosphere, orbits), of what lasts for `memory` seconds
  /// (reflections), and of what is white.
  var slow, fast, memory, white: Double
  /// Of the Doppler velocity, m/s.
  var velocity: Double
  /// Single wild positions, in a second.
  var outliers: Double
  /// Reflections that grow and go: how many in a minute, how large and how long.
  var humps: Double
  var humpSize, humpTime: ClosedRange<Double>
  var hdop: Double
  var satellites: Int

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

/// A way through a scenario: legs with bends between them, and stops.
struct Way {
  private(set) var place = Metres()
  private(set) var speed = 0.0
  private var heading: Double
  private let scenario: Scenario
  private var random: Random
  /// Metres left of this leg, and where the next leads.
  private var left = 0.0
  private var wanted: Double
  /// Radians per metre: of a highway.
  private var bend = 0.0
  private var standing = 0.0
  private var stopsAtEnd = false

  init(_ scenario: Scenario, seed: UInt64) {
    self.scenario = scenario
    random = Random(seed: seed)
    heading = random.uniform(0...2 * .pi)
    wanted = heading
  }

  var velocity: Metres { Metres(east: sin(heading), north: cos(heading)) * speed }

  mutating func advance(by seconds: Double) {
    let steps = max(1, (seconds / 0.05).rounded(.up))
    for _ in 0..<Int(steps) { step(seconds / steps) }
  }

  private mutating func step(_ seconds: Double) {
    guard scenario != .static else { return }
    if standing > 0 {
      standing -= seconds
      return
    }
    let pace = pace
    let off = remainder(wanted - heading, 2 * .pi)
    let turnRate = min(pace.turn, speed / pace.radius)
    heading += min(max(off, -turnRate * seconds), turnRate * seconds) + bend * speed * seconds
    wanted += bend * speed * seconds
    let inBend = abs(off) > 0.05
    var limit = inBend ? pace.bendSpeed : pace.most
    // It slows down for what is ahead.
    let ahead = stopsAtEnd ? 0.0 : pace.bendSpeed
    limit = min(limit, sqrt(ahead * ahead + 2 * pace.push * max(0, left)))
    speed += min(max(limit - speed, -2 * pace.push * seconds), pace.push * seconds)
    place = place + velocity * seconds
    left -= speed * seconds
    if left <= 0.2 { turn() }
  }

  /// m/s, m/s², rad/s and metres.
  private var pace: (most: Double, bendSpeed: Double, push: Double, turn: Double, radius: Double) {
    switch scenario {
    case .static: (0, 0, 1, 1, 1)
    case .walk: (1.45, 0.9, 0.6, 1.2, 0.5)
    case .city, .canyon: (13.9, 5, 2, 0.7, 9)
    case .highway, .tunnel: (30, 30, 1.5, 0.1, 300)
    }
  }

  private mutating func turn() {
    if stopsAtEnd {
      (standing, speed, stopsAtEnd) = (random.uniform(8...60), 0, false)
      left = 0.5
      return
    }
    let draw = random.unit()
    switch scenario {
    case .static: break
    case .walk:
      left = random.uniform(20...70)
      let turn = draw < 0.4 ? 0 : draw < 0.6 ? 0.2 : draw < 0.8 ? -0.2 : draw < 0.9 ? Double.pi / 2 : -Double.pi / 2
      wanted += turn
      stopsAtEnd = random.happens(0.2)
    case .city, .canyon:
      left = [90, 120, 160, 240][Int(random.unit() * 4)]
      wanted += draw < 0.55 ? 0 : draw < 0.775 ? Double.pi / 2 : -Double.pi / 2
      stopsAtEnd = random.happens(0.25)
    case .highway, .tunnel:
      left = 100
      bend = 0.97 * bend + random.normal() * 0.012 / 100
    }
  }
}
