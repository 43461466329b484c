import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The WGS 84 ellipsoid. (NGA.STND.0036)
enum Ellipsoid {
  /// Semi-major axis, metres.
  static let semiMajorAxis = 6_378_137.0
  static let flattening = 1 / 298.257_223_563
  static let eccentricitySquared = flattening * (2 - flattening)
}

/// A point (metres) or a direction (of length 1) in the earth-centred, earth-fixed frame.
struct Vector: Hashable, Sendable {
  var x, y, z: Double

  static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
  static func - (a: Vector, b: Vector) -> Vector { Vector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z) }
  static func * (a: Vector, k: Double) -> Vector { Vector(x: a.x * k, y: a.y * k, z: a.z * k) }

  func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }
}

extension Vector {
  /// Creates the point of a coordinate on the ellipsoid.
  init(_ coordinate: Coordinate) {
    let degree = Double.pi / 180
    let (sine, cosine) = (sin(coordinate.latitude * degree), cos(coordinate.latitude * degree))
    let normal = Ellipsoid.semiMajorAxis / (1 - Ellipsoid.eccentricitySquared * sine * sine).squareRoot()
    x = normal * cosine * cos(coordinate.longitude * degree)
    y = normal * cosine * sin(coordinate.longitude * degree)
    z = normal * (1 - Ellipsoid.eccentricitySquared) * sine
  }

  /// The coordinate of the point, without its height; nil if the point is not finite. The error is below 1e-9 degrees for
  /// points within 10 km of the ellipsoid. (B. R. Bowring, Survey Review 23 (181), 1976: one step)
  var coordinate: Coordinate? {
    let (a, e2) = (Ellipsoid.semiMajorAxis, Ellipsoid.eccentricitySquared)
    let b = a * (1 - Ellipsoid.flattening)
    let distance = (x * x + y * y).squareRoot()
    let parametric = atan2(a * z, b * distance)
    let (sine, cosine) = (sin(parametric), cos(parametric))
    let latitude = atan2(
      z + e2 / (1 - e2) * b * sine * sine * sine, distance - e2 * a * cosine * cosine * cosine)
    return Coordinate(latitude: latitude * 180 / .pi, longitude: atan2(y, x) * 180 / .pi)
  }
}
