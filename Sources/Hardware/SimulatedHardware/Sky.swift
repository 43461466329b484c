import GNSS
import Glibc

/// Where a satellite stands, seen from the antenna. Radians.
struct SkyPosition: Hashable, Sendable {
  var elevation: Double
  /// From true north, clockwise, 0..<2π.
  var azimuth: Double
}

/// The satellites of GPS, GLONASS and Galileo on circular orbits, as in their almanacs' nominal form: they rise, pass
/// and set as real ones do, though not where today's almanac puts them.
struct Sky: Sendable {
  struct Orbit: Sendable {
    let constellation: Constellation
    /// As NMEA 0183 v4.11 numbers it in GSV and GSA.
    let number: Int
    /// Metres from the centre of the Earth.
    let radius: Double
    /// Radians per second.
    let motion: Double
    let inclination: Double
    let node: Double
    let phase: Double
  }

  let orbits: [Orbit]
  /// Radians.
  private let latitude: Double
  private let longitude: Double

  /// - Parameters: the antenna's place, in degrees.
  init(latitude: Double, longitude: Double) {
    self.latitude = latitude * .pi / 180
    self.longitude = longitude * .pi / 180
    // Interface specifications: IS-GPS-200 (24+ satellites in 6 planes), GLONASS ICD (24 in 3), Galileo OS SIS ICD
    // (24 in 3, with spares). Numbers in a plane of GPS and Galileo follow no order.
    orbits =
      Sky.walker(.gps, planes: 6, perPlane: 5, radius: 26_560_000, period: 43_082, inclination: 55) { 1 + $0 * 13 % 32 }
      + Sky.walker(.glonass, planes: 3, perPlane: 8, radius: 25_510_000, period: 40_544, inclination: 64.8) { 65 + $0 }
      + Sky.walker(.galileo, planes: 3, perPlane: 9, radius: 29_600_000, period: 50_685, inclination: 56) {
        1 + $0 * 11 % 36
      }
  }

  /// Where every satellite stands, in the order of `orbits`.
  /// - Parameter seconds: since 1970-01-01T00:00:00Z.
  func positions(at seconds: Double) -> [SkyPosition] {
    orbits.map { position(of: $0, at: seconds) }
  }

  private static func walker(
    _ constellation: Constellation, planes: Int, perPlane: Int, radius: Double, period: Double, inclination: Double,
    number: (Int) -> Int
  ) -> [Orbit] {
    (0..<planes * perPlane).map { index in
      let (plane, slot) = (Double(index / perPlane), Double(index % perPlane))
      return Orbit(
        constellation: constellation, number: number(index), radius: radius, motion: 2 * .pi / period,
        inclination: inclination * .pi / 180, node: 2 * .pi * plane / Double(planes),
        phase: 2 * .pi * (slot / Double(perPlane) + plane / Double(planes * perPlane)))
    }
  }

  private func position(of orbit: Orbit, at seconds: Double) -> SkyPosition {
    // Along the orbit and into the frame that turns with the Earth.
    let argument = orbit.phase + orbit.motion * seconds
    let node = orbit.node - 7.292_115_9e-5 * seconds
    let x = orbit.radius * (cos(node) * cos(argument) - sin(node) * sin(argument) * cos(orbit.inclination))
    let y = orbit.radius * (sin(node) * cos(argument) + cos(node) * sin(argument) * cos(orbit.inclination))
    let z = orbit.radius * sin(argument) * sin(orbit.inclination)
    // From a spherical Earth: elevations are whole degrees on the wire.
    let ground = 6_371_000.0
    let dx = x - ground * cos(latitude) * cos(longitude)
    let dy = y - ground * cos(latitude) * sin(longitude)
    let dz = z - ground * sin(latitude)
    let east = -sin(longitude) * dx + cos(longitude) * dy
    let outward = cos(longitude) * dx + sin(longitude) * dy
    let north = -sin(latitude) * outward + cos(latitude) * dz
    let up = cos(latitude) * outward + sin(latitude) * dz
    let azimuth = atan2(east, north)
    return SkyPosition(
      elevation: atan2(up, sqrt(east * east + north * north)), azimuth: azimuth < 0 ? azimuth + 2 * .pi : azimuth)
  }
}
