public import GNSS

/// How a position was made, as a letter. (NMEA 0183 v4.11 RMC field 12, GLL 7, VTG 9, GNS 6)
public enum ModeIndicator: UInt8, Hashable, Sendable, CaseIterable {
  /// Satellites alone. (`A`)
  case autonomous = 0x41
  /// `C`, `U` and `V` are navigation statuses that some receivers write here.
  case caution = 0x43
  /// With corrections of a station or of augmentation satellites. (`D`)
  case differential = 0x44
  /// Dead reckoning: estimated, not measured. (`E`)
  case estimated = 0x45
  /// Carrier phases whose ambiguities are not yet integers. (`F`)
  case rtkFloat = 0x46
  /// Typed in by a person. (`M`)
  case manual = 0x4D
  /// No fix. (`N`)
  case notValid = 0x4E
  /// Without selective availability, or by the military service. (`P`)
  case precise = 0x50
  /// Carrier phases whose ambiguities are integers. (`R`)
  case rtkFixed = 0x52
  /// Made up. (`S`)
  case simulator = 0x53
  /// Of unsafe integrity, as some receivers say here. (`U`)
  case unsafe = 0x55
  /// Not valid, as some receivers say here. (`V`)
  case void = 0x56
  /// `0`, which some receivers write for "unknown".
  case unknown = 0x30

  /// Nil where the letter does not tell.
  public var quality: FixQuality? {
    switch self {
    case .autonomous: .autonomous
    case .differential: .differential
    case .estimated: .estimated
    case .rtkFloat: .rtkFloat
    case .manual: .manual
    case .notValid, .void: .invalid
    case .precise: .precise
    case .rtkFixed: .rtkFixed
    case .simulator: .simulator
    case .caution, .unsafe, .unknown: nil
    }
  }

  /// Whether it says that there is no position.
  @inline(__always)
  public var deniesFix: Bool {
    switch self {
    case .notValid, .void: true
    case .autonomous, .caution, .differential, .estimated, .rtkFloat, .manual, .precise, .rtkFixed, .simulator, .unsafe,
      .unknown:
      false
    }
  }
}

/// Whether the position may be used for navigation. Receivers that judge nothing say `notValid`, and their fix is none
/// the worse. (NMEA 0183 v4.11 RMC field 13, GNS 13)
public enum NavigationStatus: UInt8, Hashable, Sendable, CaseIterable {
  /// Within its limits. (`S`)
  case safe = 0x53
  /// Its integrity is not known. (`C`)
  case caution = 0x43
  /// Outside its limits. (`U`)
  case unsafe = 0x55
  /// The receiver does not say such things; a fix may be valid all the same. (`V`)
  case notValid = 0x56
}

extension Fields {
  /// A mode letter; nil where empty.
  @inline(__always)
  mutating func mode(in bytes: Span<UInt8>) throws(NMEAError) -> ModeIndicator? {
    let letter = try letter(in: bytes)
    if letter == 0 { return nil }
    // What nearly all fixes are.
    if letter == 0x41 { return .autonomous }
    guard let mode = ModeIndicator(rawValue: letter) else { throw invalid(in: bytes) }
    return mode
  }

  @inline(__always)
  mutating func navigationStatus(in bytes: Span<UInt8>) throws(NMEAError) -> NavigationStatus? {
    let letter = try letter(in: bytes)
    if letter == 0 { return nil }
    guard let status = NavigationStatus(rawValue: letter) else { throw invalid(in: bytes) }
    return status
  }

  /// `A` is valid; `V` and nothing are not.
  @inline(__always)
  mutating func status(in bytes: Span<UInt8>) throws(NMEAError) -> Bool {
    let letter = try letter(in: bytes)
    guard letter == 0x41 || letter == 0x56 || letter == 0 else { throw invalid(in: bytes) }
    return letter == 0x41
  }

  /// A dilution of precision; 0 and 99 and more mean that it is unknown.
  @inline(__always)
  mutating func dilution(in bytes: Span<UInt8>) throws(NMEAError) -> Double? {
    guard let value = try decimal(in: bytes) else { return nil }
    guard value >= 0 else { throw invalid(in: bytes) }
    return value > 0 && value < 99 ? value : nil
  }

  /// A course, degrees from north, 0..<360. 360 is 0.
  @inline(__always)
  mutating func course(in bytes: Span<UInt8>) throws(NMEAError) -> Double? {
    guard let value = try decimal(in: bytes) else { return nil }
    guard value >= 0, value <= 360 else { throw invalid(in: bytes) }
    return value == 360 ? 0 : value
  }

  /// A number that cannot be negative.
  @inline(__always)
  mutating func magnitude(in bytes: Span<UInt8>) throws(NMEAError) -> Double? {
    guard let value = try decimal(in: bytes) else { return nil }
    guard value >= 0 else { throw invalid(in: bytes) }
    return value
  }
}
