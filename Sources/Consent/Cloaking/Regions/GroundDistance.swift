import GNSS
import Glibc

/// A position on the ground in the earth-centred, earth-fixed frame. This frame needs no special cases at the
/// antimeridian and the poles.
struct GroundPosition: Hashable, Sendable {
  private let point: EarthCentredPoint

  init(_ coordinate: Coordinate) { point = EarthCentredPoint(coordinate) }

  /// Returns the distance over the ground in metres, computed as an arc on a sphere. Up to 200 km, the error is at most
  /// 0.1 m. For positions on opposite sides of the earth, the error is up to 5 %, but no region is that large.
  func distance(to other: GroundPosition) -> Double {
    let (x, y, z) = (point.x - other.point.x, point.y - other.point.y, point.z - other.point.z)
    let chord = (x * x + y * y + z * z).squareRoot()
    return 2 * Ellipsoid.meanRadius * asin(min(1, chord / (2 * Ellipsoid.meanRadius)))
  }
}
