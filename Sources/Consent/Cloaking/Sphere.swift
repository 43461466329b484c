import GNSS

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The earth as the cloak sees it: a sphere on which a degree of latitude is 111 km.
///
/// That is the constant of AOSP's `LocationFudger`. On WGS 84 a degree is 110.6–111.7 km, so every length in this module
/// is nominal to 0.6 %, which no promise here depends on.
enum Sphere {
  static let metresPerDegree = 111_000.0
  static let radius = metresPerDegree * 180 / .pi
}

/// A place as a unit vector from the middle of the earth: no seam at the antimeridian, no singularity at a pole.
struct Direction {
  private let vector: SIMD3<Double>

  private init(_ vector: SIMD3<Double>) {
    self.vector = vector
  }

  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Degrees; any longitude, a latitude of at most 90 either way.
  init(latitude: Double, longitude: Double) {
    let (latitude, longitude) = (latitude * .pi / 180, longitude * .pi / 180)
    let parallel = cos(latitude)
    vector = SIMD3(parallel * cos(longitude), parallel * sin(longitude), sin(latitude))
  }

  /// The place so many metres from a coordinate, in the plane that touches the sphere there.
  ///
  /// - Parameter turns: where to, from east over north, 0..<1.
  init(from coordinate: Coordinate, distance: Double, turns: Double) {
    let (latitude, longitude) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
    let (sinLatitude, cosLatitude) = (sin(latitude), cos(latitude))
    let (sinLongitude, cosLongitude) = (sin(longitude), cos(longitude))
    let up = SIMD3(cosLatitude * cosLongitude, cosLatitude * sinLongitude, sinLatitude)
    let eastward = SIMD3(-sinLongitude, cosLongitude, 0)
    let northward = SIMD3(-sinLatitude * cosLongitude, -sinLatitude * sinLongitude, cosLatitude)
    let angle = turns * 2 * .pi
    let moved = up + (eastward * cos(angle) + northward * sin(angle)) * (distance / Sphere.radius)
    vector = moved / (moved * moved).sum().squareRoot()
  }

  /// Metres along the chord: at the 10 km that matter here, a millimetre less than over the ground.
  func distance(to other: Direction) -> Double {
    let difference = vector - other.vector
    return (difference * difference).sum().squareRoot() * Sphere.radius
  }
}

/// Columns of about a given width on a parallel, as many as close without a gap at the antimeridian; one at a pole.
func columns(ofWidth width: Double, atLatitude latitude: Double) -> Int32 {
  max(1, Int32((360 * Sphere.metresPerDegree * cos(latitude * .pi / 180) / width).rounded()))
}
