import Glibc

/// A pseudorandom number generator. The same seed gives the same numbers on every machine. (SplitMix64: Steele, Lea,
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)
struct RandomSource: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator for one purpose in a simulation. Generators with the same seed and different values of
  /// `stream` give independent numbers.
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

  mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  mutating func happens(_ probability: Double) -> Bool {
    unit() < probability
  }

  /// Returns a normally distributed number with mean 0 and standard deviation 1, by the Box–Muller method.
  mutating func normal() -> Double {
    sqrt(-2 * log(1 - unit())) * cos(2 * .pi * unit())
  }
}

/// A first-order Gauss–Markov process: a random number that changes gradually, with mean 0 and standard deviation 1.
/// The autocorrelation after the time t is exp(−t / `timeConstant`).
struct GaussMarkov: Sendable {
  /// The time constant of the process in seconds: after this time, the autocorrelation is 1/e.
  let timeConstant: Double
  private(set) var value: Double

  init(timeConstant: Double, random: inout RandomSource) {
    self.timeConstant = timeConstant
    self.value = random.normal()
  }

  /// Advances the process by a time in seconds, 0 or more.
  mutating func advance(by seconds: Double, random: inout RandomSource) {
    let memory = exp(-seconds / timeConstant)
    value = memory * value + sqrt(1 - memory * memory) * random.normal()
  }
}
