import GNSS
import Glibc

/// The walk of a simulated pedestrian through the streets of a town, at a varying speed, with stops at crossings and
/// shop windows. Positions are in metres east and north of the start, at most about 700 m away.
struct TownWalk: Sendable {
  private struct Corner: Hashable, Sendable {
    var column: Int
    var row: Int
  }

  private struct Stop: Sendable {
    /// The distance in metres between the stop of the simulated pedestrian and the next street corner.
    var distance: Double
    /// The duration of the simulated pedestrian's stop in seconds.
    var duration: Double
  }

  private(set) var east = 0.0
  private(set) var north = 0.0
  /// The present speed of the pedestrian in m/s, 0 or more.
  private(set) var speed = 0.0
  /// The direction in which the pedestrian walks, in radians from true north, clockwise.
  private(set) var heading: Double
  /// The elevation angle in degrees of the houses beside the pedestrian. Houses block satellite signals.
  private(set) var skyline = 10.0

  private let seed: UInt64
  private var random: RandomSource
  private var from = Corner(column: 0, row: 0)
  private var to = Corner(column: 0, row: 1)
  /// The usual speed of the pedestrian in the present street, in m/s.
  private var walkingSpeed = 1.35
  private var stop: Stop?
  /// The remaining time of the pedestrian's stop in seconds; 0 or less while the pedestrian walks.
  private var standing = 0.0

  init(seed: UInt64) {
    self.seed = seed
    self.random = RandomSource(seed: seed, stream: 1)
    self.heading = 0
    self.heading = bearing(to: to)
  }

  var velocityEast: Double { speed * sin(heading) }
  var velocityNorth: Double { speed * cos(heading) }

  /// Moves the pedestrian. The time in seconds must be above 0.
  mutating func advance(by seconds: Double) {
    // At walking speed, a step of 50 ms causes an error of a few centimetres at a corner.
    let steps = Int((seconds / 0.05).rounded(.up))
    for _ in 0..<steps { step(seconds / Double(steps)) }
  }

  private mutating func step(_ seconds: Double) {
    if standing > 0 {
      standing -= seconds
      return
    }
    let target = position(of: to)
    let distance = hypot(target.east - east, target.north - north)
    if distance < 1.5 {
      turn()
      return
    }
    let off = remainder(bearing(to: to) - heading, 2 * .pi)
    heading += min(max(off, -1.2 * seconds), 1.2 * seconds)
    heading = remainder(heading, 2 * .pi)

    var wanted = abs(off) > 0.4 ? min(walkingSpeed, 0.6) : walkingSpeed
    if let stop {
      let remaining = max(0, distance - stop.distance)
      wanted = min(wanted, sqrt(2 * 0.6 * remaining))
      if remaining < 0.3 {
        standing = stop.duration
        speed = 0
        self.stop = nil
        return
      }
    }
    speed += min(max(wanted - speed, -0.9 * seconds), 0.7 * seconds)
    east += velocityEast * seconds
    north += velocityNorth * seconds
  }

  private mutating func turn() {
    let (column, row) = (to.column - from.column, to.row - from.row)
    let ahead = Corner(column: to.column + column, row: to.row + row)
    let left = Corner(column: to.column - row, row: to.row + column)
    let right = Corner(column: to.column + row, row: to.row - column)
    let draw = random.unit()
    let order = draw < 0.5 ? [ahead, left, right] : draw < 0.75 ? [left, ahead, right] : [right, ahead, left]
    // The town is wider than one block, so at least one of the three corners is inside the town.
    let next = order.first { abs($0.column) <= 5 && abs($0.row) <= 4 } ?? from
    (from, to) = (to, next)

    walkingSpeed = random.uniform(1.1...1.6)
    skyline = random.happens(0.35) ? 10 : random.uniform(15...40)
    if random.happens(0.35) {
      stop = Stop(distance: 2, duration: random.uniform(3...25))
    } else if random.happens(0.15) {
      stop = Stop(distance: random.uniform(15...50), duration: random.uniform(20...90))
    } else {
      stop = nil
    }
  }

  private func bearing(to corner: Corner) -> Double {
    let target = position(of: corner)
    return atan2(target.east - east, target.north - north)
  }

  /// Returns the position of a street corner in metres from the start of the walk. The streets form a rotated grid with
  /// blocks of about 70 m × 95 m.
  private func position(of corner: Corner) -> (east: Double, north: Double) {
    if corner == Corner(column: 0, row: 0) { return (0, 0) }
    let key = UInt64(bitPattern: Int64(corner.column &* 1000 &+ corner.row))
    var jitter = RandomSource(seed: seed, stream: 0x5747 &+ key)
    let across = 70 * Double(corner.column) + jitter.uniform(-12...12)
    let along = 95 * Double(corner.row) + jitter.uniform(-12...12)
    let skew = 0.4
    return (across * cos(skew) + along * sin(skew), along * cos(skew) - across * sin(skew))
  }
}

/// A plane that approximates the earth's ellipsoid near its origin. Within a kilometre, the error is a few centimetres.
struct LocalPlane: Sendable {
  /// The latitude of the origin of the plane in degrees. At the origin, the plane touches the ellipsoid.
  let latitude: Double
  let longitude: Double
  private let metresPerDegreeNorth: Double
  private let metresPerDegreeEast: Double

  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
    let (axis, eccentricity) = (Ellipsoid.semiMajorAxis, Ellipsoid.eccentricitySquared)
    let sine = sin(latitude * .pi / 180)
    let root = sqrt(1 - eccentricity * sine * sine)
    metresPerDegreeNorth = axis * (1 - eccentricity) / (root * root * root) * .pi / 180
    metresPerDegreeEast = axis / root * cos(latitude * .pi / 180) * .pi / 180
  }

  /// Converts a position in metres from the origin of the plane to latitude and longitude in degrees.
  func degrees(east: Double, north: Double) -> (latitude: Double, longitude: Double) {
    (latitude + north / metresPerDegreeNorth, longitude + east / metresPerDegreeEast)
  }
}
