#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Constants of the WGS 84 ellipsoid. (NGA.STND.0036)
package enum Ellipsoid {
  /// The semi-major axis in metres.
  package static let semiMajorAxis = 6_378_137.0
  /// The mean radius of the earth in metres, for computations on a sphere.
  package static let meanRadius = 6_371_008.8
  package static let flattening = 1 / 298.257_223_563
  package static let eccentricitySquared = flattening * (2 - flattening)
}

/// A point or a vector in the earth-centred, earth-fixed frame of WGS 84. The components are in metres.
package struct EarthCentredPoint: Hashable, Sendable {
  /// The components in metres. The x axis points to longitude 0 on the equator, y to longitude 90° east on the
  /// equator, and z to the north pole.
  package var x, y, z: Double

  package init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// Creates the point on the surface of the ellipsoid with the given latitude and longitude.
  package init(_ coordinate: Coordinate) {
    let degree = Double.pi / 180
    let (sine, cosine) = (sin(coordinate.latitude * degree), cos(coordinate.latitude * degree))
    let normal = Ellipsoid.semiMajorAxis / (1 - Ellipsoid.eccentricitySquared * sine * sine).squareRoot()
    self.init(
      x: normal * cosine * cos(coordinate.longitude * degree), y: normal * cosine * sin(coordinate.longitude * degree),
      z: normal * (1 - Ellipsoid.eccentricitySquared) * sine)
  }

  /// The coordinate and the height in metres above the ellipsoid; nil if the point is less than 1000 km from the centre
  /// of the earth. A receiver without a position reports (0, 0, 0).
  ///
  /// The error of the coordinate is below 1e-9 degrees for points within 10 km of the ellipsoid. The method is one step
  /// of B. R. Bowring, Survey Review 23 (181), 1976.
  package var geodetic: (coordinate: Coordinate, height: Double)? {
    guard x * x + y * y + z * z >= 1e12 else { return nil }
    let (a, e2) = (Ellipsoid.semiMajorAxis, Ellipsoid.eccentricitySquared)
    let b = a * (1 - Ellipsoid.flattening)
    let distance = (x * x + y * y).squareRoot()
    let parametric = atan2(a * z, b * distance)
    let (sine, cosine) = (sin(parametric), cos(parametric))
    let latitude = atan2(z + e2 / (1 - e2) * b * sine * sine * sine, distance - e2 * a * cosine * cosine * cosine)
    let normal = a * (1 - e2 * sin(latitude) * sin(latitude)).squareRoot()
    let height = distance * cos(latitude) + z * sin(latitude) - normal
    return Coordinate(latitude: latitude * 180 / .pi, longitude: atan2(y, x) * 180 / .pi).map { ($0, height) }
  }

  /// Returns the components of this vector to the north and to the east, as seen at a coordinate.
  package func directions(at coordinate: Coordinate) -> (north: Double, east: Double) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let outwards = x * cos(longitude) + y * sin(longitude)
    return (z * cos(latitude) - outwards * sin(latitude), y * cos(longitude) - x * sin(longitude))
  }

  /// Returns the direction of a velocity as the angle in degrees clockwise from true north, 0..<360.
  package static func course(north: Double, east: Double) -> Double {
    let degrees = atan2(east, north) * 180 / .pi
    // The sum of 360 and a very small negative angle is rounded to 360.
    return degrees < 0 ? (degrees + 360 < 360 ? degrees + 360 : 0) : degrees
  }
}
