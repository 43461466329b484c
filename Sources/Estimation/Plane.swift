import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Metres, or metres per second, in a plane that touches the earth.
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

/// A plane that touches the ellipsoid at a place. It is spanned in the earth-centred frame, so nothing special happens at
/// the poles or at the antimeridian. Within 2 km of the place a metre in it is a metre on the ground to 1e-7.
struct Plane: Hashable, Sendable {
  private let origin: Vector
  private let east: Vector
  private let north: Vector

  init(at coordinate: Coordinate) {
    origin = Vector(coordinate)
    (east, north) = Plane.axes(at: coordinate)
  }

  /// East and north. At a pole they are those of the meridian that the coordinate names.
  private static func axes(at coordinate: Coordinate) -> (east: Vector, north: Vector) {
    let degree = Double.pi / 180
    let (sinLatitude, cosLatitude) = (sin(coordinate.latitude * degree), cos(coordinate.latitude * degree))
    let (sinLongitude, cosLongitude) = (sin(coordinate.longitude * degree), cos(coordinate.longitude * degree))
    return (
      Vector(x: -sinLongitude, y: cosLongitude, z: 0),
      Vector(x: -sinLatitude * cosLongitude, y: -sinLatitude * sinLongitude, z: cosLatitude)
    )
  }

  func offset(of coordinate: Coordinate) -> Offset {
    let difference = Vector(coordinate) - origin
    return Offset(x: difference.dot(east), y: difference.dot(north))
  }

  /// Nil only for what is not a number.
  func coordinate(at offset: Offset) -> Coordinate? {
    (origin + east * offset.x + north * offset.y).coordinate
  }

  /// A velocity over ground as this plane sees it.
  /// - Parameter course: degrees from true north at the place.
  func velocity(speed: Double, course: Double, at coordinate: Coordinate) -> Offset {
    let (east, north) = Plane.axes(at: coordinate)
    let degree = Double.pi / 180
    let velocity = east * (speed * sin(course * degree)) + north * (speed * cos(course * degree))
    return Offset(x: velocity.dot(self.east), y: velocity.dot(self.north))
  }

  /// The course of a velocity of this plane at a place: degrees from true north, 0..<360.
  func course(of velocity: Offset, at coordinate: Coordinate) -> Double {
    let vector = east * velocity.x + north * velocity.y
    let axes = Plane.axes(at: coordinate)
    let degrees = atan2(vector.dot(axes.east), vector.dot(axes.north)) * 180 / .pi
    let turned = degrees < 0 ? degrees + 360 : degrees
    // An angle a rounding error west of north.
    return turned < 360 ? turned : 0
  }

  /// A vector of this plane as another plane nearby sees it.
  func turned(_ offset: Offset, to other: Plane) -> Offset {
    let vector = east * offset.x + north * offset.y
    return Offset(x: vector.dot(other.east), y: vector.dot(other.north))
  }
}
