import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A vector in a plane that touches the earth: metres, or metres per second.
struct Offset: Hashable, Sendable {
  var x, y: Double

  static let zero = Offset(x: 0, y: 0)

  static func + (a: Offset, b: Offset) -> Offset { Offset(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: Offset, b: Offset) -> Offset { Offset(x: a.x - b.x, y: a.y - b.y) }
  static func * (a: Offset, k: Double) -> Offset { Offset(x: a.x * k, y: a.y * k) }

  var squared: Double { x * x + y * y }
  var length: Double { squared.squareRoot() }

  func dot(_ other: Offset) -> Double { x * other.x + y * other.y }
}

/// A plane that touches the ellipsoid at a place.
///
/// Its axes are vectors of the earth-centred frame, so the poles and the antimeridian need no special case. Within 2 km of
/// the place, lengths in the plane and on the ground differ by at most 1e-7.
struct Plane: Hashable, Sendable {
  private let origin: Vector
  private let east: Vector
  private let north: Vector

  init(at coordinate: Coordinate) {
    origin = Vector(coordinate)
    (east, north) = Plane.axes(at: coordinate)
  }

  /// Returns the unit vectors east and north. At a pole, the longitude of the coordinate selects the meridian.
  private static func axes(at coordinate: Coordinate) -> (east: Vector, north: Vector) {
    let degree = Double.pi / 180
    let (sinLatitude, cosLatitude) = (sin(coordinate.latitude * degree), cos(coordinate.latitude * degree))
    let (sinLongitude, cosLongitude) = (sin(coordinate.longitude * degree), cos(coordinate.longitude * degree))
    return (
      Vector(x: -sinLongitude, y: cosLongitude, z: 0),
      Vector(x: -sinLatitude * cosLongitude, y: -sinLatitude * sinLongitude, z: cosLatitude)
    )
  }

  /// Returns the place of a coordinate in this plane, metres from the origin.
  func offset(of coordinate: Coordinate) -> Offset {
    let difference = Vector(coordinate) - origin
    return Offset(x: difference.dot(east), y: difference.dot(north))
  }

  /// Returns the coordinate at a place in this plane, or nil if the place is not finite.
  func coordinate(at offset: Offset) -> Coordinate? {
    (origin + east * offset.x + north * offset.y).coordinate
  }

  /// Returns a velocity over ground as a vector of this plane, m/s.
  /// - Parameters:
  ///   - speed: m/s.
  ///   - course: degrees from true north at the coordinate.
  ///   - coordinate: the place of the vehicle.
  func velocity(speed: Double, course: Double, at coordinate: Coordinate) -> Offset {
    let (east, north) = Plane.axes(at: coordinate)
    let degree = Double.pi / 180
    let velocity = east * (speed * sin(course * degree)) + north * (speed * cos(course * degree))
    return Offset(x: velocity.dot(self.east), y: velocity.dot(self.north))
  }

  /// Returns the course of a velocity of this plane: degrees from true north at the coordinate, 0..<360.
  func course(of velocity: Offset, at coordinate: Coordinate) -> Double {
    let vector = east * velocity.x + north * velocity.y
    let axes = Plane.axes(at: coordinate)
    let degrees = atan2(vector.dot(axes.east), vector.dot(axes.north)) * 180 / .pi
    let turned = degrees < 0 ? degrees + 360 : degrees
    // An angle that is a rounding error west of north becomes 360.
    return turned < 360 ? turned : 0
  }

  /// Returns a vector of this plane as a vector of another plane nearby.
  func turned(_ offset: Offset, to other: Plane) -> Offset {
    let vector = east * offset.x + north * offset.y
    return Offset(x: vector.dot(other.east), y: vector.dot(other.north))
  }
}
