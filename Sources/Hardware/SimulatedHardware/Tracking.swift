import GNSS
import Glibc

/// A satellite as the simulated receiver sees it at one epoch.
struct TrackedSatellite: Sendable {
  var constellation: Constellation
  var number: Int
  var position: SkyPosition
  /// dB-Hz; nil while the signal is too weak to follow.
  var strength: Int?
  var isUsed: Bool
}

/// Which satellites the receiver hears, how well, and which it uses: signals fade, houses hide them, and after a start
/// they are found one after the other.
struct Tracking: Sendable {
  private struct Channel: Sendable {
    var fading: GaussMarkov
    /// dB taken by houses, smoothed: diffraction has no sharp edge.
    var shadow = 0.0
    var isUsed = false
    /// The how-manieth satellite it is that is found after the start; nil for those that rise later.
    var rank: Int?
  }

  let sky: Sky
  private var random: RandomSource
  private var channels: [Channel]
  private var positions: [SkyPosition] = []
  private var computedAt = -Double.infinity

  /// - Parameter seconds: the start, since 1970-01-01T00:00:00Z.
  init(seed: UInt64, sky: Sky, start seconds: Double) {
    self.sky = sky
    var random = RandomSource(seed: seed, stream: 2)
    channels = sky.orbits.map { _ in Channel(fading: GaussMarkov(timeConstant: 20, random: &random)) }
    self.random = random
    move(to: seconds)
    rank()
  }

  /// - Parameters:
  ///   - seconds: the epoch, since 1970-01-01T00:00:00Z.
  ///   - elapsed: since the epoch before, seconds.
  ///   - found: how many of the satellites that were up at the start have been found by now.
  ///   - heading: of the street, radians.
  ///   - skyline: how high the houses on both sides stand, degrees.
  mutating func satellites(
    at seconds: Double, elapsed: Double, found: Int, heading: Double, skyline: Double
  ) -> [TrackedSatellite] {
    move(to: seconds)
    var seen: [TrackedSatellite] = []
    for index in channels.indices where positions[index].elevation > 5 * .pi / 180 {
      let position = positions[index]
      if let rank = channels[index].rank, rank >= found { continue }
      channels[index].fading.advance(by: elapsed, random: &random)

      // Seen along the street, houses hide little; across it, everything below the skyline.
      let hidden = max(8, skyline * abs(sin(position.azimuth - heading))) * .pi / 180
      let wanted = position.elevation < hidden ? 14.0 : 0
      channels[index].shadow += (wanted - channels[index].shadow) * (1 - exp(-elapsed / 2))

      let clear = 24 + 23 * pow(sin(position.elevation), 0.6)
      let strength = clear - channels[index].shadow + 2 * channels[index].fading.value
      // What is used stays used a little below where it came in.
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
    // A satellite moves by less than 0.01° in a second.
    guard abs(seconds - computedAt) >= 1 else { return }
    computedAt = seconds
    positions = sky.positions(at: seconds)
  }

  /// Orders what is up at the start so that the first few already surround the antenna: the highest first, then always
  /// the one farthest from all that were taken.
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

  /// The angle to the nearest that was taken, radians; to begin with, the elevation.
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
