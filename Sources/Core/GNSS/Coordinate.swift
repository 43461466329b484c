#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A latitude and a longitude on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
  /// The latitude in degrees, north positive, -90...90.
  public let latitude: Double
  /// The longitude in degrees, east positive, -180...180.
  public let longitude: Double

  /// Creates a coordinate from a latitude and a longitude in degrees. Returns nil if a value is out of its range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90.0...90.0).contains(latitude), (-180.0...180.0).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

// Distances of a few kilometres. The earth is treated as a sphere, with an error of up to 0.6 %.
extension Coordinate {
  /// Returns the distance to another coordinate in metres, computed on a plane. The result is valid for a few
  /// kilometres.
  package func flatDistance(to other: Coordinate) -> Double {
    let (north, east) = flatOffset(to: other)
    return (north * north + east * east).squareRoot()
  }

  /// Returns the displacement to another coordinate: its components to the north and to the east in metres, computed on
  /// a plane. The result is valid for a few kilometres.
  package func flatOffset(to other: Coordinate) -> (north: Double, east: Double) {
    let metres = Ellipsoid.meanRadius * .pi / 180
    let turn = (other.longitude - longitude).remainder(dividingBy: 360)
    let middle = (latitude + other.latitude) / 2 * .pi / 180
    return ((other.latitude - latitude) * metres, turn * cos(middle) * metres)
  }
}
