import GNSS
import Glibc

/// The direction from the antenna to a satellite, as two angles in radians.
struct SkyPosition: Hashable, Sendable {
  var elevation: Double
  /// The azimuth in radians from true north, clockwise, 0..<2π.
  var azimuth: Double
}

/// Simulated satellites of GPS, GLONASS and Galileo on circular orbits. The orbits have the nominal parameters of the
/// constellations, but the positions of the satellites are not those of the real satellites.
struct Sky: Sendable {
  struct Orbit: Sendable {
    let constellation: Constellation
    /// The number of the satellite in the sentences GSV and GSA. (NMEA 0183 v4.11)
    let number: Int
    /// The distance of the satellite from the centre of the earth in metres.
    let radius: Double
    /// The angular velocity of the satellite on its orbit, in radians per second.
    let motion: Double
    let inclination: Double
    let node: Double
    let phase: Double
  }

  let orbits: [Orbit]
  /// The latitude of the antenna in radians.
  private let latitude: Double
  private let longitude: Double

  /// Creates the satellites and the observer: an antenna at a latitude and a longitude in degrees.
  init(latitude: Double, longitude: Double) {
    self.latitude = latitude * .pi / 180
    self.longitude = longitude * .pi / 180
    // The orbits follow the interface specifications: IS-GPS-200 (24 or more satellites in 6 planes), GLONASS ICD (24
    // satellites in 3 planes), and Galileo OS SIS ICD (24 satellites in 3 planes, with spares). The numbers of GPS and
    // Galileo satellites are in no particular order.
    orbits =
      Sky.walker(.gps, planes: 6, perPlane: 5, radius: 26_560_000, period: 43_082, inclination: 55) { 1 + $0 * 13 % 32 }
      + Sky.walker(.glonass, planes: 3, perPlane: 8, radius: 25_510_000, period: 40_544, inclination: 64.8) { 65 + $0 }
      + Sky.walker(.galileo, planes: 3, perPlane: 9, radius: 29_600_000, period: 50_685, inclination: 56) {
        1 + $0 * 11 % 36
      }
  }

  /// Returns the directions of all satellites, in the order of `orbits`. `seconds` is the time in seconds since
  /// 1970-01-01T00:00:00Z.
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
    // The position on the orbit, in the frame that rotates with the Earth.
    let argument = orbit.phase + orbit.motion * seconds
    let node = orbit.node - 7.292_115_9e-5 * seconds
    let x = orbit.radius * (cos(node) * cos(argument) - sin(node) * sin(argument) * cos(orbit.inclination))
    let y = orbit.radius * (sin(node) * cos(argument) + cos(node) * sin(argument) * cos(orbit.inclination))
    let z = orbit.radius * sin(argument) * sin(orbit.inclination)
    // A spherical Earth is sufficient, because sentences contain whole degrees.
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
