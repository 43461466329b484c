import Base
import Cloaking
import GNSS
import Glibc
import SeededNumbers

/// The conversion between metres in a town's plane and degrees. Every mechanism and every adversary uses the same
/// conversion, so that its error favours none of them.
enum Town {
  static let centre = Coordinate(latitude: 48.1374, longitude: 11.5755)!
  /// The metres of one degree of latitude in Android's code.
  static let metresPerDegree = 111_000.0
  static let metresPerDegreeEast = metresPerDegree * cos(centre.latitude * .pi / 180)

  static func coordinate(at point: Point) -> Coordinate {
    Coordinate(
      latitude: centre.latitude + point.y / metresPerDegree, longitude: centre.longitude + point.x / metresPerDegreeEast
    )!
  }

  static func point(at coordinate: Coordinate) -> Point {
    Point(
      x: (coordinate.longitude - centre.longitude) * metresPerDegreeEast,
      y: (coordinate.latitude - centre.latitude) * metresPerDegree)
  }
}

/// Metres east and north of the town's centre.
struct Point: Hashable {
  var x, y: Double

  static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
  static func * (a: Point, k: Double) -> Point { Point(x: a.x * k, y: a.y * k) }

  var length: Double { (x * x + y * y).squareRoot() }

  init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// A displacement of one metre in a direction.
  init(direction radians: Double) { self.init(x: cos(radians), y: sin(radians)) }
}

/// A mechanism that reports a position approximately.
protocol Mechanism {
  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate
  /// Restarts the device. State that is not stored is lost.
  mutating func restart(at seconds: Double)
}

/// The mechanism of this gateway.
struct OneFix: Mechanism {
  private let key: CloakKey
  private var cloak: Cloak

  init(seed: UInt64, _ mechanism: Cloaking.Mechanism = .shared) throws {
    var random = Random(seed: seed)
    key = try CloakKey(deviceKey: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
    cloak = Cloak(key: key, memory: Cloak.Memory(mechanism: mechanism), boot: "bench")
  }

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    // The daemon restarts, and the machine does not.
    let fix = cloak.reduce(
      coordinate, at: MonotonicInstant(nanoseconds: Int64(seconds * 1e9)),
      utc: UTCTime(nanosecondsSince1970: 1_760_000_000_000_000_000 + Int64(seconds * 1e9)))!
    return Coordinate(latitude: fix.latitude, longitude: fix.longitude)!
  }

  mutating func restart(at seconds: Double) {
    cloak = Cloak(key: key, memory: Cloak.Memory(encoded: cloak.memory.encoded())!, boot: "bench")
  }
}

/// No protection: the position of the receiver.
struct RawPosition: Mechanism {
  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate { coordinate }
  mutating func restart(at seconds: Double) {}
}

/// The nearest point of a grid of 2 km.
struct FixedGrid: Mechanism {
  static let spacing = 2000.0

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    FixedGrid.snapped(coordinate)
  }

  static func snapped(_ coordinate: Coordinate) -> Coordinate {
    let rows = spacing / Town.metresPerDegree
    let latitude = (coordinate.latitude / rows + 0.5).rounded(.down) * rows
    let columns = spacing / (Town.metresPerDegree * cos(latitude * .pi / 180))
    return Coordinate(latitude: latitude, longitude: (coordinate.longitude / columns + 0.5).rounded(.down) * columns)!
  }

  mutating func restart(at seconds: Double) {}
}

/// Android's LocationFudger as its documentation describes it: an offset that drifts by 3 % per hour and is random at
/// each start, and a grid of 2 km. (AOSP, frameworks/base, com.android.server.location.fudger.LocationFudger)
struct Android: Mechanism {
  private static let deviation = FixedGrid.spacing / 4
  private static let change = 0.03
  private static let interval = 3600.0
  private var random: Random
  private var offset = Point(x: 0, y: 0)
  private var next = 0.0

  init(seed: UInt64) {
    random = Random(seed: seed)
    restart(at: 0)
  }

  mutating func restart(at seconds: Double) {
    offset = random.normal() * Self.deviation
    next = seconds + Self.interval
  }

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    FixedGrid.snapped(moved(coordinate, at: seconds))
  }

  /// Returns the coordinate with the present offset, before the grid.
  mutating func moved(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    if seconds >= next {
      offset = offset * (1 - Self.change * Self.change).squareRoot() + random.normal() * (Self.change * Self.deviation)
      next = seconds + Self.interval
    }
    return Town.coordinate(at: Town.point(at: coordinate) + offset)
  }
}

