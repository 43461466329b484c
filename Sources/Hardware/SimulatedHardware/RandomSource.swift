import Glibc

/// Random numbers that are the same for the same seed on every machine. (SplitMix64: Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014)
struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A stream of its own for one part of a simulation, so that one part drawing more changes no other.
  init(seed: UInt64, stream: UInt64) {
    var first = RandomSource(seed: seed)
    var second = RandomSource(seed: first.next() ^ (stream &* 0xD1B5_4A32_D192_ED03))
    state = second.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// 0..<1
  mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  mutating func happens(_ probability: Double) -> Bool {
    unit() < probability
  }

  /// Mean 0, standard deviation 1. (Box and Muller)
  mutating func normal() -> Double {
    sqrt(-2 * log(1 - unit())) * cos(2 * .pi * unit())
  }
}

/// Noise with a memory: a first-order Gauss–Markov process of mean 0 and standard deviation 1, whose autocorrelation
/// after `dt` is exp(-dt / timeConstant).
struct GaussMarkov: Sendable {
  /// Seconds.
  let timeConstant: Double
  private(set) var value: Double

  init(timeConstant: Double, random: inout RandomSource) {
    self.timeConstant = timeConstant
    self.value = random.normal()
  }

  /// - Parameter seconds: the time since the last step, 0 or more.
  mutating func advance(by seconds: Double, random: inout RandomSource) {
    let memory = exp(-seconds / timeConstant)
    value = memory * value + sqrt(1 - memory * memory) * random.normal()
  }
}
