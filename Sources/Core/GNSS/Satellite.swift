/// A constellation: a satellite navigation system, or the augmentation satellites.
public enum Constellation: String, Hashable, Sendable, CaseIterable {
  /// The constellation of the United States.
  case gps
  /// The constellation of Russia.
  case glonass
  /// The constellation of the European Union.
  case galileo
  /// The constellation of China.
  case beidou
  /// The constellation of Japan.
  case qzss
  /// The constellation of India.
  case navic
  /// Augmentation satellites (WAAS, EGNOS, MSAS, GAGAN, …).
  case sbas

  /// The index of the constellation, 0...6, for bit sets.
  @inlinable @inline(__always)
  package var index: Int {
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

  @inlinable @inline(__always)
  package init?(index: Int) {
    switch index {
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

  /// Creates the constellation from its number in u-blox receivers and gpsd (`gnssId`). Returns nil for 4, which is the
  /// number of indoor transmitters, and for unknown numbers.
  @inlinable @inline(__always)
  package init?(gnssID: Int) {
    switch gnssID {
    case 0: self = .gps
    case 1: self = .sbas
    case 2: self = .galileo
    case 3: self = .beidou
    case 5: self = .qzss
    case 6: self = .glonass
    case 7: self = .navic
    default: return nil
    }
  }

  /// The number of the constellation in reports of gpsd.
  package var gnssID: Int { (0...7).first { Constellation(gnssID: $0) == self }! }
}

/// A satellite that the receiver reports in view. Values out of range are stored as unknown. (NMEA 0183 GSV)
///
/// All values are encoded in one word, because a receiver reports dozens of satellites in every epoch.
public struct Satellite: Hashable, Sendable {
  /// The encoded values. The bit fields from the lowest bit on: number (16 bits), azimuth (16), elevation (8, two's
  /// complement), signal strength (8), signal (8), constellation index (3), unused (1), whether the use is known (1),
  /// whether the satellite is used (1). `unknown` contains the bit patterns of unknown values.
  @usableFromInline package var word: UInt64

  /// The encoding of a satellite with the number 0 and no other data.
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

  /// Creates a satellite. Missing values and values out of range are unknown.
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

  /// The constellation of the satellite; nil if the receiver's sentence does not identify the constellation.
  public var constellation: Constellation? {
    get { Constellation(index: constellationIndex) }
    set { replace(at: 56, 0x7, by: newValue?.index ?? 7) }
  }

  /// The number by which the receiver identifies the satellite, 0...65535.
  public var number: Int {
    get { Int(truncatingIfNeeded: word & 0xFFFF) }
    set { replace(at: 0, 0xFFFF, by: max(0, min(newValue, 0xFFFF))) }
  }

  /// The elevation above the horizon in degrees, -90...90; nil if unknown.
  public var elevation: Int? {
    get {
      let value = Int8(truncatingIfNeeded: word >> 32)
      return value == .min ? nil : Int(value)
    }
    set { replace(at: 32, 0xFF, by: known(newValue, -90...90) ?? 0x80) }
  }

  /// The azimuth in degrees from true north, 0...359; nil if unknown.
  public var azimuth: Int? {
    get { figure(at: 16, 0xFFFF) }
    set { replace(at: 16, 0xFFFF, by: known(newValue, 0...359) ?? 0xFFFF) }
  }

  /// The carrier-to-noise density in dB-Hz, 0...99; nil if the satellite is not tracked.
  public var signalStrength: Int? {
    get { figure(at: 40, 0xFF) }
    set { replace(at: 40, 0xFF, by: known(newValue, 0...99) ?? 0xFF) }
  }

  /// The id of the signal within the constellation, 0...15; nil if unknown. (NMEA 0183 v4.10+)
  public var signal: Int? {
    get { figure(at: 48, 0xFF) }
    set { replace(at: 48, 0xFF, by: known(newValue, 0...15) ?? 0xFF) }
  }

  /// Whether the navigation solution uses the satellite; nil if the receiver does not report the use.
  public var isUsed: Bool? {
    get { word & Satellite.notUsedBits == 0 ? nil : word & Satellite.usedBits == Satellite.usedBits }
    set { replace(at: 60, 0x3, by: newValue.map { $0 ? 3 : 1 } ?? 0) }
  }

  /// The index of the constellation; 7 if the constellation is unknown.
  @inlinable @inline(__always)
  package var constellationIndex: Int { Int(truncatingIfNeeded: word >> 56 & 0x7) }

  /// Returns the value of a bit field; nil if all bits are ones, which means unknown.
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
