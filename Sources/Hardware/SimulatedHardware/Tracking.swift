import GNSS
import Glibc

/// A satellite that the simulated receiver sees, with its signal strength.
struct TrackedSatellite: Sendable {
  var constellation: Constellation
  var number: Int
  var position: SkyPosition
  /// The signal strength in dB-Hz; nil while the signal is too weak for the receiver.
  var strength: Int?
  var isUsed: Bool
}

/// The simulated reception of satellites. The simulation decides which satellites the receiver sees and uses, and how
/// strong their signals are. Signals fade, and houses block signals.
struct Tracking: Sendable {
  private struct Channel: Sendable {
    var fading: GaussMarkov
    /// The attenuation by houses in dB. The value changes gradually, because of the diffraction at the edges of houses.
    var shadow = 0.0
    var isUsed = false
    /// The position of the satellite in the order of acquisition, from 0; nil if the satellite was not in view at the
    /// start of the simulation.
    var rank: Int?
  }

  /// The elevation in radians above which a satellite is in view.
  private static let mask = 5 * Double.pi / 180

  let sky: Sky
  private var random: RandomSource
  private var channels: [Channel]
  private var positions: [SkyPosition] = []
  private var computedAt = -Double.infinity

  init(seed: UInt64, sky: Sky, start seconds: Double) {
    self.sky = sky
    var random = RandomSource(seed: seed, stream: 2)
    channels = sky.orbits.map { _ in Channel(fading: GaussMarkov(timeConstant: 20, random: &random)) }
    self.random = random
    move(to: seconds)
    rank()
  }

  /// Returns the satellites that the receiver sees at an instant.
  ///
  /// - Parameters:
  ///   - seconds: the instant in seconds since 1970-01-01T00:00:00Z.
  ///   - elapsed: the seconds since the previous call.
  ///   - found: the count of satellites that the receiver has acquired, in the order of `Channel.rank`.
  ///   - heading: the direction of the street in radians from true north.
  ///   - skyline: the elevation angle of the houses on both sides of the street in degrees.
  mutating func satellites(
    at seconds: Double, elapsed: Double, found: Int, heading: Double, skyline: Double
  ) -> [TrackedSatellite] {
    move(to: seconds)
    var seen: [TrackedSatellite] = []
    for index in channels.indices where positions[index].elevation > Self.mask {
      let position = positions[index]
      if let rank = channels[index].rank, rank >= found { continue }
      channels[index].fading.advance(by: elapsed, random: &random)

      // On both sides of the street, houses block all satellites below the skyline. Along the street, houses block only
      // satellites near the horizon.
      let hidden = max(8, skyline * abs(sin(position.azimuth - heading))) * .pi / 180
      let wanted = position.elevation < hidden ? 14.0 : 0
      channels[index].shadow += (wanted - channels[index].shadow) * (1 - exp(-elapsed / 2))

      let clear = 24 + 23 * pow(sin(position.elevation), 0.6)
      let strength = clear - channels[index].shadow + 2 * channels[index].fading.value
      // Hysteresis: the receiver begins to use a satellite at 26 dB-Hz, and stops below 23 dB-Hz.
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

  /// Determines the order in which the receiver acquires the satellites: the highest one first, because its signal is
  /// the strongest.
  private mutating func rank() {
    let visible = positions.indices.filter { positions[$0].elevation > Self.mask }
    for (rank, index) in visible.sorted(by: { positions[$0].elevation > positions[$1].elevation }).enumerated() {
      channels[index].rank = rank
    }
  }
}
