import GNSS
import Glibc

/// The earth as a sphere on which a degree of latitude is 111 km, as in `LocationFudger` of Android. Distances differ
/// from WGS 84 by up to 0.6 %. No privacy guarantee depends on this difference.
enum Sphere {
  static let metresPerDegree = 111_000.0
  static let radius = metresPerDegree * 180 / .pi
}

/// A position on the earth as a unit vector from the centre. Vectors need no special cases at the antimeridian and the
/// poles.
struct Direction {
  private let vector: SIMD3<Double>

  private init(_ vector: SIMD3<Double>) {
    self.vector = vector / (vector * vector).sum().squareRoot()
  }

  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Creates the direction of a position. The latitude must be in -90...90 degrees, and the longitude can be any angle
  /// in degrees.
  init(latitude: Double, longitude: Double) {
    let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
    let parallel = cos(latitude)
    self.init(SIMD3(parallel * cos(longitude), parallel * sin(longitude), sin(latitude)))
  }

  /// Creates the direction of a point near a coordinate, computed in the tangent plane at the coordinate.
  ///
  /// - Parameters:
  ///   - distance: The distance from the coordinate in metres.
  ///   - turns: The angle from east toward north in full turns, 0..<1.
  init(from coordinate: Coordinate, distance: Double, turns: Double) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let (sinLatitude, cosLatitude) = (sin(latitude), cos(latitude))
    let (sinLongitude, cosLongitude) = (sin(longitude), cos(longitude))
    let up = SIMD3(cosLatitude * cosLongitude, cosLatitude * sinLongitude, sinLatitude)
    let eastward = SIMD3(-sinLongitude, cosLongitude, 0)
    let northward = SIMD3(-sinLatitude * cosLongitude, -sinLatitude * sinLongitude, cosLatitude)
    let angle = turns * 2 * .pi
    self.init(up + (eastward * cos(angle) + northward * sin(angle)) * (distance / Sphere.radius))
  }

  /// The latitude and longitude of the direction, with a longitude in -180...180 degrees.
  var coordinate: Coordinate {
    let parallel = (vector.x * vector.x + vector.y * vector.y).squareRoot()
    return Coordinate(
      latitude: atan2(vector.z, parallel) * 180 / .pi, longitude: atan2(vector.y, vector.x) * 180 / .pi)!
  }

  /// Returns the vector from `other` to `direction`, in earth radii.
  static func - (direction: Direction, other: Direction) -> SIMD3<Double> { direction.vector - other.vector }

  static func + (direction: Direction, displacement: SIMD3<Double>) -> Direction {
    Direction(direction.vector + displacement)
  }

  /// Returns the straight distance through the earth in metres. The distance over the ground is 1 mm longer at 10 km,
  /// and 8 m longer at 200 km.
  func distance(to other: Direction) -> Double {
    let difference = vector - other.vector
    return (difference * difference).sum().squareRoot() * Sphere.radius
  }
}

/// Returns the count of columns into which the circle of a latitude is divided, at least 1. Each column is about
/// `width` metres wide.
func columns(ofWidth width: Double, atLatitude latitude: Double) -> Int32 {
  max(1, Int32((360 * Sphere.metresPerDegree * cos(latitude * .pi / 180) / width).rounded()))
}
