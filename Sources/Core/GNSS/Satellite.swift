/// A satellite navigation system.
public enum Constellation: String, Hashable, Sendable, CaseIterable {
  /// Of the United States.
  case gps
  /// Of Russia.
  case glonass
  /// Of the European Union.
  case galileo
  /// Of China.
  case beidou
  /// Of Japan.
  case qzss
  /// Of India.
  case navic
  /// Augmentation satellites (WAAS, EGNOS, MSAS, GAGAN, …).
  case sbas

  /// 0...6: its place where systems are counted by bits.
  @inlinable @inline(__always)
  package var place: Int {
    switch self {
    case .gps: 0
    case .glonass: 1
    case .galileo: 2
    case .beidou: 3
    case .qzss: 4
    case .navic: 5
    case .sbas: 6
    }
  }

  /// The system at a place; nil for any other number.
  @inlinable @inline(__always)
  package init?(place: Int) {
    switch place {
    case 0: self = .gps
    case 1: self = .glonass
    case 2: self = .galileo
    case 3: self = .beidou
    case 4: self = .qzss
    case 5: self = .navic
    case 6: self = .sbas
    default: return nil
    }
  }
}

/// A satellite that the receiver reports in view. (NMEA 0183 GSV)
///
/// It is one word, since a receiver reports dozens of them in every epoch. A figure beyond its range is kept as
/// unknown.
public struct Satellite: Hashable, Sendable {
  /// From the lowest bit on: number 16 bits, azimuth 16, elevation 8 (two's complement), signal strength 8, signal 8,
  /// place of the constellation 3, one bit that is 0, whether its use is known 1, whether it is used 1. Unknown figures
  /// are those of `unknown`.
  @usableFromInline package var word: UInt64

  /// Nothing is known, and the number is 0.
  package static var unknown: UInt64 {
    @inlinable @inline(__always) get { 0x07FF_FF80_FFFF_0000 }
  }
  package static var usedBits: UInt64 {
    @inlinable @inline(__always) get { 0x3000_0000_0000_0000 }
  }
  package static var notUsedBits: UInt64 {
    @inlinable @inline(__always) get { 0x1000_0000_0000_0000 }
  }

  @inlinable @inline(__always)
  package init(word: UInt64) {
    self.word = word
  }

  /// A satellite of which nothing else is known. A figure beyond its range is unknown.
  public init(
    constellation: Constellation?, number: Int, elevation: Int? = nil, azimuth: Int? = nil,
    signalStrength: Int? = nil, signal: Int? = nil, isUsed: Bool? = nil
  ) {
    word = Satellite.unknown
    self.constellation = constellation
    self.number = number
    self.elevation = elevation
    self.azimuth = azimuth
    self.signalStrength = signalStrength
    self.signal = signal
    self.isUsed = isUsed
  }

  /// Nil where the sentence does not tell which system's numbers it uses.
  public var constellation: Constellation? {
    get { Constellation(place: place) }
    set { replace(at: 56, 0x7, by: newValue?.place ?? 7) }
  }

  /// As the receiver numbers it, 0...65535.
  public var number: Int {
    get { Int(truncatingIfNeeded: word & 0xFFFF) }
    set { replace(at: 0, 0xFFFF, by: max(0, min(newValue, 0xFFFF))) }
  }

  /// Degrees above the horizon, -90...90.
  public var elevation: Int? {
    get {
      let value = Int8(truncatingIfNeeded: word >> 32)
      return value == .min ? nil : Int(value)
    }
    set { replace(at: 32, 0xFF, by: known(newValue, -90...90) ?? 0x80) }
  }

  /// Degrees from true north, 0...359.
  public var azimuth: Int? {
    get { figure(at: 16, 0xFFFF) }
    set { replace(at: 16, 0xFFFF, by: known(newValue, 0...359) ?? 0xFFFF) }
  }

  /// Carrier-to-noise density, dB-Hz, 0...99; nil while not tracked.
  public var signalStrength: Int? {
    get { figure(at: 40, 0xFF) }
    set { replace(at: 40, 0xFF, by: known(newValue, 0...99) ?? 0xFF) }
  }

  /// The signal as NMEA 0183 v4.10+ numbers it within its system (0...15).
  public var signal: Int? {
    get { figure(at: 48, 0xFF) }
    set { replace(at: 48, 0xFF, by: known(newValue, 0...15) ?? 0xFF) }
  }

  /// Whether the navigation solution uses it; nil where the receiver has not said.
  public var isUsed: Bool? {
    get { word & Satellite.notUsedBits == 0 ? nil : word & Satellite.usedBits == Satellite.usedBits }
    set { replace(at: 60, 0x3, by: newValue.map { $0 ? 3 : 1 } ?? 0) }
  }

  /// The place of its constellation, 7 where that is unknown.
  @inlinable @inline(__always)
  package var place: Int { Int(truncatingIfNeeded: word >> 56 & 0x7) }

  /// A figure of which all ones mean that it is unknown.
  private func figure(at bit: UInt64, _ mask: UInt64) -> Int? {
    let value = word >> bit & mask
    return value == mask ? nil : Int(value)
  }

  private func known(_ value: Int?, _ range: ClosedRange<Int>) -> Int? {
    value.flatMap { range.contains($0) ? $0 : nil }
  }

  private mutating func replace(at bit: UInt64, _ mask: UInt64, by value: Int) {
    word = word & ~(mask << bit) | (UInt64(truncatingIfNeeded: value) & mask) << bit
  }
}

extension Satellite: CustomStringConvertible {
  public var description: String {
    func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
    return "\(text(constellation)) \(number): elevation \(text(elevation)), azimuth \(text(azimuth)), "
      + "\(text(signalStrength)) dB-Hz, signal \(text(signal)), used \(text(isUsed))"
  }
}
