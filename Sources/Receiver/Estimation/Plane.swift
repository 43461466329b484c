import GNSS
import Glibc

/// A vector in a plane that touches the earth, in metres, or in metres per second for a velocity.
typealias Offset = SIMD2<Double>

/// A vector in the earth-centred, earth-fixed frame (ECEF): a point in metres, or a direction (a vector of length 1).
typealias Vector = SIMD3<Double>

extension SIMD where Scalar == Double {
  var squared: Double { dot(self) }
  var length: Double { squared.squareRoot() }

  func dot(_ other: Self) -> Double { (self * other).sum() }
}

extension Offset {
  /// Returns the angle in radians by which this vector must turn to the direction of the other vector, −π...π.
  func angle(to other: Offset) -> Double { atan2(x * other.y - y * other.x, dot(other)) }

  func rotated(by angle: Double) -> Offset {
    Offset(x: x * cos(angle) - y * sin(angle), y: x * sin(angle) + y * cos(angle))
  }
}

/// A plane that touches the earth's ellipsoid at a point, with two axes for coordinates in metres.
///
/// The axes are vectors of the earth-centred frame, so the poles and the antimeridian need no special case. Within 2
/// km of the point, lengths in the plane and on the ground differ by at most one part in 10 million.
struct Plane: Hashable, Sendable {
  private let origin: Vector
  private let first, second: Vector

  /// Creates a plane that touches the ellipsoid at a coordinate. The axes point east and north.
  init(at coordinate: Coordinate) {
    origin = Vector(coordinate)
    (first, second) = Plane.axes(at: coordinate)
  }

  /// Creates a plane whose axes are parallel to those of another plane near it, so that velocities are equal in both
  /// planes.
  init(at coordinate: Coordinate, along other: Plane) {
    let (east, north) = Plane.axes(at: coordinate)
    let (x, y) = (other.first.dot(east), other.first.dot(north))
    let length = (x * x + y * y).squareRoot()
    origin = Vector(coordinate)
    first = east * (x / length) + north * (y / length)
    second = north * (x / length) - east * (y / length)
  }

  /// Returns the unit vectors to the east and to the north at a coordinate. At a pole, the longitude of the coordinate
  /// defines the direction of north.
  private static func axes(at coordinate: Coordinate) -> (east: Vector, north: Vector) {
    let degree = Double.pi / 180
    let (sinLatitude, cosLatitude) = (sin(coordinate.latitude * degree), cos(coordinate.latitude * degree))
    let (sinLongitude, cosLongitude) = (sin(coordinate.longitude * degree), cos(coordinate.longitude * degree))
    return (
      Vector(x: -sinLongitude, y: cosLongitude, z: 0),
      Vector(x: -sinLatitude * cosLongitude, y: -sinLatitude * sinLongitude, z: cosLatitude)
    )
  }

  /// Returns the position of a coordinate in this plane, in metres from the origin of the plane.
  func offset(of coordinate: Coordinate) -> Offset {
    let difference = Vector(coordinate) - origin
    return Offset(x: difference.dot(first), y: difference.dot(second))
  }

  /// Returns the coordinate of a position in this plane. Returns nil if the position is not finite.
  func coordinate(at offset: Offset) -> Coordinate? {
    (origin + first * offset.x + second * offset.y).coordinate
  }

  /// Converts a speed and a course to a velocity vector of this plane in m/s.
  /// - Parameters:
  ///   - speed: the speed over ground in m/s.
  ///   - course: the course in degrees from true north at the coordinate.
  ///   - coordinate: the position of the vehicle.
  func velocity(speed: Double, course: Double, at coordinate: Coordinate) -> Offset {
    let (east, north) = Plane.axes(at: coordinate)
    let degree = Double.pi / 180
    let velocity = east * (speed * sin(course * degree)) + north * (speed * cos(course * degree))
    return Offset(x: velocity.dot(first), y: velocity.dot(second))
  }

  /// Returns the course of a velocity in degrees from true north, 0..<360. `coordinate` is the place at which the
  /// function determines north.
  func course(of velocity: Offset, at coordinate: Coordinate) -> Double {
    let vector = first * velocity.x + second * velocity.y
    let axes = Plane.axes(at: coordinate)
    return EarthCentredPoint.course(north: vector.dot(axes.north), east: vector.dot(axes.east))
  }
}

extension Vector {
  /// Creates the point on the earth's ellipsoid with the given coordinate.
  init(_ coordinate: Coordinate) {
    let point = EarthCentredPoint(coordinate)
    self.init(x: point.x, y: point.y, z: point.z)
  }

  /// The latitude and longitude of the point; nil if the point is not finite, or is nearer than 1000 km to the centre
  /// of the earth.
  var coordinate: Coordinate? { EarthCentredPoint(x: x, y: y, z: z).geodetic?.coordinate }
}
