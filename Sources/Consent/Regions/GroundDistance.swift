import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A place on the ground as a vector from the middle of the earth, in metres: it has no seam at the antimeridian and no
/// singularity at a pole.
struct GroundPlace: Hashable, Sendable {
  private let vector: SIMD3<Double>

  /// WGS 84: semi-major axis in metres and first eccentricity squared. (NIMA TR 8350.2, table 3.1)
  private static let axis = 6_378_137.0
  private static let eccentricity = 0.006_694_379_990_14
  /// Metres: the earth's mean radius, which serves to bend a chord.
  private static let meanRadius = 6_371_008.8

  /// At the height of the ellipsoid.
  init(_ coordinate: Coordinate) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let (sine, cosine) = (sin(latitude), cos(latitude))
    let across = Self.axis / (1 - Self.eccentricity * sine * sine).squareRoot()
    vector = SIMD3(
      across * cosine * cos(longitude), across * cosine * sin(longitude), across * (1 - Self.eccentricity) * sine)
  }

  /// Metres over the ground: the chord, bent as a sphere bends it. Within 200 km it is good to 0.1 m, since the bend
  /// itself is 8 m there; at the far end of the earth, where no region reaches, to 5 %.
  func distance(to other: GroundPlace) -> Double {
    let difference = vector - other.vector
    let chord = (difference * difference).sum().squareRoot()
    return 2 * Self.meanRadius * asin(min(1, chord / (2 * Self.meanRadius)))
  }
}