/// Android 16's coarse locations with cells that depend on the density of the population: the offset of `Android`, and
/// then the middle of a cell that is large enough for 1000 people. Android's own data and threshold are not public, so
/// both are synthetic here: a village of 300 to 3000 people about every 8 km.
struct AndroidDensity: Mechanism {
  private var fudger: Android

  init(seed: UInt64) { fudger = Android(seed: seed) }

  mutating func restart(at seconds: Double) { fudger.restart(at: seconds) }

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    let position = Town.point(at: fudger.moved(coordinate, at: seconds))
    var side = FixedGrid.spacing
    while side < 16_000, AndroidDensity.population(around: position, side: side) < 1000 { side *= 2 }
    return Town.coordinate(at: AndroidDensity.centre(position, side: side))
  }

  private static func centre(_ position: Point, side: Double) -> Point {
    Point(x: ((position.x / side).rounded(.down) + 0.5) * side, y: ((position.y / side).rounded(.down) + 0.5) * side)
  }

  private static func population(around position: Point, side: Double) -> Double {
    let (centre, spacing) = (centre(position, side: side), 8000.0)
    let nearest = (row: Int((position.y / spacing).rounded()), column: Int((position.x / spacing).rounded()))
    var sum = 0.0
    for row in nearest.row - 2...nearest.row + 2 {
      for column in nearest.column - 2...nearest.column + 2 {
        var random = Random(seed: UInt64(bitPattern: Int64(row &* 1_000_003 &+ column)))
        let village = Point(x: Double(column) * spacing, y: Double(row) * spacing) + random.normal() * 1000
        let people = 300 * pow(10, Double.random(in: 0..<1, using: &random))
        if max(abs(village.x - centre.x), abs(village.y - centre.y)) < side / 2 { sum += people }
      }
    }
    return sum
  }
}

/// GeoClue's scramble: the latitude shifted by one or two kilometres north or south, at random for each report, and
/// the exact longitude. (geoclue 2.7, gclue-location-source.c)
struct GeoClue: Mechanism {
  private var random: Random

  init(seed: UInt64) { random = Random(seed: seed) }

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    let kilometres = Double.random(in: 0..<1, using: &random) < 0.5 ? 1.0 : 2
    let up = Bool.random(using: &random) ? 1.0 : -1
    let latitude = coordinate.latitude + up * kilometres * 1000 / Town.metresPerDegree
    return Coordinate(latitude: latitude, longitude: coordinate.longitude)!
  }

  mutating func restart(at seconds: Double) {}
}

/// Planar Laplace noise with ε = 0.002/m, independent for each report. (Andrés et al., "Geo-indistinguishability", CCS
/// 2013)
struct PlanarLaplace: Mechanism {
  private var random: Random

  init(seed: UInt64) { random = Random(seed: seed) }

  mutating func report(_ coordinate: Coordinate, at seconds: Double) -> Coordinate {
    // The distance has a gamma distribution with shape 2: the sum of two exponentially distributed numbers.
    let distance = -(log(random.positive()) + log(random.positive())) / 0.002
    let direction = Double.random(in: 0..<2 * .pi, using: &random)
    return Town.coordinate(at: Town.point(at: coordinate) + Point(direction: direction) * distance)
  }

  mutating func restart(at seconds: Double) {}
}

/// A generator of random numbers, the same for the same seed on every machine.
struct Random: RandomNumberGenerator {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed &* 0xD134_2543_DE82_EF95) }

  mutating func next() -> UInt64 { numbers.next() }

  /// Returns a number greater than 0 and at most 1.
  mutating func positive() -> Double { 1 - Double.random(in: 0..<1, using: &self) }

  /// Returns two independent normally distributed numbers. (G. E. P. Box and M. E. Muller, 1958)
  mutating func normal() -> Point {
    let radius = (-2 * log(positive())).squareRoot()
    return Point(direction: Double.random(in: 0..<2 * .pi, using: &self)) * radius
  }

  /// Returns a position within 20 km of the centre along each axis.
  mutating func position() -> Point {
    Point(x: Double.random(in: -20_000...20_000, using: &self), y: Double.random(in: -20_000...20_000, using: &self))
  }
}
