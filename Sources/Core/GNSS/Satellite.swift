/// A constellation of navigation satellites, or the augmentation satellites of all constellations.
public enum Constellation: String, Hashable, Sendable, CaseIterable {
  /// GPS, the constellation of the United States.
  case gps
  /// GLONASS, the constellation of Russia.
  case glonass
  /// Galileo, the constellation of the European Union.
  case galileo
  /// BeiDou, the constellation of China.
  case beidou
  /// QZSS, the regional constellation of Japan.
  case qzss
  /// NavIC, the regional constellation of India.
  case navic
  /// Augmentation satellites (WAAS, EGNOS, MSAS, GAGAN, …).
  case sbas

  /// A different number for each constellation, 0...6, for use as an array index.
  @inlinable
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

  /// Creates the constellation from its identifier `gnssId` in u-blox receivers and gpsd. Returns nil for 4, which
  /// stands for indoor transmitters, and for unknown identifiers.
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

  /// The identifier `gnssId` of the constellation in reports of gpsd.
  package var gnssID: Int { (0...7).first { Constellation(gnssID: $0) == self }! }
}

/// A satellite in view of the receiver (NMEA 0183 GSV). Values out of range are stored as unknown.
public struct Satellite: Hashable, Sendable {
  /// The constellation to which the satellite belongs; nil if the receiver's sentence does not identify the
  /// constellation.
  public var constellation: Constellation?
  /// Whether the receiver computes its position from this satellite; nil if unknown.
  public var isUsed: Bool?
  // Small integers, because a receiver reports dozens of satellites in every epoch. -128 and -1 are unknown values.
  @usableFromInline var smallNumber: UInt16
  @usableFromInline var smallAzimuth: Int16 = -1
  @usableFromInline var smallElevation: Int8 = -128
  @usableFromInline var smallStrength: Int8 = -1
  @usableFromInline var smallSignal: Int8 = -1

  /// Creates a satellite. Missing values and values out of range become unknown (nil).
  @inlinable
  public init(
    constellation: Constellation?, number: Int, elevation: Int? = nil, azimuth: Int? = nil,
    signalStrength: Int? = nil, signal: Int? = nil, isUsed: Bool? = nil
  ) {
    (self.constellation, self.isUsed) = (constellation, isUsed)
    smallNumber = UInt16(clamping: number)
    self.elevation = elevation
    self.azimuth = azimuth
    self.signalStrength = signalStrength
    self.signal = signal
  }

  /// The number by which the receiver identifies the satellite, 0...65535.
  public var number: Int {
    @inlinable get { Int(smallNumber) }
    @inlinable set { smallNumber = UInt16(clamping: newValue) }
  }

  /// The elevation above the horizon in degrees, -90...90; nil if unknown.
  public var elevation: Int? {
    get { smallElevation == -128 ? nil : Int(smallElevation) }
    @inlinable set { smallElevation = newValue.flatMap { (-90...90).contains($0) ? Int8($0) : nil } ?? -128 }
  }

  /// The azimuth in degrees from true north, 0...359; nil if unknown.
  public var azimuth: Int? {
    get { smallAzimuth == -1 ? nil : Int(smallAzimuth) }
    @inlinable set { smallAzimuth = newValue.flatMap { (0...359).contains($0) ? Int16($0) : nil } ?? -1 }
  }

  /// The strength of the signal as the carrier-to-noise density in dB-Hz, 0...99; nil if the receiver does not track
  /// the satellite.
  public var signalStrength: Int? {
    get { smallStrength == -1 ? nil : Int(smallStrength) }
    @inlinable set { smallStrength = newValue.flatMap { (0...99).contains($0) ? Int8($0) : nil } ?? -1 }
  }

  /// The identifier of the received signal (for example L1 or L5) within the constellation, 0...15; nil if unknown
  /// (NMEA 0183 v4.10+).
  public var signal: Int? {
    get { smallSignal == -1 ? nil : Int(smallSignal) }
    @inlinable set { smallSignal = newValue.flatMap { (0...15).contains($0) ? Int8($0) : nil } ?? -1 }
  }
}

extension Satellite: CustomStringConvertible {
  public var description: String {
    func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "-" }
    return "\(text(constellation)) \(number): elevation \(text(elevation)), azimuth \(text(azimuth)), "
      + "\(text(signalStrength)) dB-Hz, signal \(text(signal)), used \(text(isUsed))"
  }
}
