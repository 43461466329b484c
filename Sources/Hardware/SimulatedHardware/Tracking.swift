import GNSS
import Glibc

/// A satellite in view of the simulated receiver at one epoch.
struct TrackedSatellite: Sendable {
  var constellation: Constellation
  var number: Int
  var position: SkyPosition
  /// The signal strength in dB-Hz; nil while the signal is too weak to track.
  var strength: Int?
  var isUsed: Bool
}

/// The tracking of satellites: their visibility, their signal strength and their use. Signals fade, and houses block
/// signals. After a start, the receiver acquires one satellite after the other.
struct Tracking: Sendable {
  private struct Channel: Sendable {
    var fading: GaussMarkov
    /// The attenuation by houses in dB. The value changes smoothly, because of the diffraction at the edges of houses.
    var shadow = 0.0
    var isUsed = false
    /// The position in the order in which the satellites are acquired after the start; nil if the satellite rises
    /// later.
    var rank: Int?
  }

  let sky: Sky
  private var random: RandomSource
  private var channels: [Channel]
  private var positions: [SkyPosition] = []
  private var computedAt = -Double.infinity

  /// Creates a tracking state.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random numbers.
  ///   - sky: The satellites.
  ///   - seconds: The start in seconds since 1970-01-01T00:00:00Z.
  init(seed: UInt64, sky: Sky, start seconds: Double) {
    self.sky = sky
    var random = RandomSource(seed: seed, stream: 2)
    channels = sky.orbits.map { _ in Channel(fading: GaussMarkov(timeConstant: 20, random: &random)) }
    self.random = random
    move(to: seconds)
    rank()
  }

  /// Returns the satellites in view at an epoch.
  ///
  /// - Parameters:
  ///   - seconds: The time of the epoch in seconds since 1970-01-01T00:00:00Z.
  ///   - elapsed: The seconds since the previous epoch.
  ///   - found: The number of satellites that have been acquired. Satellites are acquired in the order of their rank.
  ///   - heading: The direction of the street in radians.
  ///   - skyline: The elevation of the houses on both sides in degrees.
  mutating func satellites(
    at seconds: Double, elapsed: Double, found: Int, heading: Double, skyline: Double
  ) -> [TrackedSatellite] {
    move(to: seconds)
    var seen: [TrackedSatellite] = []
    for index in channels.indices where positions[index].elevation > 5 * .pi / 180 {
      let position = positions[index]
      if let rank = channels[index].rank, rank >= found { continue }
      channels[index].fading.advance(by: elapsed, random: &random)

      // Houses block all satellites below the skyline on both sides of the street. In the direction of the street, they
      // block only satellites near the horizon.
      let hidden = max(8, skyline * abs(sin(position.azimuth - heading))) * .pi / 180
      let wanted = position.elevation < hidden ? 14.0 : 0
      channels[index].shadow += (wanted - channels[index].shadow) * (1 - exp(-elapsed / 2))

      let clear = 24 + 23 * pow(sin(position.elevation), 0.6)
      let strength = clear - channels[index].shadow + 2 * channels[index].fading.value
      // The receiver begins to use a satellite when the signal of the satellite is at least 26 dB-Hz. Then the receiver
      // uses the satellite until its signal is below 23 dB-Hz (hysteresis).
      channels[index].isUsed =
        strength >= (channels[index].isUsed ? 23 : 26) && position.elevation > 8 * .pi / 180
      seen.append(
        TrackedSatellite(
          constellation: sky.orbits[index].constellation, number: sky.orbits[index].number, position: position,
          strength: strength < 16 ? nil : Int(strength.rounded()), isUsed: channels[index].isUsed))
    }
    return seen
  }

  private mutating func move(to seconds: Double) {
    // A satellite moves by less than 0.01° in a second. So the code computes the position of a satellite at most once a
    // second.
    guard abs(seconds - computedAt) >= 1 else { return }
    computedAt = seconds
    positions = sky.positions(at: seconds)
  }

  /// Determines the order in which the receiver acquires the satellites after its start. The first satellite is the
  /// highest one. Each following satellite is the one that is farthest from all satellites before it in the order. So
  /// the first few satellites already surround the antenna.
  private mutating func rank() {
    var left = positions.indices.filter { positions[$0].elevation > 15 * .pi / 180 }
    var taken: [Int] = []
    while !left.isEmpty {
      let best = left.max { first, second in
        separation(first, from: taken) < separation(second, from: taken)
      }
      guard let best else { break }
      channels[best].rank = taken.count
      taken.append(best)
      left.removeAll { $0 == best }
    }
    for index in positions.indices where positions[index].elevation > 5 * .pi / 180 && channels[index].rank == nil {
      channels[index].rank = taken.count
      taken.append(index)
    }
  }

  /// Returns the angle in radians between a satellite and the nearest satellite before it in the order. If no satellite
  /// is before it, returns the elevation.
  private func separation(_ index: Int, from taken: [Int]) -> Double {
    let one = positions[index]
    return taken.map { other in
      let second = positions[other]
      let cosine =
        sin(one.elevation) * sin(second.elevation)
        + cos(one.elevation) * cos(second.elevation) * cos(one.azimuth - second.azimuth)
      return acos(min(max(cosine, -1), 1))
    }.min() ?? one.elevation
  }
}
