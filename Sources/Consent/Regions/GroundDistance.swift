import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A position on the ground as a vector from the centre of the earth in metres, which needs no special cases at the
/// antimeridian and the poles.
struct GroundPlace: Hashable, Sendable {
  private let vector: SIMD3<Double>

  /// The semi-major axis of WGS 84 in metres, and its first eccentricity squared. (NIMA TR 8350.2, table 3.1)
  private static let axis = 6_378_137.0
  private static let eccentricity = 0.006_694_379_990_14
  /// The mean radius of the earth in metres, for arcs.
  private static let meanRadius = 6_371_008.8

  /// Creates the position of a coordinate on the ellipsoid.
  init(_ coordinate: Coordinate) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let (sine, cosine) = (sin(latitude), cos(latitude))
    let across = Self.axis / (1 - Self.eccentricity * sine * sine).squareRoot()
    vector = SIMD3(
      across * cosine * cos(longitude), across * cosine * sin(longitude), across * (1 - Self.eccentricity) * sine)
  }

  /// Returns the distance over the ground in metres. The function computes the straight line between the positions, and
  /// from this line the arc on a sphere. Up to 200 km, the error is at most 0.1 m. For positions on opposite sides of
  /// the earth, the error is up to 5 %, but no region is that large.
  func distance(to other: GroundPlace) -> Double {
    let difference = vector - other.vector
    let chord = (difference * difference).sum().squareRoot()
    return 2 * Self.meanRadius * asin(min(1, chord / (2 * Self.meanRadius)))
  }
}
