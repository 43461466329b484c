import GNSS
import Glibc

/// Conversions between degrees and metres on WGS 84.
enum Ground {
  private static let (axis, eccentricity) = (6_378_137.0, 0.006_694_379_990_14)

  private static func root(at latitude: Double) -> Double {
    let sine = sin(latitude * .pi / 180)
    return sqrt(1 - eccentricity * sine * sine)
  }

  static func metresNorth(at latitude: Double) -> Double {
    let root = root(at: latitude)
    return axis * (1 - eccentricity) / (root * root * root) * .pi / 180
  }

  static func metresEast(at latitude: Double) -> Double {
    axis / root(at: latitude) * cos(latitude * .pi / 180) * .pi / 180
  }

  static func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
    let turn = (a.longitude - b.longitude).remainder(dividingBy: 360)
    return hypot(turn * metresEast(at: b.latitude), (a.latitude - b.latitude) * metresNorth(at: b.latitude))
  }

  static func displacement(from: Coordinate, to: Coordinate) -> Metres {
    Metres(
      east: (to.longitude - from.longitude) * metresEast(at: from.latitude),
      north: (to.latitude - from.latitude) * metresNorth(at: from.latitude))
  }

  static func moved(_ coordinate: Coordinate, by displacement: Metres) -> Coordinate? {
    Coordinate(
      latitude: coordinate.latitude + displacement.north / metresNorth(at: coordinate.latitude),
      longitude: coordinate.longitude + displacement.east / metresEast(at: coordinate.latitude))
  }
}
