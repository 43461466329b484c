/// A position on the WGS 84 ellipsoid.
public struct Coordinate: Hashable, Sendable {
  /// The latitude in degrees, north positive, -90...90.
  public let latitude: Double
  /// The longitude in degrees, east positive, -180...180.
  public let longitude: Double

  /// Creates a coordinate. Returns nil if a number is out of its range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90.0...90.0).contains(latitude), (-180.0...180.0).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
