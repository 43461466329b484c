import Glibc
import SeededNumbers

/// A generator of random numbers, the same for the same seed on every machine.
struct Random {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0xD1B5_4A32_D192_ED03) }

  mutating func next() -> UInt64 { numbers.next() }

  /// Returns a number in 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// Returns a normally distributed number with mean 0 and standard deviation 1. (Box and Muller)
  mutating func normal() -> Double { sqrt(-2 * log(1 - unit())) * cos(2 * .pi * unit()) }

  /// Returns a displacement with a standard deviation of 1 in each direction.
  mutating func normalPair() -> Metres { Metres(east: normal(), north: normal()) }

  mutating func direction() -> Metres { Metres(heading: uniform(0...2 * .pi)) }
}

/// A displacement in metres, or a velocity in metres per second, east and north.
struct Metres: Hashable {
  var east = 0.0
  var north = 0.0

  init(east: Double = 0, north: Double = 0) { (self.east, self.north) = (east, north) }

  /// A displacement of one metre.
  /// - Parameter heading: Radians from north, clockwise.
  init(heading: Double) { self.init(east: sin(heading), north: cos(heading)) }

  static func + (a: Metres, b: Metres) -> Metres { Metres(east: a.east + b.east, north: a.north + b.north) }
  static func - (a: Metres, b: Metres) -> Metres { Metres(east: a.east - b.east, north: a.north - b.north) }
  static func * (a: Metres, k: Double) -> Metres { Metres(east: a.east * k, north: a.north * k) }

  var length: Double { hypot(east, north) }
}
