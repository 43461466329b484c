import GNSS
import Glibc

/// A park, with its latitude and longitude in degrees.
struct Park {
  let name: String
  let latitude: Double
  let longitude: Double

  /// The parks near the positions of the simulated receiver and of the example recordings.
  static let all = [
    Park(name: "Platzspitz, Zürich", latitude: 47.3806, longitude: 8.5396),
    Park(name: "Lindenhof, Zürich", latitude: 47.3730, longitude: 8.5409),
    Park(name: "Alter Botanischer Garten, Zürich", latitude: 47.3709, longitude: 8.5336),
    Park(name: "Arboretum, Zürich", latitude: 47.3623, longitude: 8.5371),
    Park(name: "Bäckeranlage, Zürich", latitude: 47.3766, longitude: 8.5272),
    Park(name: "Josefwiese, Zürich", latitude: 47.3857, longitude: 8.5243),
    Park(name: "Rieterpark, Zürich", latitude: 47.3583, longitude: 8.5305),
    Park(name: "Belvoirpark, Zürich", latitude: 47.3570, longitude: 8.5352),
    Park(name: "Irchelpark, Zürich", latitude: 47.3968, longitude: 8.5489),
    Park(name: "Zürichhorn, Zürich", latitude: 47.3524, longitude: 8.5528),
    Park(name: "Meijō Park, Nagoya", latitude: 35.1891, longitude: 136.9023),
    Park(name: "Tsuruma Park, Nagoya", latitude: 35.1556, longitude: 136.9199),
    Park(name: "Hisaya Ōdōri Park, Nagoya", latitude: 35.1737, longitude: 136.9085),
    Park(name: "Rengstorff Park, Mountain View", latitude: 37.4019, longitude: -122.0966),
    Park(name: "Shoreline Park, Mountain View", latitude: 37.4318, longitude: -122.0860),
    Park(name: "Cuesta Park, Mountain View", latitude: 37.3711, longitude: -122.0803),
  ]

  /// Returns the nearest parks and their distances in metres, the nearest first.
  /// - Parameters:
  ///   - coordinate: The position of the user.
  ///   - count: The maximum count of parks.
  static func nearest(to coordinate: Coordinate, count: Int) -> [(park: Park, distance: Double)] {
    all.map { ($0, $0.distance(to: coordinate)) }.sorted { $0.1 < $1.1 }.prefix(count).map {
      (park: $0.0, distance: $0.1)
    }
  }

  /// Returns the great-circle distance from the park to a coordinate, in metres (haversine formula). The sphere has the
  /// Earth's mean radius, 6,371,008.8 m. The error is below 0.5 %.
  private func distance(to coordinate: Coordinate) -> Double {
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let north = sin(radians(coordinate.latitude - latitude) / 2)
    let east = sin(radians(coordinate.longitude - longitude) / 2)
    let chord = north * north + cos(radians(latitude)) * cos(radians(coordinate.latitude)) * east * east
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }
}
